// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import OBD2
import Testing

@testable import Configuration
@testable import SignalSets

@Suite("Signal sets")
struct SignalSetTests {
    static func hatchback() throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return Array(try #require(FileManager.default.contents(atPath: "/\(folder)/Sets/hatchback.json")))
    }

    /// Returns the custom parameters that the configuration reads from the TOML of a set.
    static func parameters(of set: SignalSetImport) throws -> [String: CustomParameter] {
        let file = SourceFile(name: "set.toml", bytes: Array(set.toml(source: "x\n.json", isSelected: true).utf8))
        let text = "[mqtt]\nurl = \"mqtt://localhost\"\n[parameters]\nsets = [\"/set.toml\"]\n"
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml") { _ in [file] }
        return Dictionary(uniqueKeysWithValues: configuration.custom.map { ($0.name, $0) })
    }

    @Test("Signals that can be polled are imported; the others are skipped with a reason")
    func hatchbackSet() throws {
        let set = try SignalSetImport(try Self.hatchback())
        #expect(
            set.imported.map(\.name) == [
                "hatch_hv_soc", "hatch_hv_current", "hatch_plugged", "hatch_cell_min", "hatch_le", "hatch_signed_bits",
                "hatch_tyre_1", "hatch_speed_of_engine", "hatch_hv_soc_2", "hatch_everybody",
            ]
        )
        let reasons = Dictionary(set.skipped.map { ($0.name, $0.reason) }) { first, _ in first }
        #expect(reasons["HATCH_WRITES"]?.hasPrefix("service 2E cannot be polled") == true)
        #expect(reasons["HATCH_SESSION"] == "its request needs diagnostic session 03, which this agent never opens")
        #expect(reasons["HATCH_FUTURE"] == "its request has the unknown key \"future\"")
        #expect(reasons["vehicle_speed"] == "the catalogue has a parameter with the name vehicle_speed")
        #expect(reasons["HATCH_TEXT"] == "its value is a text, not a number")
        #expect(reasons["HATCH_ODD_UNIT"] == "its unit \"parsecs\" is unknown")
        #expect(reasons["HATCH_RATIO"] == "its value is computed from other signals")
        #expect(Set(reasons.keys).isSuperset(of: ["HATCH_ODD", "HATCH_ZERO"]) && reasons.count == 9)
        #expect(set.notes.count == 1)
    }

    @Test("The configuration reads the TOML of a set and decodes the same values")
    func roundTrip() throws {
        let parameters = try Self.parameters(of: try SignalSetImport(try Self.hatchback()))
        #expect(parameters.count == 10)
        func value(_ name: String, _ data: [UInt8]) throws -> DecodedValue? {
            let parameter = try #require(parameters[name])
            let request = try #require(parameter.request)
            let head = [request.payload[0] | 0x40] + request.echo
            return parameter.decode(head + data)?.value
        }
        #expect(try value("hatch_hv_soc", [0, 0, 0, 0, 161]) == .number(80.5))
        #expect(try value("hatch_hv_soc", [0, 0, 0, 0, 201]) == nil)
        #expect(try value("hatch_hv_current", [0, 0, 0, 0, 0, 0xFF, 0x9C]) == .number(-10))
        #expect(try value("hatch_plugged", [UInt8](repeating: 0, count: 9) + [1]) == .code(1, label: "on"))
        #expect(try value("hatch_cell_min", [0xF0, 0]) == nil)
        #expect(try value("hatch_cell_min", [0xF0, 1]) == .number(1 * 0.00001 - 0.5))
        #expect(try value("hatch_le", [0x34, 0x12]) == .number(0x1234))
        #expect(try value("hatch_signed_bits", [0b0010_0000]) == .number(-32))
        #expect(try value("hatch_tyre_1", [2]) == .code(2, label: "Front right"))
        let current = try #require(parameters["hatch_hv_current"])
        #expect(current.title == "Traction battery, \"current\"" && current.field.symbol == "A")
        #expect(current.request?.destination?.setsFlowControl == true)
        let bmw = try #require(parameters["hatch_le"]?.request?.destination)
        #expect(bmw.header == .can11(0x6F1) && bmw.responder == .can11(0x607) && bmw.extendedAddress == 0x07)
        #expect(bmw.testerAddress == 0xF1 && bmw.timeout == .milliseconds(409))
        let tyre = try #require(parameters["hatch_tyre_1"]?.request?.destination)
        #expect(tyre.testerAddress == 0x2A)
        let engine = try #require(parameters["hatch_speed_of_engine"]?.request?.destination)
        #expect(engine.header == .can29(0x18DA_10F1) && engine.responder == .can29(0x18DA_F110))
        #expect(parameters["hatch_everybody"]?.request?.destination == nil)
    }

    /// Returns the set of one signal with a metric and a format.
    private static func set(_ metric: String, _ format: String) throws -> SignalSetImport {
        let signal = #"{"id": "X", "name": "X", "suggestedMetric": "\#(metric)", "fmt": {"len": 8, \#(format)}}"#
        let command = #"{"hdr": "7E4", "cmd": {"22": "0101"}, "freq": 1, "signals": [\#(signal)]}"#
        return try SignalSetImport(Array(#"{"commands": [\#(command)]}"#.utf8))
    }

    private static let chargeResults = #"""
        "map": {"0": "Not charging", "1": "Charging", "2": "Charging complete", "3": "Charging interrupted"}
        """#

    private static let chargerStates = #"""
        "map": {"0": {"description": "Not ready", "value": "NOT_READY"},
        "1": {"description": "Ready", "value": "READY"}, "5": {"description": "Charging", "value": "CHARGING"}, "6": {"description": "Done", "value": "DONE"},
        "7": {"description": "External Charger", "value": "EXT"}}
        """#

    @Test(
        "The metric of a signal becomes its role, and the labels tell which numbers are true",
        arguments: [
            ("stateOfCharge", #""max": 100, "unit": "percent""#, ParameterRole.stateOfCharge, nil),
            ("electricRange", #""max": 255, "unit": "miles""#, .range, nil),
            ("isCharging", #""max": 1, "unit": "noyes""#, .charging, nil),
            ("pluggedIn", #""max": 1, "unit": "yesno""#, .pluggedIn, [0]),
            ("isCharging", chargerStates, .charging, [5, 7]),
            ("isCharging", chargeResults, .charging, [1]),
            ("starterBatteryVoltage", #""max": 20, "unit": "volts""#, nil, nil),
        ] as [(String, String, ParameterRole?, Set<Int>?)]
    )
    func roles(metric: String, format: String, role: ParameterRole?, trueValues: Set<Int>?) throws {
        let set = try Self.set(metric, format)
        let parameter = try #require(try Self.parameters(of: set)["x"])
        #expect(parameter.role == role && parameter.field.trueValues == trueValues && set.notes.isEmpty)
    }

    @Test("A signal whose values do not fit the role of its metric has no role, and a note says so")
    func unfitting() throws {
        let fuel = try Self.set("fuelTankLevel", #""max": 60, "unit": "liters""#)
        #expect(try Self.parameters(of: fuel)["x"]?.role == nil)
        #expect(fuel.notes == ["x got no role: fuel_level needs %"])
        let state = try Self.set("isCharging", #""map": {"0": "Idle", "1": "Busy", "2": "Fault"}"#)
        #expect(state.notes == ["x got no role: charging needs labels that tell yes from no"])
        #expect(try Self.parameters(of: state)["x"]?.role == nil)
    }

    @Test("A model year skips the signals of other years", arguments: [(2022, false), (2023, true)])
    func years(year: Int, hasTyre: Bool) throws {
        let set = try SignalSetImport(try Self.hatchback(), year: year)
        #expect(set.imported.contains { $0.name == "hatch_tyre_1" } == hasTyre)
    }

    @Test(
        "A value of an unexpected form is an error with its path and value",
        arguments: [
            ("[]", "$: expected an object, found an array"),
            ("{\"commands\": 1}", "$.commands: expected an array, found 1"),
            ("{}", "$.commands: expected a value, found nothing"),
            ("{\"commands\": [{\"cmd\": {\"22\": \"F190\"}}]}", "$.commands[0].hdr: expected a value, found nothing"),
            (
                "{\"commands\": [{\"hdr\": \"7XX\", \"cmd\": {\"22\": \"F190\"}}]}",
                "$.commands[0].hdr: expected 3 to 4 hexadecimal digits, found \"7XX\""
            ),
            (
                "{\"commands\": [{\"hdr\": \"7E0\", \"cmd\": {\"+1\": \"0C\"}}]}",
                "$.commands[0].cmd: expected one service with its data, as in {\"22\": \"F190\"}, found an object"
            ),
            (
                "{\"commands\": [{\"hdr\": \"7E0\", \"cmd\": {\"22\": \"F190\", \"21\": \"01\"}}]}",
                "$.commands[0].cmd: expected one service with its data, as in {\"22\": \"F190\"}, found an object"
            ),
            (
                "{\"commands\": [{\"hdr\": \"7E0\", \"cmd\": {\"22\": \"F190\"}, \"freq\": 0, \"signals\": []}]}",
                "$.commands[0].freq: expected a number above zero, found 0"
            ),
            (
                "{\"commands\": [{\"hdr\": \"7E0\", \"cmd\": {\"22\": \"F190\"}, \"freq\": 1, \"signals\": [{\"id\": \"A\", \"fmt\": {\"len\": \"8\"}}]}]}",
                "$.commands[0].signals[0].fmt.len: expected an integer from 1 to 8000, found \"8\""
            ),
            ("{\"a\": 1, \"a\": 2}", "the key \"a\" appears twice in one object"),
            ("nonsense", "invalid JSON at line 1, column 1: expected a value, found \"nonsense\""),
            ("{\n  \"commands\": [,]}", "invalid JSON at line 2, column 16: expected a value, found \",\""),
            (String(repeating: "[", count: 99), "the JSON is nested more than 12 levels deep"),
        ]
    )
    func refused(text: String, message: String) {
        let error = #expect(throws: SignalSetError.self) { try SignalSetImport(Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test("A damaged set is an error, or still a set that the configuration reads", arguments: 0..<4)
    func damage(seed: Int) throws {
        let whole = try Self.hatchback()
        var state = UInt64(seed + 1)
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var read = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0...next(3) {
                switch next(3) {
                case 0: bytes[next(bytes.count)] = UInt8(next(256))
                case 1: bytes.remove(at: next(bytes.count))
                default: bytes.insert(Array("0123456789\"{}[],:eE-.".utf8)[next(21)], at: next(bytes.count))
                }
            }
            guard let set = try? SignalSetImport(bytes) else { continue }
            #expect(throws: Never.self) { try Self.parameters(of: set) }
            read += 1
        }
        #expect(read > 10)
    }

    /// Returns a set of one signal.
    private static func set(format: String) throws -> SignalSetImport {
        let signals = "[{\"id\": \"X\", \"fmt\": \(format)}]"
        let command = "{\"hdr\": \"7E0\", \"cmd\": {\"22\": \"F190\"}, \"freq\": 1, \"signals\": \(signals)}"
        return try SignalSetImport(Array("{\"commands\": [\(command)]}".utf8))
    }

    @Test(
        "Values at the limits of a format give a set that the configuration reads",
        arguments: [
            // Numbers beyond the integers of TOML.
            "{\"len\": 8, \"min\": -1e300, \"max\": 1e300, \"unit\": \"scalar\"}",
            "{\"len\": 8, \"min\": 5e-324, \"max\": 9223372036854775808, \"unit\": \"scalar\"}",
            // 48 characters of four bytes, and one character of many bytes.
            "{\"len\": 8, \"map\": {\"0\": {\"value\": \"\(String(repeating: "\u{1F600}", count: 48))\"}}}",
            "{\"len\": 8, \"map\": {\"0\": {\"value\": \"e\(String(repeating: "\u{301}", count: 30))\"}}}",
        ]
    )
    func limits(format: String) throws {
        let set = try Self.set(format: format)
        #expect(set.imported.count == 1)
        #expect(try Self.parameters(of: set).count == 1)
    }

    @Test("A signal is skipped if its scaling has more digits than a formula may have")
    func tooLongAFormula() throws {
        let set = try Self.set(
            format: "{\"len\": 8, \"mul\": 1e-300, \"div\": 1e300, \"max\": 9, \"unit\": \"scalar\"}"
        )
        #expect(set.imported.isEmpty)
        #expect(set.skipped.map(\.reason) == ["its scaling is not a valid formula: longer than 512 characters"])
    }

    private static func set(address: String) throws -> SignalSetImport {
        let format = #"{"len": 8, "max": 9, "unit": "scalar"}"#
        let text = """
            {"commands": [{\(address), "cmd": {"22": "028C"}, "freq": 1, "signals": [{"id": "X", "fmt": \(format)}]}]}
            """
        return try SignalSetImport(Array(text.utf8))
    }

    @Test(
        "A request to an address outside of the diagnostic ones is skipped with a reason",
        arguments: [
            (#""hdr": "241", "rax": "641""#, "241"),
            (#""hdr": "D016", "pri": "1D", "tst": "30", "rax": "DD0160""#, "1DD01630"),
            (#""hdr": "FC00", "rax": "FE007B""#, "18FC007B"),
        ]
    )
    func foreignAddresses(address: String, header: String) throws {
        let set = try Self.set(address: address)
        #expect(set.imported.isEmpty)
        #expect(
            set.skipped.first?.reason.hasPrefix("its header \(header) is not a diagnostic address. Try: ") == true
        )
    }

    @Test("A number with two labels is an error", arguments: ["+1", "01"])
    func meanings(key: String) {
        let format = "{\"len\": 8, \"map\": {\"1\": \"on\", \"\(key)\": \"off\"}}"
        let error = #expect(throws: SignalSetError.self) { try Self.set(format: format) }
        #expect(
            error?.description == "$.commands[0].signals[0].fmt.map: expected each number once, found an object"
        )
    }

    @Test(
        "Numbers are written without exponents",
        arguments: [
            (1, "1"), (0.5, "0.5"), (1e-5, "0.00001"), (1.5e-7, "0.00000015"), (-2.5e-5, "-0.000025"),
            (1e20, "100000000000000000000"),
            (4294967295, "4294967295"), (-5.6969697, "-5.6969697"), (1.25e17, "125000000000000000"),
        ]
    )
    func decimals(value: Double, text: String) {
        #expect(decimal(value) == text)
        #expect(Double(text) == value)
    }
}
