// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2
import Testing

@testable import Commands

@Suite("Requests to select parameters")
struct SelectionRequestTests {
    /// The request of a `select_parameters` with these arguments.
    private static func wish(_ arguments: String) throws -> SelectionRequest {
        let text = """
            {"id": "s", "command": "select_parameters", "arguments": \(arguments),
             "issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z"}
            """
        let command = try CommandDecoder.decode(
            Array(text.utf8),
            known: KnownNames(custom: ["charge"], derived: ["economy"])
        )
        guard case .selectParameters(let wish) = command.action else {
            throw Refusal(reason: .malformed, message: "another command")
        }
        return wish
    }

    private static func refusal(_ arguments: String, pollable: Set<ParameterKey>? = Self.pollable) -> Refusal? {
        do { _ = try Self.wish(arguments).resolved(from: Self.present, pollable: pollable) } catch {
            return error as? Refusal
        }
        return nil
    }

    /// The selection that a request asks for, without its version and expiry.
    private static func selected(by request: SelectionRequest) throws -> Selection {
        var selection = try request.resolved(from: Self.present, pollable: Self.pollable)
        (selection.version, selection.expiry) = (1, nil)
        return selection
    }

    /// Engine speed, load and the sensor's two values are polled; for a while vehicle speed is instead.
    private static let present = SelectionState(
        Selection(version: 3, intervals: [0x0C: .seconds(1), 0x04: .seconds(2)], deadBands: ["engine_speed": 50]),
        temporary: Selection(version: 4, intervals: [0x0D: .seconds(1)], deadBands: ["vehicle_speed": 2])
    )
    private static let pollable: Set<ParameterKey> = [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x14, 0x2F]

    @Test("A new selection replaces the one before, with names and PIDs alike")
    func whole() throws {
        let wish = try Self.wish(#"{"parameters": {"010C": {"interval": 0.5, "dead_band": 20}, "fuel_level": 60}}"#)
        #expect(
            try Self.selected(by: wish)
                == Selection(
                    intervals: [0x0C: .milliseconds(500), 0x2F: .seconds(60)],
                    deadBands: ["engine_speed": 20]
                )
        )
    }

    @Test("A derived parameter is selected by its name")
    func derived() throws {
        let wish = try Self.wish(#"{"parameters": {"economy": 2, "charge": 5}}"#)
        #expect(
            try Self.selected(by: wish).intervals == [.derived("economy"): .seconds(2), .custom("charge"): .seconds(5)]
        )
    }

