// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignalSets

@Suite("The model years of a signal set")
struct SignalYearsTests {
    private static func set(_ filters: [String], metrics: [String] = []) throws -> SignalSetImport {
        let commands = filters.enumerated().map { index, filter in
            let metric = index < metrics.count ? #""suggestedMetric": "\#(metrics[index])", "# : ""
            let signal = """
                {"id": "S\(index)", \(metric)"fmt": {"len": 8, "max": 100, "unit": "percent"}}
                """
            return #"{"hdr": "7E0", \#(filter)"cmd": {"22": "000\#(index)"}, "freq": 1, "signals": [\#(signal)]}"#
        }
        return try SignalSetImport(Array(#"{"commands": [\#(commands.joined(separator: ","))]}"#.utf8))
    }

    @Test(
        "The years of all requests are told as spans",
        arguments: [
            ([#""filter": {"from": 2015, "to": 2019}, "#], "2015 to 2019"),
            (
                [#""filter": {"from": 2021}, "#, #""filter": {"from": 2015, "to": 2019}, "#],
                "2015 to 2019, 2021 and later"
            ),
            ([#""filter": {"to": 2012}, "#, #""filter": {"years": [2014]}, "#], "up to 2012, 2014"),
            ([#""filter": {"from": 2015, "to": 2019}, "#, ""], "all"),
            ([#""filter": {"from": 2015, "to": 2019}, "din": "03", "#], ""),
        ]
    )
    func years(filters: [String], text: String) throws {
        #expect(SignalYears(of: try Self.set(filters)).description == text)
    }

    @Test("One signal for each role is proposed, by the order of the roles, or else the first one")
    func proposed() throws {
        let metrics = ["stateOfHealth", "none", "stateOfCharge", "stateOfCharge"]
        #expect(try Self.set(Array(repeating: "", count: 4), metrics: metrics).proposed.map(\.name) == ["s2", "s0"])
        #expect(try Self.set(["", ""]).proposed.map(\.name) == ["s0"])
    }
}
