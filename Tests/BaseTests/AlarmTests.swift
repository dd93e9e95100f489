// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing
import Base

@Suite("A wait that somebody may end earlier", .timeLimit(.minutes(1)))
struct AlarmTests {
    /// Whose time comes for who asks for the present, and for nobody else.
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

    /// Owns an alarm, as its users do.
    private actor Owner {
        private let alarm = Alarm()
        private(set) var waits = 0

        func wait(until deadline: MonotonicTime?) async {
            self.waits += 1
            await self.alarm.wait(until: deadline, on: StandingClock())
        }

        func ring() { self.alarm.ring() }
    }

    private static let never = StandingClock().now + .seconds(1)

    @Test("It ends at its time")
    func deadline() async {
        await Owner().wait(until: StandingClock().now)
    }

    @Test("It ends when it rings, with a deadline and without one", arguments: [Self.never, nil])
    func ring(deadline: MonotonicTime?) async {
        let owner = Owner()
        async let wait: Void = owner.wait(until: deadline)
        while await owner.waits == 0 { await Task.yield() }
        await owner.ring()
        await wait
    }

    @Test("A ring that comes while nobody waits ends the next wait, and only that")
    func early() async {
        let owner = Owner()
        await owner.ring()
        await owner.ring()
        await owner.wait(until: Self.never)
        let next = Task { await owner.wait(until: Self.never) }
        while await owner.waits == 1 { await Task.yield() }
        // It waits; only this ends it.
        next.cancel()
        await next.value
    }

    @Test("It ends with its task")
    func cancellation() async {
        let owner = Owner()
        let task = Task { await owner.wait(until: nil) }
        task.cancel()
        await task.value
        #expect(await owner.waits == 1)
    }
}
