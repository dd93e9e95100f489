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
        let command = try CommandDecoder.decode(Array(text.utf8), custom: ["charge"])
        guard case .selectParameters(let wish) = command.action else {
            throw Refusal(reason: .malformed, message: "another command")
        }
        return wish
    }

    private static func refusal(_ arguments: String, _ present: PresentSelection = Self.present) -> Refusal? {
        do { _ = try Self.wish(arguments).resolved(from: present) } catch { return error as? Refusal }
        return nil
    }

    /// Engine speed, load and the sensor's two values are polled; for a while vehicle speed is instead.
    private static let present = PresentSelection(
        version: 4,
        polled: PolledParameters([0x0D: .seconds(1)], deadBands: ["vehicle_speed": 2]),
        lasting: PolledParameters([0x0C: .seconds(1), 0x04: .seconds(2)], deadBands: ["engine_speed": 50]),
        pollable: [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x14, 0x2F]
    )

    @Test("A new selection replaces the one before, with names and PIDs alike")
    func whole() throws {
        let wish = try Self.wish(#"{"parameters": {"010C": {"interval": 0.5, "dead_band": 20}, "fuel_level": 60}}"#)
        #expect(
            try wish.resolved(from: Self.present)
                == PolledParameters([0x0C: .milliseconds(500), 0x2F: .seconds(60)], deadBands: ["engine_speed": 20])
        )
    }

    @Test("A change keeps the other parameters with their dead bands")
    func change() throws {
        let wish = try Self.wish(#"{"set": {"coolant_temperature": 10}, "remove": ["0104", "fuel_level"]}"#)
        #expect(
            try wish.resolved(from: Self.present)
                == PolledParameters([0x0C: .seconds(1), 0x05: .seconds(10)], deadBands: ["engine_speed": 50])
        )
        let temporary = try Self.wish(#"{"set": {"coolant_temperature": 10}, "duration": 60}"#)
        #expect(
            try temporary.resolved(from: Self.present)
                == PolledParameters([0x0D: .seconds(1), 0x05: .seconds(10)], deadBands: ["vehicle_speed": 2])
        )
        let plain = try Self.wish(#"{"set": {"engine_speed": 1}}"#)
        #expect(try plain.resolved(from: Self.present).deadBands.isEmpty)
        let gone = try Self.wish(#"{"remove": ["engine_speed"]}"#)
        #expect(try gone.resolved(from: Self.present) == PolledParameters([0x04: .seconds(2)]))
    }

    @Test("A category selects its supported parameters, and the rate of a named parameter overrides it")
    func category() throws {
        let wish = try Self.wish(#"{"parameters": {"category:engine": 2, "engine_speed": 0.5, "category:fuel": 60}}"#)
        #expect(
            try wish.resolved(from: Self.present).intervals == [
                0x04: .seconds(2), 0x0C: .milliseconds(500), 0x2F: .seconds(60),
            ]
        )
        let temperatures = try Self.wish(#"{"parameters": {"category:temperatures": 30}}"#)
        #expect(try temperatures.resolved(from: Self.present).intervals == [0x05: .seconds(30), 0x0F: .seconds(30)])
        let only = try Self.wish(#"{"set": {"engine_speed": 3}, "remove": ["category:engine"]}"#)
        #expect(try only.resolved(from: Self.present).intervals == [0x0C: .seconds(3)])
    }

    @Test("Each of several values has a dead band of its own; all are read together")
    func values() throws {
        let wish = try Self.wish(#"{"parameters": {"o2_sensor_b1s1_voltage": {"interval": 1, "dead_band": 0.1}}}"#)
        #expect(
            try wish.resolved(from: Self.present)
                == PolledParameters([0x14: .seconds(1)], deadBands: ["o2_sensor_b1s1_voltage": 0.1])
        )
        let all = try Self.wish(#"{"parameters": {"0114": {"interval": 1, "dead_band": 0.1}}}"#)
        #expect(try all.resolved(from: Self.present).deadBands.count == Parameter.withPID(0x14)?.fields.count)
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

        var nobody = Self.present
        nobody.pollable = nil
        #expect(Self.refusal(#"{"set": {"engine_speed": 1}}"#, nobody) == nil)
        for arguments in [#"{"set": {"engine_speed": 1}, "strict": true}"#, #"{"set": {"category:fuel": 1}}"#] {
            #expect(Self.refusal(arguments, nobody)?.reason == .notConnected)
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
