// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@Suite("Arguments are checked before a command is sent")
struct ArgumentTests {
    private static func problem(_ body: () throws -> some Any) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A wrong rate is told with its value and the next step",
        arguments: [
            ("engine_speed", #""engine_speed" has no number. Try: engine_speed=1, the seconds between two readings"#),
            ("engine_speed=0", "the interval of engine_speed must be 0.05s to 1d, not 0s"),
            ("engine_speed=90000", "the interval of engine_speed must be 0.05s to 1d, not 25h"),
            ("category:engin=1", #""engin" is no category. Try: category:engine"#),
            ("Engine Speed=1", #""Engine Speed" can be no parameter's name. Try: engine_speed"#),
        ]
    )
    func rates(word: String, problem: String) {
        #expect(Self.problem { try SelectionCommand.arguments(changes: [word]) } == problem)
    }

    @Test("One parameter has one rate, whatever name it has")
    func duplicates() {
        let twice = Self.problem { try SelectionCommand.arguments(changes: ["engine_speed=1", "010C=2"]) }
        #expect(twice == "engine_speed and 010C are the same parameter. Try: one of both")
        #expect(Self.problem { try SelectionCommand.arguments(changes: ["engine_speed=1", "010C=1"]) } == nil)
        #expect(Self.problem { try SelectionCommand.arguments(changes: ["a=1"], duration: 90_000) } != nil)
    }

    @Test("Names stand between commas and blanks, each once")
    func names() throws {
        #expect(try ParameterWords.names(["a,b", "c", "a"], of: "x") == ["a", "b", "c"])
        #expect(try ParameterWords.names([], of: "x").isEmpty)
        for words in [[","], ["a=1"], ["a b"], ["category:fuel"], (0...256).map { "a\($0)" }] {
            #expect(Self.problem { try ParameterWords.names(words, of: "x") } != nil)
        }
        #expect(try ParameterWords.names(["category:fuel"], of: "x", withCategories: true) == ["category:fuel"])
    }

    @Test("A name that looks misspelled is known if the vehicle reports it")
    func corrections() {
        let names = ["rpm", "soc", "engine_speed", "flux", "speed"]
        let report: JSON = ["selected": ["soc": 10], "roles": ["x": ["speed"]]]
        let found = ParameterWords.corrections(names, knowing: report)
        #expect(found.map(\.name) == ["rpm"] && found.first?.correction == "engine_speed")
        #expect(ParameterWords.corrections(names, knowing: .null).map(\.name) == ["rpm", "soc", "speed"])
    }

    @Test(
        "A raw request that every agent refuses is not sent",
        arguments: [
            (["zz"], nil, nil), (["1101"], nil, nil), (["0102030405060708"], nil, nil), ([""], nil, nil),
            (["0902"], "7", nil), (["0902"], "7EX", nil), (["0902"], nil, 301),
            (Array(repeating: "0902", count: 33), nil, nil),
        ] as [([String], String?, Double?)]
    )
    func raw(requests: [String], ecu: String?, hold: Double?) {
        #expect(Self.problem { try RawWords.check(requests, ecu: ecu, hold: hold) } != nil)
    }

    @Test("A right raw request is sent")
    func rightRaw() {
        #expect(Self.problem { try RawWords.check(["0902", "22f190"], ecu: "7e0", hold: 300) } == nil)
    }

    @Test(
        "An error of the agent names the option, and not the place in the JSON",
        arguments: [
            ("boost", "$.arguments.duration: expected a number", "--for: expected a number"),
            ("select_parameters", "$.arguments.set.rpm: expected a number", "--set rpm: expected a number"),
            ("select_parameters", #"$.arguments.parameters: "rpm" is no parameter"#, #""rpm" is no parameter"#),
            ("select_parameters", "$.arguments.parameters.rpm: expected one", "rpm: expected one"),
            ("raw_request", "$.arguments.requests[0]: expected 1", "the request: expected 1"),
            ("capture", "$.arguments.rule.when: no value", "--when: no value"),
            ("describe", "$.arguments.x: unknown key", "$.arguments.x: unknown key"),
            ("boost", "the vehicle is parked", "the vehicle is parked"),
        ]
    )
    func options(command: String, message: String, words: String) {
        #expect(OptionWords.message(message, of: command) == words)
    }
}
