// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A wait for a known time that somebody may end earlier.
///
/// It belongs to one actor, which is alone in waiting for it. Who rings while nobody waits ends the next wait at once.
package final class Alarm {
    private var isRung = false
    /// Ends the present wait.
    private var waiting: AsyncStream<Never>.Continuation?

    package init() {}

    /// Ends the present wait, or the next one.
    package func ring() {
        self.isRung = true
        self.waiting?.finish()
    }

    /// Returns when it rings, at `deadline`, or when the task is cancelled.
    ///
    /// - Parameter deadline: nil: not before it rings.
    package func wait(until deadline: MonotonicTime?, on clock: any MonotonicClock) async {
        defer { self.isRung = false }
        guard !self.isRung else { return }
        let (rings, waiting) = AsyncStream.makeStream(of: Never.self)
        self.waiting = waiting
        await withTaskGroup { group in
            if let deadline { group.addTask { try? await clock.sleep(until: deadline) } }
            group.addTask { for await _ in rings {} }
            await group.next()
            group.cancelAll()
        }
        self.waiting = nil
    }
}
