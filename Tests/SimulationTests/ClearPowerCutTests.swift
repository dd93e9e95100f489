// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Simulator
import Testing

@Suite("The power is cut while codes are cleared", .serialized)
struct ClearPowerCutTests {
    private static let id = "clear-1"

    /// The outcome of one command to clear the codes.
    private struct Outcome: Sendable {
        /// The step at which the power was cut; nil if it was not cut.
        var cut: Fuse.Step?
        /// The numbers of clears that the vehicle has confirmed, before the command was repeated and in total.
        var clears: Int
        var clearsAfter: Int
        /// The final responses to the command, and those to its repetition.
        var answers: [JSON]
        var answersAgain: [JSON]
        /// Whether there was any response before the command was repeated.
        var wasTold: Bool
        /// The events with the data that the clear erases.
        var snapshots: [JSON]
        /// The codes that the vehicle has at the end.
        var codes: [DTC]
        var mistakes: [String]
    }

    @Test("At every step: at most one clear, what it erased is kept, and the answer is true and stays what it was")
    func everyStep() async throws {
        var cuts: [Fuse.Step: Int] = [:]
        var kinds: [String: Int] = [:]
        for number in 1... {
            let outcome = try await Self.clear(cuttingAt: number)
            let (kind, complaints) = Self.judge(outcome)
            // The test ends at the first failure, because the next steps would fail for the same reason.
            try #require(complaints.isEmpty, "step \(number): \(complaints) \(outcome)")
            kinds[kind, default: 0] += 1
            guard let cut = outcome.cut else { break }
            cuts[cut, default: 0] += 1
        }
        // Every kind of step and every kind of outcome has occurred.
        #expect(cuts.count == 5, "\(cuts)")
        #expect(Set(kinds.keys) == ["unknown", "interrupted before", "interrupted after", "answered"], "\(kinds)")
        #expect(cuts.values.reduce(0, +) > 100, "\(cuts)")
    }

    /// Judges an outcome: returns its kind, and the complaints about it.
    private static func judge(_ outcome: Outcome) -> (kind: String, complaints: [String]) {
        var complaints = outcome.mistakes
        func expect(_ isSo: Bool, _ complaint: String) {
            if !isSo { complaints.append(complaint) }
        }
        expect(outcome.clearsAfter <= 1, "cleared twice")
        if outcome.clearsAfter > 0 {
            // The record has the data that the vehicle has lost.
            expect(outcome.snapshots.contains { $0["command_id"] == .string(Self.id) }, "erased, and not kept")
            expect(outcome.snapshots.allSatisfy { $0["codes"]["codes"].elements.count == 1 }, "kept without the code")
        }
        guard outcome.wasTold else {
            expect(outcome.clears == 0, "cleared, and nobody was told")
            expect(outcome.answersAgain.map { $0["state"] } == ["succeeded"], "not obeyed when it came again")
            return ("unknown", complaints)
        }
        guard let answer = outcome.answers.first, let again = outcome.answersAgain.first, outcome.answers.count == 1,
            outcome.answersAgain.count == 1
        else { return ("answered", complaints + ["not one answer, or not one when it came again"]) }
        expect(outcome.clearsAfter == outcome.clears, "obeyed again")
        expect(answer["repeat"] == false && again["repeat"] == true, "repeat")
        expect(
            ["state", "reason", "message", "result"].allSatisfy { again[$0] == answer[$0] },
            "another answer when it came again"
        )
        expect(outcome.codes.isEmpty == (outcome.clears == 1), "the codes are not what the vehicle's own record says")
        if answer["state"] == "succeeded" {
            expect(outcome.clears == 1, "said to be cleared")
            return ("answered", complaints)
        }
        expect(answer["state"] == "failed" && answer["reason"] == "interrupted", "neither done nor interrupted")
        return (outcome.clears == 0 ? "interrupted before" : "interrupted after", complaints)
    }

    /// Clears the codes of a standing vehicle, and cuts the power at a step that is counted from the command.
    private static func clear(cuttingAt number: Int) async throws -> Outcome {
        var settings = World.Settings()
        settings.vehicle.codes = [try #require(DTC("P0301"))]
        (settings.vehicle.trip, settings.vehicle.pause) = (.seconds(1), .seconds(36_000))
        settings.commands = ["clear_codes"]
        let (verdict, outcome) = try await World.run(settings) { world in
            try await world.start()
            await world.run(for: .seconds(60))
            let command = try world.command(Self.id, "clear_codes", "{\"confirm\": \"all\"}")
            world.cutPower(atStep: number)
            world.broker.send(command)
            await world.run(for: .seconds(60))
            world.fuse.remove()
            let cut = world.fuse.blownAt
            if cut != nil {
                await world.powerReturns(after: .seconds(30))
                try await world.start()
                await world.run(for: .seconds(90))
            }
            let told = world.ledger.records("responses").filter { $0["id"] == .string(Self.id) }
            let clears = world.ledger.clears
            world.broker.send(command)
            await world.run(for: .seconds(60))
            let all = world.ledger.records("responses").filter { $0["id"] == .string(Self.id) }
            return Outcome(
                cut: cut,
                clears: clears,
                clearsAfter: world.ledger.clears,
                answers: told.filter { !["accepted", "running"].contains($0["state"]) },
                answersAgain: all.dropFirst(told.count).filter { !["accepted", "running"].contains($0["state"]) },
                wasTold: !told.isEmpty,
                snapshots: world.ledger.records("events").filter { $0["event"] == "before_clear" },
                codes: world.codes,
                mistakes: []
            )
        }
        var whole = outcome
        whole.mistakes = verdict.mistakes
        return whole
    }
}

extension JSON {
    /// The member; null if there is none.
    subscript(key: String) -> JSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}
