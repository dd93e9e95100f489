// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

// The tests run one after another, because each occupies a core with its own thread.
@Suite("Two things go wrong", .serialized, .timeLimit(.minutes(10)))
struct PairTests {
    private struct Pair: Sendable, CustomTestStringConvertible {
        var first: Trouble
        var second: Trouble
        var testDescription: String { "\(self.first) and \(self.second)" }
    }

    private static let pairs = Trouble.allCases.indices.flatMap { index in
        Trouble.allCases[index...].map { Pair(first: Trouble.allCases[index], second: $0) }
    }

    @Test("Each pair, one within the other, loses nothing that was recorded, and says nothing wrong", arguments: pairs)
    private func pair(_ pair: Pair) async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(600))
            try await pair.first.begin(in: world)
            await world.run(for: .seconds(300))
            try await pair.second.begin(in: world)
            await world.run(for: .seconds(300))
            try await pair.first.end(in: world)
            await world.run(for: .seconds(300))
            try await pair.second.end(in: world)
            await world.run(for: .seconds(2100))
        }
        // The agent recovers by itself, so most values of the hour arrive whatever goes wrong.
        let failsDisk = [pair.first, pair.second].contains { [.diskFull, .diskReadOnly, .diskBroken].contains($0) }
        verdict.expectWhole(atLeast: 1500, mayComeShorter: failsDisk)
    }
}
