// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A wait for a deadline that other code can interrupt.
///
/// A timer belongs to one actor, and only one task of that actor waits. An interrupt while no task waits ends the next
/// wait at once.
package final class InterruptibleTimer {
    private var isInterrupted = false
    /// Ends the current wait when it is finished.
    private var interruption: AsyncStream<Never>.Continuation?

    package init() {}

    /// Ends the current wait, or the next one if no task waits.
    package func interrupt() {
        self.isInterrupted = true
        self.interruption?.finish()
    }

    /// Waits until `deadline`, until ``interrupt()`` is called, or until the task is cancelled.
    ///
    /// - Parameter deadline: the end of the wait, or `nil` to wait for an interrupt only.
    package func wait(until deadline: MonotonicTime?, on clock: any MonotonicClock) async {
        defer { self.isInterrupted = false }
        guard !self.isInterrupted else { return }
        let (stream, interruption) = AsyncStream.makeStream(of: Never.self)
        self.interruption = interruption
        await withTaskGroup { group in
            if let deadline { group.addTask { try? await clock.sleep(until: deadline) } }
            group.addTask { for await _ in stream {} }
            await group.next()
            group.cancelAll()
        }
        self.interruption = nil
    }
}