    @Test("A derived parameter is not read from an ECU")
    func readDerived() {
        let text = """
            {"id": "s", "command": "read_parameters", "arguments": {"parameters": ["engine_speed", "economy"]},
             "issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z"}
            """
        let refusal = #expect(throws: Refusal.self) {
            try CommandDecoder.decode(Array(text.utf8), known: KnownNames(derived: ["economy"]))
        }
        #expect(refusal?.reason == .badArguments)
        #expect(refusal?.message.contains("the agent computes economy, no ECU reports it. Try: select economy") == true)
    }

    @Test("512 parameters can be selected, and no more", arguments: [300, 512, 513])
    func many(count: Int) throws {
        let names = (0..<count).map { "value_\($0)" }
        // A signed command may be as long.
        let request = SelectionRequest(
            isWhole: true,
            rates: Dictionary(uniqueKeysWithValues: names.map { (.parameter(.custom($0)), .init(.seconds(5))) })
        )
        let selection = try? request.resolved(from: Self.present, pollable: Self.pollable)
        #expect(selection?.intervals.count == (count > 512 ? nil : count))
    }

    @Test("A change keeps the other parameters with their dead bands")
    func change() throws {
        let wish = try Self.wish(#"{"set": {"coolant_temperature": 10}, "remove": ["0104", "fuel_level"]}"#)
        #expect(
            try Self.selected(by: wish)
                == Selection(intervals: [0x0C: .seconds(1), 0x05: .seconds(10)], deadBands: ["engine_speed": 50])
        )
        let temporary = try Self.wish(#"{"set": {"coolant_temperature": 10}, "duration": 60}"#)
        #expect(
            try Self.selected(by: temporary)
                == Selection(intervals: [0x0D: .seconds(1), 0x05: .seconds(10)], deadBands: ["vehicle_speed": 2])
        )
        let plain = try Self.wish(#"{"set": {"engine_speed": 1}}"#)
        #expect(try Self.selected(by: plain).deadBands.isEmpty)
        let gone = try Self.wish(#"{"remove": ["engine_speed"]}"#)
        #expect(try Self.selected(by: gone) == Selection(intervals: [0x04: .seconds(2)]))
    }

    @Test("A category selects its supported parameters, and the rate of a named parameter overrides it")
    func category() throws {
        let wish = try Self.wish(#"{"parameters": {"category:engine": 2, "engine_speed": 0.5, "category:fuel": 60}}"#)
        #expect(
            try Self.selected(by: wish).intervals == [
                0x04: .seconds(2), 0x0C: .milliseconds(500), 0x2F: .seconds(60),
            ]
        )
        let temperatures = try Self.wish(#"{"parameters": {"category:temperatures": 30}}"#)
        #expect(try Self.selected(by: temperatures).intervals == [0x05: .seconds(30), 0x0F: .seconds(30)])
        let only = try Self.wish(#"{"set": {"engine_speed": 3}, "remove": ["category:engine"]}"#)
        #expect(try Self.selected(by: only).intervals == [0x0C: .seconds(3)])
    }

    @Test("Each of several values has a dead band of its own; all are read together")
    func values() throws {
        let wish = try Self.wish(#"{"parameters": {"o2_sensor_b1s1_voltage": {"interval": 1, "dead_band": 0.1}}}"#)
        #expect(
            try Self.selected(by: wish)
                == Selection(intervals: [0x14: .seconds(1)], deadBands: ["o2_sensor_b1s1_voltage": 0.1])
        )
        let all = try Self.wish(#"{"parameters": {"0114": {"interval": 1, "dead_band": 0.1}}}"#)
        #expect(try Self.selected(by: all).deadBands.count == Parameter.withPID(0x14)?.fields.count)
    }

    @Test("A request can be refused for an old version, or for unsupported parameters")
    func refusals() throws {
        #expect(Self.refusal(#"{"set": {"engine_speed": 1}, "expected_version": 4}"#) == nil)
        let conflict = Self.refusal(#"{"set": {"engine_speed": 1}, "expected_version": 3}"#)
        #expect(conflict?.reason == .versionConflict && conflict?.message.contains("version 4") == true)
        #expect(Self.refusal(#"{"set": {"ethanol_percentage": 1}}"#) == nil)
        let set = #""set": {"ethanol_percentage": 1, "charge": 5, "engine_speed": 1}"#
        let strict = Self.refusal("{\(set), \"strict\": true}")
        #expect(strict?.reason == .notSupported)
        #expect(
            strict?.message
                == "no ECU supports ethanol_percentage, charge. Try: without strict, which selects the rest."
        )

        #expect(Self.refusal(#"{"set": {"engine_speed": 1}}"#, pollable: nil) == nil)
        for arguments in [#"{"set": {"engine_speed": 1}, "strict": true}"#, #"{"set": {"category:fuel": 1}}"#] {
            #expect(Self.refusal(arguments, pollable: nil)?.reason == .notConnected)
        }
    }

    @Test(
        "Contradictory arguments are refused",
        arguments: [
            "{}", #"{"parameters": {}, "set": {}}"#, #"{"parameters": {}, "remove": []}"#,
            #"{"set": {"engine_speed": 1}, "remove": ["010C"]}"#, #"{"parameters": {"category:other": 1}}"#,
            #"{"parameters": {"category:": 1}}"#, #"{"parameters": {"engine": 1}}"#,
            #"{"set": {"engine_speed": {"dead_band": 1}}}"#,
            #"{"set": {"engine_speed": {"interval": 1, "dead_band": -1}}}"#,
            #"{"set": {"engine_speed": {"interval": 1, "deadband": 1}}}"#,
            #"{"set": {"engine_speed": 1, "010C": {"interval": 1, "dead_band": 1}}}"#,
            #"{"set": {}, "expected_version": 0}"#, #"{"set": {}, "expected_version": 1.5}"#,
            #"{"set": {}, "strict": 1}"#, #"{"remove": ["warp"]}"#, #"{"remove": "engine_speed"}"#,
        ]
    )
    func nonsense(arguments: String) {
        #expect(Self.refusal(arguments)?.reason == .badArguments)
    }
}
