// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CAllocations

/// How fast something is, and what it allocates.
struct Measurement {
    /// Of what ``Workload/run(_:)`` counts, in the best of all slices: other programs only ever make one slower.
    var perSecond: Double
    /// The same for each step of the reference, which tells how fast the machine is at this moment.
    var perStep: Double
    /// Allocations for each operation.
    var allocations: Double

    /// How often the workload and the reference are measured in turn.
    private static let slices = 15
    /// How long a slice is.
    private static let slice = Duration.milliseconds(80)

    init(_ workload: Workload) {
        var rates: (workload: Double, reference: Double) = (0, 0)
        var fewest = Double.infinity
        // Once without looking: what is made at the first use is not what an operation costs.
        _ = workload.run(1)
        for _ in 0..<Self.slices {
            let before = allocation_count()
            let (rate, operations) = Self.rate(workload.run)
            fewest = min(fewest, Double(allocation_count() - before) / Double(operations))
            rates.workload = max(rates.workload, rate)
            rates.reference = max(rates.reference, Self.rate(Self.reference).perSecond)
        }
        self.perSecond = rates.workload
        self.perStep = rates.workload / rates.reference
        self.allocations = fewest
    }

    /// Runs `body` with more and more rounds until a slice is full; the clock is looked at between them only.
    private static func rate(_ body: (Int) -> Int) -> (perSecond: Double, operations: Int) {
        let clock = ContinuousClock()
        let start = clock.now
        var rounds = 64
        var operations = 0
        var elapsed = Duration.zero
        while elapsed < Self.slice {
            operations += body(rounds)
            elapsed = clock.now - start
            rounds = min(rounds * 2, 16_384)
        }
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        return (Double(operations) / seconds, operations)
    }

    /// Steps of a shift-register generator of random numbers: arithmetic alone, each step waiting for the one before.
    private static func reference(_ rounds: Int) -> Int {
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        for _ in 0..<rounds {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        return state == 0 ? 0 : rounds
    }
}

/// Something whose cost is kept low, and how low.
struct Workload: Sendable {
    let name: String
    /// What is counted.
    let unit: String
    /// The fewest operations a second, on any machine that the checks run on.
    let leastPerSecond: Double
    /// The fewest operations for each step of the reference, which holds on fast machines too.
    let leastPerStep: Double
    /// The most allocations for each operation.
    let mostAllocations: Double
    /// Performs so many rounds, and tells how many operations they were.
    let run: @Sendable (Int) -> Int
}
