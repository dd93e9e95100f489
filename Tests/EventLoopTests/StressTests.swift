// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc
import Synchronization
import Testing

@testable import EventLoop

@Suite("The event loop under stress", .timeLimit(.minutes(10)))
struct StressTests {
    /// The number of rounds.
    ///
    /// Each needs two thread switches, which are slow on a busy machine.
    private static let rounds = 2_000

    @Test("No byte of a ping-pong exchange is lost")
    func pingPong() async {
        let pair = SocketPair()
        @Sendable func play(_ descriptor: Int32, serves: Bool) async -> Int {
            let waiter = Waiter()
            let clock = BootClock()
            var byte: UInt8 = 1
            var received = 0
            if serves { unsafe write(descriptor, &byte, 1) }
            while received < Self.rounds {
                if unsafe read(descriptor, &byte, 1) == 1 {
                    received += 1
                    if !serves || received < Self.rounds { unsafe write(descriptor, &byte, 1) }
                } else {
                    let deadline = clock.now + .seconds(60)
                    guard await EventLoop.shared.wait(for: descriptor, .readable, until: deadline, waiter) == .ready
                    else { break }
                }
            }
            return received
        }
        async let ours = play(pair.ours, serves: true)
        async let others = play(pair.other, serves: false)
        #expect(await ours == Self.rounds)
        #expect(await others == Self.rounds)
    }

    @Test("No notification from another thread is lost")
    func notifications() async {
        let waiter = Waiter()
        let seen = Atomic(0)
        let isOver = Atomic(false)
        let clock = BootClock()
        Thread.start(named: "notifier") {
            for round in 1...Self.rounds {
                waiter.notify()
                // The next notification follows only after this one was seen, so that each ends its own wait.
                while seen.load(ordering: .acquiring) < round, !isOver.load(ordering: .acquiring) { sched_yield() }
            }
        }
        for round in 1...Self.rounds {
            // Each round has its own deadline, because the number of rounds in a minute depends on what else the machine does.
            let result = await EventLoop.shared.wait(until: clock.now + .seconds(60), waiter)
            guard result == .notified else {
                Issue.record("round \(round): \(result)")
                break
            }
            seen.store(round, ordering: .releasing)
        }
        isOver.store(true, ordering: .releasing)
        #expect(seen.load(ordering: .acquiring) == Self.rounds)
    }

    @Test("Concurrent bytes, notifications and deadlines neither end a wait early nor lose one")
    func everything() async {
        let pair = SocketPair()
        let waiter = Waiter()
        let isDone = Atomic(false)
        let clock = BootClock()
        Thread.start(named: "noise") {
            while !isDone.load(ordering: .acquiring) {
                waiter.notify()
                var byte: UInt8 = 1
                unsafe write(pair.other, &byte, 1)
                sched_yield()
            }
            // The pair must live as long as this thread writes to it.
            withExtendedLifetime(pair) {}
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<Self.rounds {
            let deadline = clock.now + .microseconds(Int64.random(in: 0...300, using: &generator))
            let result = await EventLoop.shared.wait(for: pair.ours, .readable, until: deadline, waiter)
            if result == .deadline { #expect(clock.now >= deadline) }
            if result == .ready { _ = pair.receive() }
        }
        isDone.store(true, ordering: .releasing)
    }
}
