// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("A timer that can be interrupted", .timeLimit(.minutes(1)))
struct InterruptibleTimerTests {
    /// A clock that stands still: a sleep until now returns at once, and a longer sleep ends only with its task.
    private struct StandingClock: MonotonicClock {
        let now = MonotonicTime(sinceBoot: .seconds(100))

        func sleep(until deadline: MonotonicTime) async throws {
            guard deadline > self.now else { return }
            let (calls, call) = AsyncStream.makeStream(of: Never.self)
            for await _ in calls {}
            call.finish()
            throw CancellationError()
        }
    }

    /// An actor that owns a timer, as in production code.
    private actor Owner {
        private let timer = InterruptibleTimer()
        private(set) var waits = 0

        func wait(until deadline: MonotonicTime?) async {
            self.waits += 1
            await self.timer.wait(until: deadline, on: StandingClock())
        }

        func interrupt() { self.timer.interrupt() }
    }

    private static let never = StandingClock().now + .seconds(1)

    @Test("A wait ends at its deadline")
    func deadline() async {
        await Owner().wait(until: StandingClock().now)
    }

    @Test("An interrupt ends a wait with a deadline and one without", arguments: [Self.never, nil])
    func interrupt(deadline: MonotonicTime?) async {
        let owner = Owner()
        async let wait: Void = owner.wait(until: deadline)
        while await owner.waits == 0 { await Task.yield() }
        await owner.interrupt()
        await wait
    }

    @Test("An interrupt while no task waits ends the next wait, and only that one")
    func early() async {
        let owner = Owner()
        await owner.interrupt()
        await owner.interrupt()
        await owner.wait(until: Self.never)
        let next = Task { await owner.wait(until: Self.never) }
        while await owner.waits == 1 { await Task.yield() }
        // Nothing but the cancellation ends this wait.
        next.cancel()
        await next.value
    }

    @Test("Cancelling the task ends the wait")
    func cancellation() async {
        let owner = Owner()
        let task = Task { await owner.wait(until: nil) }
        task.cancel()
        await task.value
        #expect(await owner.waits == 1)
    }
}
