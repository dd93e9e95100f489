// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import TestSupport
import Testing

@testable import Commands

@Suite("Reading a command")
struct DecoderTests {
    private static func payload(
        _ command: String = "describe",
        _ arguments: String? = nil,
        id: String = "\"a-1\"",
        issued: String = "\"2026-11-21T10:00:00Z\"",
        expires: String = "\"2026-11-21T10:05:00Z\"",
        more: String = ""
    ) -> [UInt8] {
        let arguments = arguments.map { ", \"arguments\": \($0)" } ?? ""
        return Array(
            """
            {"id": \(id), "command": "\(command)", "issued_at": \(issued), "expires_at": \(expires)\(arguments)\(more)}
            """.utf8
        )
    }

    private static func control(_ data: [UInt8]) -> ControlRequest {
        guard let control = ControlRequest(test: 1, data: data) else { preconditionFailure("at most five bytes") }
        return control
    }

    private static func selecting(
        _ intervals: [ParameterKey: Duration],
        for duration: Duration? = nil
    ) -> Command.Action {
        var wish = SelectionRequest(isWhole: true, rates: [:])
        for (key, interval) in intervals { wish.rates[.parameter(key)] = .init(interval) }
        wish.duration = duration
        return .selectParameters(wish)
    }

    private static func troubleCodes(_ texts: String...) -> [TroubleCode] { texts.compactMap(TroubleCode.init) }

    private static func refusal(_ payload: [UInt8]) -> Refusal? {
        do throws(Refusal) {
            _ = try CommandDecoder.decode(payload)
            return nil
        } catch {
            return error
        }
    }

    @Test("All parts of a command are read")
    func whole() throws {
        let command = try CommandDecoder.decode(Self.payload(more: ", \"vehicle\": \"van-12\""))
        #expect(command.id == "a-1" && command.action == .describe && command.audience == ["van-12"])
        #expect(command.issuedAt == Timestamp("2026-11-21T10:00:00Z"))
        #expect(command.expiresAt - command.issuedAt == .seconds(300))
    }

