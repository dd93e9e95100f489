// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Properties

/// The program `property-runner [REPLIES [SEED]]`, which runs the property tests with a million replies and more.
@main
struct PropertyRunner {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let replies = arguments.first.flatMap { Int($0) } ?? 1_000_000
        let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        print("seed \(seed), \(replies) replies")
        var isFine = true
        await withTaskGroup(of: PropertyRun.Outcome.self) { group in
            for (index, chaos) in PropertyRun.chaos.enumerated() {
                group.addTask {
                    let share = replies / PropertyRun.chaos.count + 1
                    return PropertyRun.run(seed: seed &+ UInt64(index) << 32, replies: share, chaos: chaos)
                }
            }
            for await outcome in group {
                print(outcome)
                isFine = isFine && outcome.violations.isEmpty
            }
        }
        exit(isFine ? 0 : 1)
    }
}
