// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import SignalSets

@Suite("The import of whole signal sets")
struct SignalImportTests {
    private static let number = #""fmt": {"len": 8, "max": 255, "unit": "scalar"}"#

    /// Returns a request with signals, each of which has one byte.
    private static func command(_ data: String, _ identifiers: [String], _ keys: String = "") -> String {
        let signals = identifiers.map { #"{"id": "\#($0)", \#(Self.number)}"# }.joined(separator: ",")
        return #"{"hdr": "7E0", \#(keys)"cmd": {"22": "\#(data)"}, "freq": 1, "signals": [\#(signals)]}"#
    }

    private static func set(
        _ commands: [String],
        _ members: String = "",
        year: Int? = nil
    ) throws -> SignalSetImport {
        let text = #"{"commands": [\#(commands.joined(separator: ","))]\#(members)}"#
        return try SignalSetImport(Array(text.utf8), year: year)
    }

    @Test("An identifier that begins with a digit gets a prefix, and one that is too long is cut")
    func names() throws {
        let long = String(repeating: "A", count: 70)
        let set = try Self.set([Self.command("0001", ["3SERIES_SOC", "4x4", long, long + "B"])])
        let cut = String(repeating: "a", count: 62)
        #expect(set.imported.map(\.name) == ["s_3series_soc", "s_4x4", cut + "aa", cut + "_2"])
        #expect(set.imported.first?.identifier == "3SERIES_SOC")
        #expect(try SignalSetTests.parameters(of: set).count == 4)
    }

    @Test("A signal of several requests becomes a parameter for each, and takes no other signal's name")
    func alternatives() throws {
        let set = try Self.set([
            Self.command("0001", ["SOC"]), Self.command("0002", ["SOC", "SOC_2"]), Self.command("0003", ["SOC"]),
        ])
        #expect(set.imported.map(\.name) == ["soc", "soc_3", "soc_2", "soc_4"] && set.skipped.isEmpty)
        let requests = try SignalSetTests.parameters(of: set).mapValues(\.request?.payload)
        #expect(
            requests["soc"] == [0x22, 0, 1] && requests["soc_3"] == [0x22, 0, 2] && requests["soc_4"] == [0x22, 0, 3]
        )
    }

    @Test("A signal that is repeated with all of its properties is skipped")
    func repeated() throws {
        let set = try Self.set([Self.command("0001", ["SOC"]), Self.command("0001", ["SOC"])])
        #expect(set.imported.map(\.name) == ["soc"] && set.skipped.map(\.cause) == [.repeated])
    }

