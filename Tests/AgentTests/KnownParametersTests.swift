// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import OBD2
import TestSupport
import Testing

@testable import Agent

@Suite("The custom parameters that are known")
struct KnownParametersTests {
    private static func known(_ rest: String = "") throws -> KnownParameters {
        let text = """
            [adapter]
            address = "ble"
            [mqtt]
            url = "mqtts://broker.example"
            \(rest)
            [custom.charge]
            request = "220101"
            formula = "A"
            """
        return KnownParameters(try Configuration(toml: Array(text.utf8), file: "agent.toml"))
    }

    private static func set() throws -> KnownParameters.SignalSet {
        let field = Field(custom: "own", try Formula("A"), symbol: "%", role: .stateOfCharge)
        return KnownParameters.SignalSet(
            detected: DetectedSet(set: "Make Model", share: 1, makes: ["Make"], catalog: "c"),
            parameters: [CustomParameter(request: try CustomRequest(payload: [0x22, 1, 2]), field: field)],
            intervals: [.custom("own"): .seconds(5)]
        )
    }

    @Test("Those of a set are known of its vehicle only, and of no other one whose topics follow")
    func vehicle() throws {
        let known = try Self.known()
        known.turn(to: "one", ["mark"], try Self.set())
        #expect(known.names == ["charge", "own"] && known.report?.name == "Make Model")
        #expect(known.own(of: ["other", "mark"]).map(\.name) == ["own"])
        #expect(known.own(of: ["other"]).isEmpty && known.own(of: []).isEmpty)
        #expect(known.known(of: "one").intervals == [.custom("own"): .seconds(5)])
        #expect(known.known(of: "two") == (["charge"], [:]))
        #expect(known.replace(nil, of: "two") == false && known.names.contains("own"))
        known.turn(to: "two", ["other"], nil)
        #expect(known.names == ["charge"] && known.report == nil)
        #expect(known.own(of: ["mark", "other"]).isEmpty)
    }

    @Test("A vehicle whose mark was unknown gets its set once it is identified")
    func identified() throws {
        let known = try Self.known()
        known.turn(to: "one", [], try Self.set())
        #expect(known.own(of: ["mark"]).isEmpty)
        #expect(known.identify(["mark"]) && !known.identify(["mark"]))
        #expect(known.own(of: ["mark"]).count == 1)
    }

    @Test("Those with a role of a charge are read during one, unless the configuration names others")
    func charging() throws {
        let detecting = "[parameters]\nsets = \"detect\"\ncatalog = \"/a\"\n"
        let known = try Self.known(detecting)
        let usual = known.charging
        known.turn(to: "one", ["mark"], try Self.set())
        #expect(known.charging == usual + [.custom("own")])
        let named = try Self.known(detecting + "[parking]\ncharging = [\"charge\"]")
        named.turn(to: "one", ["mark"], try Self.set())
        #expect(named.charging == [.custom("charge")])
    }

    @Test("What is remembered of a detection is read back, and damaged text is nothing")
    func stored() {
        let found = DetectedSet(
            set: "Make Model",
            year: 2024,
            share: 0.92,
            time: Timestamp(milliseconds: 1_790_000_000_000),
            makes: ["Make", "Other"],
            catalog: "0123456789ab"
        )
        #expect(DetectedSet(stored: found.stored) == found)
        let none = DetectedSet(share: 0, makes: [], catalog: "")
        #expect(DetectedSet(stored: none.stored) == none)
        for text in ["", "{}", "[]", #"{"set":"A","share":"1","catalog":""}"#, #"{"set":"A","share":1}"#] {
            #expect(DetectedSet(stored: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("A set brings its parameters with their intervals; models without one have that of the make")
    func catalog() throws {
        let directory = try TemporaryDirectory()
        func signals(_ id: String, _ header: String) -> String {
            """
            {"hdr": "\(header)", "cmd": {"22": "B001"}, "freq": 5, "signals": [\
            {"id": "\(id)", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]}
            """
        }
        try directory.write("{\"commands\": [\(signals("A", "7E4"))]}", to: "Kia-One.json")
        try directory.write("{\"commands\": []}", to: "Kia-Two.json")
        try directory.write("{\"commands\": [\(signals("B", "7E4"))]}", to: "Kia.json")
        let local = LocalCatalog(paths: [directory.path])
        let found = try #require(local.parameters(ofSet: "Kia One", year: nil))
        #expect(found.map(\.parameter.name) == ["a"] && found.map(\.interval) == [.seconds(5)])
        #expect(local.parameters(ofSet: "Kia Three", year: nil)?.isEmpty == nil)
        let candidates = local.search(makes: ["Kia"], year: nil).candidates
        #expect(candidates.map(\.set) == ["Kia One", "Kia"])
        let mark = local.mark(of: ["Kia"])
        #expect(LocalCatalog(paths: [directory.path]).mark(of: ["Kia"]) == mark)
        try directory.write("{\"commands\": []}", to: "Kia-Four.json")
        #expect(LocalCatalog(paths: [directory.path]).mark(of: ["Kia"]) != mark)
        #expect(LocalCatalog(paths: [directory.path]).mark(of: ["Audi"]) != mark)
    }
}
