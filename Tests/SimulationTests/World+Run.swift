// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop

extension World {
    /// Runs a story in virtual time, and then stops the agent with SIGTERM.
    ///
    /// - Parameter story: the steps of the test, which begin with the agent's start.
    /// - Returns: the verdict of the ledger at the end, and the result of the story.
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

    /// Runs a story that has no result besides the verdict of the ledger.
    ///
    /// - Parameter interval: the polling interval of each parameter, in seconds.
    static func run(
        interval: Double = 5,
        _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws -> Ledger.Verdict {
        var settings = Settings()
        settings.interval = interval
        let (verdict, _): (Ledger.Verdict, Void) = try await self.run(settings, story)
        return verdict
    }

    /// Cuts the power at a step, counted from now; the story restores it with ``powerReturns(after:)``.
    ///
    /// Data that was written but not synced is lost. The adapter still performs the requests that it has received.
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

    /// Returns a command to the vehicle that is issued now.
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