    @Test("Skipped signals are counted by reason")
    func counts() throws {
        let set = try Self.set(
            [
                Self.command("0001", ["A", "B"], #""din": "03", "#), Self.command("0002", ["C"], #""din": "01", "#),
                Self.command("0003", ["D"], #""filter": {"from": 2020}, "#), Self.command("0004", ["vehicle_speed"]),
            ],
            year: 2019
        )
        #expect(set.imported.map(\.name) == ["c"])
        #expect(set.skipped.counts.map(\.count) == [2, 1, 1])
        #expect(Set(set.skipped.counts.map(\.cause)) == [.session, .modelYear, .catalogue])
        #expect(Set(SignalRefusal.Cause.allCases.map(\.text)).count == SignalRefusal.Cause.allCases.count)
    }

    @Test(
        "A filter by years has a range, single years, or excludes the years between",
        arguments: [
            (#"{"from": 2015, "to": 2015}"#, [2015]), (#"{"from": 2015, "to": 2016}"#, [2015, 2016]),
            (#"{"from": 2016, "to": 2014}"#, [2014, 2016]), (#"{"to": 2015}"#, [2014, 2015]),
            (#"{"from": 2016, "years": [2014]}"#, [2014, 2016]),
        ]
    )
    func years(filter: String, years: [Int]) throws {
        let command = Self.command("0001", ["A"], #""filter": \#(filter), "#)
        let imported = try (2014...2016).filter { try !Self.set([command], year: $0).imported.isEmpty }
        #expect(imported == years)
    }

    @Test("A set without requests has a note that names the set of the make")
    func empty() throws {
        let set = try Self.set([])
        #expect(set.imported.isEmpty && set.notes.count == 1 && set.notes[0].contains("set of its make"))
    }

    @Test("The head of the set has its origin, its license, the model year and a remark")
    func head() throws {
        let set = try Self.set([Self.command("0001", ["A"])], year: 2021)
        let text = set.toml(source: "x", repository: "Van-City", remark: "A\nremark.", isSelected: false)
        let head = try #require(text.split(separator: "\n\n", maxSplits: 1).first) + "\n"
        #expect(head.contains("https://github.com/OBDb/Van-City\n") && head.contains("CC BY-SA 4.0"))
        #expect(head.contains("made from x for model year 2021\n") && head.contains("# A remark.\n"))
        #expect(head.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        #expect(set.toml(source: "x", isSelected: false).contains("https://github.com/OBDb\n"))
    }

    @Test("Path and group of a signal stand above its table")
    func groups() throws {
        let group = #", "signalGroups": [{"id": "G", "name": "Cell voltage", "matchingRegex": "CELL_(B\\d+)_V"}]"#
        let signals = ["CELL_B12_V", "CELL_B_V", "CELL_B1_VX"].map {
            #"{"id": "\#($0)", "path": "P", \#(Self.number)}"#
        }
        let command =
            #"{"hdr": "7E0", "cmd": {"22": "0001"}, "freq": 1, "signals": [\#(signals.joined(separator: ","))]}"#
        let text = try Self.set([command], group).toml(source: "x", isSelected: false)
        #expect(text.contains("\n# P, Cell voltage\n[custom.cell_b12_v]\n"))
        #expect(text.contains("\n# P\n[custom.cell_b_v]\n") && text.contains("\n# P\n[custom.cell_b1_vx]\n"))
    }

    @Test("A pattern of a group that might take long to match is not used")
    func pattern() throws {
        let group = #", "signalGroups": [{"id": "G", "matchingRegex": "(A*)*B"}]"#
        let set = try Self.set([Self.command("0001", ["AB"])], group)
        #expect(set.notes == ["the group G was ignored: its pattern has an unknown form"])
        #expect(!set.toml(source: "x", isSelected: false).contains(", G"))
    }

    /// Returns the value of the greatest and of the least byte.
    private static func fullScale(_ format: String) throws -> (DecodedValue?, DecodedValue?) {
        let signal = #"{"id": "X", "fmt": {"len": 8, "unit": "scalar", \#(format)}}"#
        let command = #"{"hdr": "7E0", "cmd": {"22": "0001"}, "freq": 1, "signals": [\#(signal)]}"#
        let parameter = try #require(try SignalSetTests.parameters(of: try Self.set([command]))["x"])
        return (parameter.decode([0x62, 0, 1, 0xFF])?.value, parameter.decode([0x62, 0, 1, 0])?.value)
    }

    @Test("The full scale is a value, though the limit is rounded")
    func rounding() throws {
        #expect(try Self.fullScale(#""mul": 0.784, "add": -100, "min": -100, "max": 99.92"#).0 != nil)
        #expect(try Self.fullScale(#""mul": 0.78125, "add": -100, "min": -100, "max": 99.2"#).0 == .number(99.21875))
        #expect(try Self.fullScale(#""add": -128.25, "min": -128, "max": 200"#).1 == .number(-128.25))
        #expect(try Self.fullScale(#""mul": 0.78125, "add": -100, "min": -100, "max": 98"#).0 == nil)
        #expect(try Self.fullScale(#""mul": 0.5, "max": 127.4, "nullmax": 127.5"#).0 == nil)
    }
}
