// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop

extension World {
    /// Tells a story in virtual time, and ends it with SIGTERM.
    ///
    /// - Parameter story: begins with the agent's start.
    /// - Returns: what the ledger says at the end, and what the story has found.
    static func run<Found: Sendable>(
        _ settings: Settings = Settings(),
        _ story: @escaping @Sendable (World) async throws -> Found
    ) async throws -> (Ledger.Verdict, Found) {
        try await VirtualTime.run { time in
            let world = try World(time, settings)
            let found = try await story(world)
            await world.stop()
            return (world.ledger.verdict, found)
        }
    }

    /// Tells a story that finds nothing but what the ledger says.
    ///
    /// - Parameter interval: how often each parameter is polled, in seconds.
    static func run(
        interval: Double = 5,
        _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws -> Ledger.Verdict {
        var settings = Settings()
        settings.interval = interval
        let (verdict, _): (Ledger.Verdict, Void) = try await self.run(settings, story)
        return verdict
    }

    /// Cuts the power at a step from now on; ``powerReturns(after:)`` when the story likes.
    ///
    /// What was written and not synced is lost; what an adapter was asked it does.
    func cutPower(atStep number: Int) {
        let directory = self.directory
        let device = Locked(self.files)
        self.fuse.set(toBlowAt: number) { step in
            Syncs.watch(directory, nil)
            try? self.kill(leaving: device.withLock { $0 })
        }
        Syncs.watch(directory) { isDone in
            if isDone { device.withLock { $0 = self.files } }
            self.fuse.count(isDone ? .diskHasSynced : .diskSyncs)
        }
    }

    /// A command for the vehicle, issued now.
    func command(_ id: String, _ name: String, _ arguments: String) throws -> Message {
        let now = Timestamp(milliseconds: WallClock.date(at: self.time.now))
        let text = """
            {"id": "\(id)", "command": "\(name)", "arguments": \(arguments), "issued_at": "\(now)", \
            "expires_at": "\(now + .seconds(3600))"}
            """
        let topic = try Topic("\(self.prefix)/commands")
        return Message(topic: topic, payload: Array(text.utf8), qos: .atLeastOnce)
    }
}
