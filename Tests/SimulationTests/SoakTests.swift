// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import FoundationEssentials
import TestSupport
import Testing

/// Tests that run alone in their process, which they measure: `make system-test NAME=soak`.
@Suite("One process for a long time", .enabled(if: isSoaking))
struct SoakTests {
    /// The troubles that one process has in each round.
    private static let troubles: [Trouble] = [
        .brokerAway, .adapterUnplugged, .carAsleep, .brokerSwallows, .diskFull, .clockAhead, .vehicleSwapped,
        .brokerNeverAcknowledges, .connectionCut, .carAsleep, .credentialsRefused, .diskReadOnly,
    ]

    @Test("Two days of driving and parking with something wrong every hour: memory and descriptors stay as they are")
    func twoDays() async throws {
        let (_, rounds) = try await World.run { world in
            try await world.start()
            var rounds: [(OwnResources, anonymous: Int)] = []
            for _ in 1...4 {
                for trouble in Self.troubles {
                    try await trouble.begin(in: world)
                    await world.run(for: .seconds(900))
                    try await trouble.end(in: world)
                    await world.run(for: .seconds(2700))
                }
                // The last batch arrives while the vehicle is parked.
                world.park(true)
                await world.run(for: .seconds(60))
                world.ledger.closeBooks().expectWhole(atLeast: 20_000)
                let anonymous = try #require(Self.anonymousKiB)
                print("after \(world.time.now.sinceBoot): \(anonymous) KiB of anonymous memory, \(OwnResources.now)")
                rounds.append((.now, anonymous))
                world.park(false)
            }
            return rounds
        }
        #expect(rounds[3].0.descriptors <= rounds[0].0.descriptors)
        #expect(rounds[3].anonymous < rounds[0].anonymous + 2048)
    }

    /// The resident memory of this process that belongs to no file, in KiB.
    private static var anonymousKiB: Int? {
        let line = TextFile.read("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("RssAnon") }
        return line.flatMap { Int($0.filter { $0.isNumber }) }
    }
}

private let isSoaking = ProcessInfo.processInfo.environment["OBD_AGENT_SOAK"] != nil
