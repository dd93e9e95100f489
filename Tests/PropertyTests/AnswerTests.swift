// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Properties
import Testing

@Suite("Whatever comes over the link")
struct AnswerTests {
    /// The seed of all random choices; `PROPERTY_SEED=…` repeats a run.
    private static let seed =
        ProcessInfo.processInfo.environment["PROPERTY_SEED"].flatMap { UInt64($0) }
        ?? .random(in: 0..<1 << 32)

    @Test("Only what an ECU has really answered to a request is taken for its answer", arguments: PropertyRun.chaos)
    func answers(chaos: Int) {
        print("PROPERTY_SEED=\(Self.seed)")
        let outcome = PropertyRun.run(seed: Self.seed, replies: 20_000 / PropertyRun.chaos.count, chaos: chaos)
        #expect(outcome.violations.isEmpty, "PROPERTY_SEED=\(Self.seed): \(outcome.violations)")
        // A client that accepts no answers would also have no violations.
        #expect(outcome.accepted > outcome.replies / 4, "\(outcome)")
        #expect(outcome.grouped > 0 && outcome.counted > 0, "\(outcome)")
        print(outcome)
    }
}
