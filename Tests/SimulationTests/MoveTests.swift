// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import JOSE
import OBD2
import Simulator
import TestSupport
import Testing

/// Tests with moves of at least a second, the shortest time in which a user can replug an adapter.
///
/// `OBD_AGENT_MOVES=100000` tries more; `PROPERTY_SEED=…` repeats a run.
@Suite("An adapter that moves between two vehicles", .serialized, .timeLimit(.minutes(60)))
struct MoveTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let moves = Self.environment["OBD_AGENT_MOVES"].flatMap { Int($0) } ?? 500
    private static let seed = Self.environment["PROPERTY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
    /// The number of moves of one agent.
    private static let movesOfOne = 100

    /// The counts of a run.
    private struct Outcome: Sendable, CustomStringConvertible {
        var moves = 0
        var commands = 0
        /// The number of writing requests that reached the vehicle of their command; `wrong` has the others.
        var right = 0
        var wrong: [String] = []
        /// The numbers of final responses, by state and reason.
        var answers: [String: Int] = [:]
        /// The values and codes that were published under the wrong vehicle.
        var mistakes: [String] = []
        var identified = 0

        mutating func add(_ other: Outcome) {
            self.moves += other.moves
            self.commands += other.commands
            self.right += other.right
            self.wrong += other.wrong
            self.answers.merge(other.answers, uniquingKeysWith: +)
            self.mistakes += other.mistakes
            self.identified += other.identified
        }

        var description: String {
            let answers = self.answers.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            return """
                \(self.moves) moves, \(self.commands) commands (\(answers.joined(separator: ", "))), \(self.identified) \
                identifications, \(self.right) writes to the right vehicle, \(self.wrong.count) to the wrong one, \
                \(self.mistakes.count) values under the wrong one
                """
        }
    }

    /// The commands of one world, each with a mark that identifies its vehicle.
    private struct Commands {
        let key: JSONWebKey
        /// The number of the only vehicle that gets clears, since a clear has no mark.
        let cleared: Int
        var number = 0

        /// Returns the number of the vehicle for which a writing request is, from its mark.
        static func target(of write: [UInt8], cleared: Int) -> Int? {
            switch write.first {
            case 0x04: cleared
            case 0x08: write.count > 2 ? Int(write[2]) : nil
            default: write.count > 3 ? Int(write[3]) : nil
            }
        }

        mutating func next(
            for vehicle: Int,
            waking: Bool,
            at now: Timestamp,
            _ numbers: inout SeededNumbers
        ) throws -> Message {
            let mark = "0\(vehicle)"
            // Until the agent notices that no ECU answers the first request, a move can be over.
            let requests: JSON = ["1902FF", "1902FF", .string("2EF190\(mark)"), "1902FF", .string("2EF191\(mark)")]
            let raw: JSON = ["requests": requests, "ecu": "7E0"]
            let single: JSON = ["requests": [.string("31010A\(mark)")], "ecu": "7E0"]
            var orders: [(String, JSON)] = [
                ("raw_request", raw), ("raw_request", raw), ("raw_request", single),
                ("run_test", ["test": "01", "data": .string(mark)]),
                ("read_codes", [:]), ("read_parameters", ["parameters": ["engine_speed", "coolant_temperature"]]),
                ("read_vehicle", [:]),
            ]
            if vehicle == self.cleared {
                let clear: JSON = ["confirm": "all", "accept_incomplete": true, "wake": .bool(waking)]
                let clears = [(String, JSON)](repeating: ("clear_codes", clear), count: waking ? 1 : 4)
                orders = waking ? clears : orders + clears
            }
            let (name, arguments) = orders.randomElement(using: &numbers) ?? orders[0]
            self.number += 1
            let seconds = now.milliseconds / 1000
            let claims: JSON = [
                "iss": .string(self.key.keyID ?? ""), "aud": [.string(Garage.vins[vehicle])],
                "jti": .string("c-\(self.number)"), "iat": .integer(seconds),
                "exp": .integer(seconds + Int64.random(in: 5...90, using: &numbers)), "command": .string(name),
                "arguments": arguments,
            ]
            let text = try CompactJWS.sign(Array(claims.text.utf8), with: self.key)
            let topic = try Topic("obd/\(Garage.vins[vehicle])/commands")
            return Message(topic: topic, payload: Array(text.utf8), qos: .atLeastOnce)
        }
    }

    private static func settings(_ key: JSONWebKey, parks: Bool) throws -> World.Settings {
        var settings = World.Settings()
        settings.interval = 0.5
        settings.key = key
        settings.commands = [
            "read_codes", "read_parameters", "read_vehicle", "clear_codes", "run_test", "raw_request", "wake",
        ]
        let after = parks ? 30 : 86_400
        settings.parking = """
            after_seconds = \(after)
            look_seconds = 10
            probes_per_hour = 12
            probes_per_night = 60
            minimum_voltage = 0
            """
        settings.vehicle.codes = [try #require(DTC("P0301"))]
        settings.vehicle.supportsControl = true
        settings.vehicle.gatewayWakeTime = .seconds(120)
        // Each vehicle stands most of the time, with the ignition on.
        (settings.vehicle.trip, settings.vehicle.pause) = (.seconds(12), .seconds(25))
        return settings
    }

    /// Runs one agent through a number of moves at random steps of its dialogue.
    private static func run(_ seed: UInt64, _ moves: Int, parks: Bool) async throws -> Outcome {
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["engineer"]])
        let settings = try Self.settings(key, parks: parks)
        let cleared = Int(seed % 2)
        let (verdict, found) = try await World.run(settings) { world in
            var numbers = SeededNumbers(seed)
            var commands = Commands(key: key, cleared: cleared)
            let garage = Garage(world, settings.vehicle)
            try await world.start()
            await world.run(for: .seconds(30))
            for _ in 0..<moves {
                if parks { garage.change { $0.isParked = true } }
                // The vehicle is parked for a while, or still in use.
                await world.run(for: .seconds(parks ? Int.random(in: 1...120, using: &numbers) : 0))
                let now = Timestamp(milliseconds: WallClock.date(at: world.time.now))
                let isOther = Int.random(in: 0..<8, using: &numbers) == 0
                let target = parks ? cleared : isOther ? 1 - garage.present : garage.present
                let isBefore = parks && Bool.random(using: &numbers)
                let link = Garage.Link.allCases.randomElement(using: &numbers) ?? .lost
                // Short moves are harder to detect, so half of them are short.
                let longest = Bool.random(using: &numbers) ? 12_000 : 1500
                let duration = Duration.milliseconds(Int.random(in: 1000...longest, using: &numbers))
                if isBefore { await garage.move(link, taking: duration) }
                world.broker.send(try commands.next(for: target, waking: parks, at: now, &numbers))
                if !isBefore {
                    let last = [40, parks ? 400 : 200].randomElement(using: &numbers) ?? 40
                    let step = Int.random(in: 1...last, using: &numbers)
                    await garage.move(link, taking: duration, atStep: step)
                }
                // The time may be too short for the agent to identify the vehicle.
                let isLong = parks || Int.random(in: 0..<4, using: &numbers) > 0
                await world.run(for: .seconds(isLong ? 60 : Int.random(in: 1...20, using: &numbers)))
                if parks { garage.change { $0.isParked = false } }
            }
            await world.run(for: .seconds(100))
            return (writes: garage.writes, answers: world.ledger.records("responses"), commands: commands.number)
        }
        var outcome = Outcome(moves: moves, commands: found.commands)
        for (vehicle, writes) in found.writes.enumerated() {
            for write in writes {
                let isRight = Commands.target(of: write, cleared: cleared) == vehicle
                if isRight { outcome.right += 1 } else { outcome.wrong.append("seed \(seed): \(write) to \(vehicle)") }
            }
        }
        for answer in found.answers {
            guard case .string(let state) = answer["state"], !["accepted", "running"].contains(state) else { continue }
            var kind = state
            if case .string(let reason) = answer["reason"] { kind += " \(reason)" }
            outcome.answers[kind, default: 0] += 1
        }
        outcome.mistakes = verdict.mistakes.map { "seed \(seed): \($0)" }
        outcome.identified = verdict.events.count { $0 == "vehicle_identified" }
        return outcome
    }

    @Test("No request that writes reaches a vehicle that its command is not for, and each vehicle has its own values")
    func moves() async throws {
        print("PROPERTY_SEED=\(Self.seed)")
        var outcome = Outcome()
        for round in 0..<(Self.moves + Self.movesOfOne - 1) / Self.movesOfOne {
            // Every third agent has parked vehicles.
            let seed = Self.seed &+ UInt64(round)
            outcome.add(try await Self.run(seed, Self.movesOfOne, parks: round % 3 == 2))
            try #require(outcome.wrong.isEmpty && outcome.mistakes.isEmpty, "\(outcome.wrong) \(outcome.mistakes)")
        }
        print(outcome)
        // The agent performed commands, and refused some for the wrong vehicle. The bounds are half the usual shares.
        #expect(outcome.right > outcome.moves / 16, "\(outcome)")
        #expect(outcome.answers["refused wrong_vehicle", default: 0] > outcome.moves / 40, "\(outcome)")
        #expect(outcome.answers["succeeded", default: 0] > outcome.moves / 20, "\(outcome)")
        #expect(outcome.identified > outcome.moves / 6, "\(outcome)")
    }

    @Test("A move between two polls, over a link that survives it, is found within 75 seconds")
    func unseen() async throws {
        var settings = World.Settings()
        settings.interval = 10
        (settings.vehicle.trip, settings.vehicle.pause) = (.seconds(36_000), .seconds(60))
        let (verdict, topics) = try await World.run(settings) { [settings] world in
            let garage = Garage(world, settings.vehicle)
            try await world.start()
            await world.run(for: .seconds(600))
            for round in 1...10 {
                await world.run(for: .milliseconds(1700 * round))
                world.ledger.exempt(world.time.now...world.time.now + .seconds(90))
                await garage.move(.survives, taking: .seconds(1))
                await world.run(for: .seconds(90))
                let level = "obd/\(Garage.vins[garage.present])/availability"
                #expect(world.broker.retained(level) == "online", "round \(round)")
                await world.run(for: .seconds(90))
            }
            return world.broker.topics
        }
        #expect(verdict.lost.isEmpty, "\(verdict)")
        // Until it notices, the agent publishes each of five parameters seven times at most under the wrong vehicle.
        #expect(verdict.mistakes.count <= 10 * 5 * 8, "\(verdict)")
        #expect(verdict.events.count { $0 == "vehicle_changed" } == 10, "\(verdict)")
        #expect(Garage.vins.allSatisfy { vin in topics.contains { $0.hasPrefix("obd/\(vin)/") } })
    }
}
