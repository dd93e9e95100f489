// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension World {
    /// Tells a story in virtual time, and ends it with SIGTERM.
    ///
    /// - Parameters:
    ///   - interval: how often each parameter is polled, in seconds.
    ///   - story: begins with the agent's start.
    /// - Returns: what the ledger says at the end, and what the story has found.
    static func run<Found: Sendable>(
        interval: Double = 5,
        _ story: @escaping @Sendable (World) async throws -> Found
    ) async throws -> (Ledger.Verdict, Found) {
        try await VirtualTime.run { time in
            let world = try World(time, interval: interval)
            let found = try await story(world)
            await world.stop()
            return (world.ledger.verdict, found)
        }
    }

    /// Tells a story that finds nothing but what the ledger says.
    static func run(
        interval: Double = 5,
        _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws -> Ledger.Verdict {
        let (verdict, _): (Ledger.Verdict, Void) = try await self.run(interval: interval, story)
        return verdict
    }
}