    @Test(
        "Every command has its arguments",
        arguments: [
            ("describe", nil, .describe),
            ("describe", "{}", .describe),
            ("read_codes", nil, .readCodes),
            ("read_monitors", nil, .readMonitors), ("read_vehicle", "{}", .readVehicle),
            ("detect_parameters", #"{"make": "Kia", "year": 2023}"#, .detectParameters(make: "Kia", year: 2023)),
            ("run_test", #"{"test": "01"}"#, .runTest(Self.control([]))),
            ("run_test", #"{"test": "01", "data": "12ab"}"#, .runTest(Self.control([0x12, 0xAB]))),
            ("clear_codes", #"{"confirm": "all"}"#, .clearCodes(.all)),
            ("clear_codes", #"{"confirm": "all", "override_engine": false}"#, .clearCodes(.all)),
            (
                "clear_codes", #"{"confirm": "all", "override_engine": true}"#,
                .clearCodes(.all, overridesEngine: true)
            ),
            (
                "clear_codes", #"{"confirm": ["P0301", "u0100"]}"#,
                .clearCodes(.codes([.j2012(DTC(rawValue: 0x0301)), .j2012(DTC(rawValue: 0xC100))]))
            ),
            ("read_parameters", #"{"parameters": ["engine_speed", "0D", "010C"]}"#, .readParameters([0x0C, 0x0D])),
            (
                "select_parameters", #"{"parameters": {"engine_speed": 0.5, "0D": 10}}"#,
                Self.selecting([0x0C: .milliseconds(500), 0x0D: .seconds(10)])
            ),
            ("boost", #"{"parameters": ["0C", "engine_speed"], "duration": 600}"#, .boost([0x0C], for: .seconds(600))),
            ("select_parameters", #"{"parameters": {}, "duration": 60}"#, Self.selecting([:], for: .seconds(60))),
            ("wake", #"{"duration": 900}"#, .wake(for: .seconds(900))),
            ("clear_codes", #"{"confirm": "all", "wake": true}"#, .clearCodes(.all, wakes: true)),
            ("record_finding", #"{"text": "1.\n2."}"#, .recordFinding("1.\n2.", .info, codes: [])),
            (
                "record_finding", #"{"text": "é", "severity": "urgent", "codes": ["p0301", "P0301", "SPN110-FMI0"]}"#,
                .recordFinding("é", .urgent, codes: Self.troubleCodes("P0301", "SPN110-FMI0"))
            ),
            (
                "select_parameters", #"{"parameters": {"0C": 0.05, "engine_speed": 0.05}, "duration": 86400}"#,
                Self.selecting([0x0C: .milliseconds(50)], for: .seconds(86_400))
            ),
        ] as [(String, String?, Command.Action)]
    )
    func arguments(name: String, arguments: String?, action: Command.Action) throws {
        #expect(try CommandDecoder.decode(Self.payload(name, arguments)).action == action)
    }

    @Test(
        "An error names its place",
        arguments: [
            (
                Self.payload(id: "\"\""), .malformed,
                "$.id: expected 1 to 64 of the characters A-Z a-z 0-9 . _ : -; found a string"
            ),
            (
                Self.payload(id: "\"a b\""), .malformed,
                "$.id: expected 1 to 64 of the characters A-Z a-z 0-9 . _ : -; found a string"
            ),
            (
                Self.payload(id: "\"\(String(repeating: "a", count: 65))\""), .malformed,
                "$.id: expected 1 to 64 of the characters A-Z a-z 0-9 . _ : -; found a string"
            ),
            (Self.payload(id: "7"), .malformed, "$.id: expected a string; found 7"),
            (Self.payload(issued: "1795255200"), .malformed, "$.issued_at: expected a string; found 1795255200"),
            (
                Self.payload(issued: "\"yesterday\""), .malformed,
                "$.issued_at: expected a time such as \"2026-11-21T10:00:00Z\"; found a string"
            ),
            (
                Self.payload(expires: "\"2026-11-21T10:00:00Z\""), .malformed,
                "$.expires_at: expected a time after issued_at; found a string"
            ),
            (Self.payload(more: ", \"vehicle\": null"), .malformed, "$.vehicle: expected a string; found null"),
            (
                Self.payload(more: ", \"colour\": 1"), .malformed,
                "$.colour: unknown key; known are arguments, command, expires_at, id, issued_at, vehicle"
            ),
            (
                Self.payload("selfdestruct"), .unknownCommand,
                """
                this agent knows describe, read_codes, clear_codes, read_parameters, select_parameters, read_monitors, \
                read_vehicle, run_test, boost, record_finding, raw_request, wake, detect_parameters, capture, resend
                """
            ),
            (
                Self.payload("Describe"), .unknownCommand,
                """
                this agent knows describe, read_codes, clear_codes, read_parameters, select_parameters, read_monitors, \
                read_vehicle, run_test, boost, record_finding, raw_request, wake, detect_parameters, capture, resend
                """
            ),
            (Self.payload("describe", "{\"x\": 1}"), .badArguments, "$.arguments.x: unknown key; there are none here"),
            (
                Self.payload("run_test", #"{"test": "00"}"#), .badArguments,
                "$.arguments.test: expected the two hexadecimal digits of a test, such as \"01\"; found a string"
            ),
            (
                Self.payload("run_test", #"{"test": "01", "data": "112233445566"}"#), .badArguments,
                "$.arguments.data: expected up to 5 bytes as hexadecimal digits; found a string"
            ),
            (Self.payload("describe", "[]"), .badArguments, "$.arguments: expected an object; found an empty array"),
            (Self.payload("describe", "null"), .badArguments, "$.arguments: expected an object; found null"),
            (
                Self.payload("clear_codes"), .badArguments,
                "$.arguments.confirm: expected \"all\", or an array of the codes that are to be cleared; it is missing"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": "ALL"}"#), .badArguments,
                "$.arguments.confirm: expected \"all\", or an array of the codes that are to be cleared; found a string"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": true}"#), .badArguments,
                "$.arguments.confirm: expected \"all\", or an array of the codes that are to be cleared; found true"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": "all", "override_engine": 1}"#), .badArguments,
                "$.arguments.override_engine: expected true or false; found 1"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": []}"#), .badArguments,
                "$.arguments.confirm: expected at least one code, or \"all\"; found an empty array"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": [301]}"#), .badArguments,
                "$.arguments.confirm[0]: expected a string; found 301"
            ),
            (
                Self.payload("clear_codes", #"{"confirm": ["P4301"]}"#), .badArguments,
                "$.arguments.confirm[0]: expected a code such as \"P0301\"; found \"P4301\""
            ),
            (
                Self.payload("record_finding", #"{"text": ""}"#), .badArguments,
                "$.arguments.text: expected 1 to 4000 characters; found a string"
            ),
            (
                Self.payload("record_finding", "{\"text\": \"\(String(repeating: "é", count: 4001))\"}"), .badArguments,
                "$.arguments.text: expected 1 to 4000 characters; found a string"
            ),
            (
                Self.payload("record_finding", #"{"text": "bell \u0007"}"#), .badArguments,
                "$.arguments.text: expected no control characters but line feeds; found a string"
            ),
            (
                Self.payload("record_finding", #"{"text": "next\u0085line"}"#), .badArguments,
                "$.arguments.text: expected no control characters but line feeds; found a string"
            ),
            (
                Self.payload("record_finding", #"{"text": null}"#), .badArguments,
                "$.arguments.text: expected a string; found null"
            ),
            (
                Self.payload("record_finding", #"{"text": "a", "severity": "fatal"}"#), .badArguments,
                "$.arguments.severity: expected one of \"info\", \"attention\", \"urgent\"; found a string"
            ),
            (
                Self.payload("record_finding", #"{"text": "a", "codes": ["misfire"]}"#), .badArguments,
                "$.arguments.codes[0]: expected a code such as \"P0301\"; found \"misfire\""
            ),
            (
                Self.payload("read_parameters", #"{"parameters": []}"#), .badArguments,
                "$.arguments.parameters: expected 1 to 256 names; found an empty array"
            ),
            (
                Self.payload("read_parameters", #"{"parameters": ["warp"]}"#), .badArguments,
                """
                $.arguments.parameters: "warp" is no parameter. Try: a name of obd-agent parameters list; on the \
                vehicle's machine, parameters list --custom
                """
            ),
            (
                Self.payload("read_parameters", #"{"parameters": "0C"}"#), .badArguments,
                "$.arguments.parameters: expected an array of strings; found a string"
            ),
            (
                Self.payload("select_parameters", #"{"parameters": {"0C": "0.5"}}"#), .badArguments,
                "$.arguments.parameters.0C: expected a number of seconds from 0.05 to 86400; found a string"
            ),
            (
                Self.payload("select_parameters", #"{"parameters": {"0C": 0.049}}"#), .badArguments,
                "$.arguments.parameters.0C: expected a number of seconds from 0.05 to 86400; found 0.049"
            ),
            (
                Self.payload("select_parameters", #"{"parameters": {"0C": true}}"#), .badArguments,
                "$.arguments.parameters.0C: expected a number of seconds from 0.05 to 86400; found true"
            ),
            (
                Self.payload("select_parameters", #"{"parameters": {"0C": 1, "engine_speed": 2}}"#), .badArguments,
                "$.arguments.parameters.engine_speed: expected one interval; two values of one PID are read together; found 2"
            ),
            (
                Self.payload("boost", #"{"parameters": ["engine_speed"], "duration": 601}"#), .badArguments,
                "$.arguments.duration: expected a number of seconds from 1 to 600; found 601"
            ),
            (
                Self.payload("select_parameters", #"{"parameters": {}, "duration": 0}"#), .badArguments,
                "$.arguments.duration: expected a number of seconds from 1 to 86400; found 0"
            ),
            (Array("[]".utf8), .malformed, "a command is a JSON object; this is an array"),
            (Array("7".utf8), .malformed, "a command is a JSON object; this is a number"),
            (Array("{}".utf8), .malformed, "$.id: expected a string; it is missing"),
            ([], .malformed, "invalid JSON at line 1, column 1: expected a value, found the end of the text"),
            (
                Array("{\"id\": \"a\" ".utf8), .malformed,
                "invalid JSON at line 1, column 12: expected a comma or \"}\", found the end of the text"
            ),
            (
                Array("{\"id\": \"".utf8) + [0xFF, 0xC0] + Array("\"}".utf8), .malformed,
                "invalid JSON at line 1, column 11: expected a string in UTF-8, found other bytes"
            ),
            (Array("{\"id\": 1e999}".utf8), .malformed, "the number at line 1, column 8 is too large"),
            (
                [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20), .malformed,
                "a command has at most 65536 bytes; this has 1048576"
            ),
            (
                [UInt8](repeating: UInt8(ascii: "["), count: 8192), .malformed,
                "the JSON is nested more than 16 levels deep"
            ),
        ] as [([UInt8], CommandResponse.Reason, String)]
    )
    func refusals(payload: [UInt8], reason: CommandResponse.Reason, message: String) {
        let refusal = Self.refusal(payload)
        #expect(refusal?.reason == reason)
        #expect(refusal?.message == message)
    }

    @Test("A refusal carries id and command as far as they could be read")
    func partial() {
        let refusal = Self.refusal(Self.payload("nonsense"))
        #expect(refusal?.id == "a-1" && refusal?.command == "nonsense")
        let bad = Self.refusal(Self.payload(id: "\"a/b\""))
        #expect(bad?.id == nil && bad?.command == "describe")
        #expect(Self.refusal(Self.payload(String(repeating: "x", count: 999)))?.command?.count == 64)
    }

    @Test("Depth counts brackets outside of strings only")
    func depth() throws {
        let deep = String(repeating: "[{", count: 50)
        let refusal = Self.refusal(Self.payload(more: #", "\#(deep)\\": "\"\#(deep)""#))
        #expect(refusal?.message.contains("unknown key") == true)
        let sixteen = "\(String(repeating: "[", count: 15))\(String(repeating: "]", count: 15))"
        #expect(Self.refusal(Self.payload(more: ", \"x\": \(sixteen)"))?.message.contains("unknown key") == true)
        #expect(
            Self.refusal(Self.payload(more: ", \"x\": [\(sixteen)]"))?.message
                == "the JSON is nested more than 16 levels deep"
        )
    }

    @Test("JSON in another encoding than UTF-8 never reaches deep nesting")
    func otherEncodings() {
        for opener in ["[", "{\"a\":"] {
            let units = Array("[\"\u{2200}\",".utf16) + Array(String(repeating: opener, count: 4000).utf16)
            let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            #expect(Self.refusal([0xFF, 0xFE] + bytes)?.reason == .malformed)
            #expect(Self.refusal(bytes)?.reason == .malformed)
        }
    }

    @Test("A repeated key is refused, because JSON readers differ about which one counts")
    func duplicates() {
        #expect(
            Self.refusal(Self.payload(more: ", \"id\": \"b\""))?.message == "the key \"id\" appears twice in one object"
        )
        for key in ["confirm", "c\\u006Fnfirm"] {
            #expect(
                Self.refusal(Self.payload("clear_codes", #"{"confirm": ["P0301"], "\#(key)": "all"}"#))?.message
                    == "the key \"confirm\" appears twice in one object"
            )
        }
        #expect(Self.refusal(Self.payload("describe", #"{}"#)) == nil)
    }

    @Test("Fifty thousand mutated commands never trap, and each decoded one keeps every rule", arguments: 0..<5)
    func mutations(seed: UInt64) {
        let valid = [
            Self.payload(), Self.payload("clear_codes", #"{"confirm": ["P0301", "P0420"]}"#),
            Self.payload("clear_codes", #"{"confirm": "all"}"#, more: #", "vehicle": "van""#),
            Self.payload("read_parameters", #"{"parameters": ["engine_speed", "0D"]}"#),
            Self.payload("select_parameters", #"{"parameters": {"engine_speed": 0.5, "0D": 1e1}, "duration": 60}"#),
            Self.payload("raw_request", #"{"requests": ["010C", "22F190"], "ecu": "7E0", "hold": 10}"#),
            Self.payload("record_finding", #"{"text": "a b", "codes": ["P0301"], "severity": "urgent"}"#),
        ]
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "-1", "1e9", "0.05", "\"all\"", "\"id\"", "\u{0}",
            "é", "\\u0000", "\\ud800", "9223372036854775808", "\"0C\": 1", "\"P0301\"", "2026", "Z", "+02:00",
        ].map { Array($0.utf8) }
        var numbers = SeededNumbers(seed)
        var read = 0
        for _ in 0..<10_000 {
            var bytes = valid.randomElement(using: &numbers) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &numbers)
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes[index] = UInt8.random(in: 0x30...0x7A, using: &numbers)
                case 2: bytes.remove(at: index)
                case 3: bytes.insert(contentsOf: tokens.randomElement(using: &numbers) ?? [], at: index)
                default:
                    let end = min(bytes.count, index + Int.random(in: 1...12, using: &numbers))
                    bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: bytes.indices, using: &numbers))
                }
            }
            do throws(Refusal) {
                let command = try CommandDecoder.decode(bytes)
                read += 1
                #expect(Self.isSound(command), "\(String(decoding: bytes, as: UTF8.self))")
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
        #expect((50...9000).contains(read), "\(read)")
    }

    private static func isSound(_ command: Command) -> Bool {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_-".utf8)
        guard 1...64 ~= command.id.utf8.count, command.id.utf8.allSatisfy(letters.contains),
            command.issuedAt < command.expiresAt
        else { return false }
        switch command.action {
        case .describe, .readCodes, .readMonitors, .readVehicle, .capture, .resend, .clearCodes(.all, _, _, _):
            return true
        case .runTest(let control): return !PID(rawValue: control.test).isBitmap && control.data.count == 5
        case .clearCodes(.codes(let codes), _, _, _): return !codes.isEmpty
        case .recordFinding(let text, _, let codes):
            return 1...4000 ~= text.unicodeScalars.count && codes.count == Set(codes).count
                && text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A }
        case .detectParameters(let make, let year):
            return make.map { 1...64 ~= $0.unicodeScalars.count } ?? true && year.map { 1980...2099 ~= $0 } ?? true
        case .wake(let duration): return .seconds(1)...(.seconds(900)) ~= duration
        case .boost(let pids, let time): return 1...256 ~= pids.count && .seconds(1)...(.seconds(600)) ~= time
        case .readParameters(let pids): return 1...256 ~= pids.count && pids.count == Set(pids).count
        case .rawRequest(let order):
            return 1...32 ~= order.requests.count && order.requests.allSatisfy { 1...7 ~= $0.payload.count }
                && .zero...(.seconds(300)) ~= order.hold
        case .selectParameters(let wish):
            return wish.rates.values.allSatisfy { .milliseconds(50)...(.seconds(86_400)) ~= $0.interval }
                && wish.duration.map { .seconds(1)...(.seconds(86_400)) ~= $0 } ?? true
        }
    }
}
