// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc
import Synchronization
import Testing

@testable import EventLoop

/// Two connected non-blocking sockets.
final class SocketPair: Sendable {
    let ours: Int32
    let other: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let result = unsafe socketpair(AF_UNIX, kind, 0, &ends)
        #expect(result == 0)
        (self.ours, self.other) = (ends[0], ends[1])
    }

    deinit {
        close(self.ours)
        close(self.other)
    }

    func send() {
        var byte: UInt8 = 1
        #expect(unsafe write(self.other, &byte, 1) == 1)
    }

    /// Reads a byte, and returns whether one was available.
    func receive() -> Bool {
        var byte: UInt8 = 0
        return unsafe read(self.ours, &byte, 1) == 1
    }
}

@Suite("The event loop")
struct EventLoopTests {
    private let loop = EventLoop.shared
    private let clock = BootClock()
    private var never: MonotonicTime { self.clock.now + .seconds(3600) }

    @Test("A byte ends a wait")
    func readable() async {
        let pair = SocketPair()
        async let result = self.loop.wait(for: pair.ours, .readable, until: self.never, Waiter())
        pair.send()
        #expect(await result == .ready)
        #expect(pair.receive())
    }

    @Test("An unread byte ends every wait at once")
    func alreadyReadable() async {
        let pair = SocketPair()
        pair.send()
        let waiter = Waiter()
        for _ in 0..<3 {
            #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .ready)
        }
        #expect(pair.receive())
        #expect(await self.loop.wait(for: pair.ours, .readable, until: self.clock.now, waiter) == .deadline)
    }

    @Test("Space for a write ends a wait")
    func writable() async {
        let pair = SocketPair()
        let waiter = Waiter()
        #expect(await self.loop.wait(for: pair.ours, .writable, until: self.never, waiter) == .ready)
        let block = [UInt8](repeating: 0, count: 65536)
        while unsafe write(pair.ours, block, block.count) > 0 {}
        #expect(await self.loop.wait(for: pair.ours, .writable, until: self.clock.now, waiter) == .deadline)
        async let result = self.loop.wait(for: pair.ours, .writable, until: self.never, waiter)
        var sink = block
        while unsafe read(pair.other, &sink, sink.count) > 0 {}
        #expect(await result == .ready)
    }

    @Test("The peer's close ends a wait")
    func hangUp() async {
        let pair = SocketPair()
        async let result = self.loop.wait(for: pair.ours, .readable, until: self.never, Waiter())
        shutdown(pair.other, Int32(SHUT_RDWR))
        #expect(await result == .ready)
    }

    @Test("A wait ends no earlier than its deadline")
    func deadline() async {
        for milliseconds in [0, 1, 20] {
            let deadline = self.clock.now + .milliseconds(milliseconds)
            #expect(await self.loop.wait(until: deadline, Waiter()) == .deadline)
            #expect(self.clock.now >= deadline)
        }
    }

    @Test("An early deadline is kept while the loop waits for a late one")
    func earlierDeadline() async {
        let late = Waiter()
        async let lateResult = self.loop.wait(until: self.never, late)
        #expect(await self.loop.wait(until: self.clock.now + .milliseconds(5), Waiter()) == .deadline)
        late.notify()
        #expect(await lateResult == .notified)
    }

    @Test("A wake-up before a wait ends that wait, and no other")
    func wakeBefore() async {
        let waiter = Waiter()
        waiter.notify()
        waiter.notify()
        #expect(await self.loop.wait(until: self.never, waiter) == .notified)
        #expect(await self.loop.wait(until: self.clock.now, waiter) == .deadline)
    }

    @Test("A wake-up during a wait ends it, and a later one ends the next wait")
    func wakeDuring() async {
        let pair = SocketPair()
        let waiter = Waiter()
        async let result = self.loop.wait(for: pair.ours, .readable, until: self.never, waiter)
        waiter.notify()
        #expect(await result == .notified)
        waiter.notify()
        #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .notified)
    }

    @Test("A descriptor stays usable after a wait that was notified or timed out")
    func waitAgain() async {
        let pair = SocketPair()
        let waiter = Waiter()
        waiter.notify()
        #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .notified)
        #expect(await self.loop.wait(for: pair.ours, .readable, until: self.clock.now, waiter) == .deadline)
        pair.send()
        #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .ready)
    }

    @Test("Cancellation ends the waits of a task, before or during the wait")
    func cancellation() async {
        let never = self.never
        let task = Task {
            [
                await EventLoop.shared.wait(until: never, Waiter()),
                await EventLoop.shared.wait(until: never, Waiter()),
            ]
        }
        task.cancel()
        #expect(await task.value == [.notified, .notified])
    }

    @Test("A sleep ends at its deadline, or throws when it is cancelled")
    func sleep() async throws {
        let deadline = self.clock.now + .milliseconds(5)
        try await self.clock.sleep(until: deadline)
        #expect(self.clock.now >= deadline)
        try await self.clock.sleep(until: .zero)
        let never = self.never
        let sleeper = Task { try await BootClock().sleep(until: never) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("A closed descriptor, a plain file and a failed arm each end a wait at once")
    func unusable() async {
        let waiter = Waiter()
        #expect(await self.loop.wait(for: -1, .readable, until: self.never, waiter) == .ready)
        let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(await self.loop.wait(for: file, .readable, until: self.never, waiter) == .ready)
        #expect(await self.loop.wait(for: .readable, until: self.never, waiter) { _ in false } == .ready)
    }

    @Test("A late result of an ended wait does not end the next wait")
    func staleResult() async {
        let waiter = Waiter()
        let isArmed = Atomic(false)
        async let second = {
            #expect(await waiter.wait(number: 1) { waiter.notify() } == .notified)
            return await waiter.wait(number: 2) { isArmed.store(true, ordering: .releasing) }
        }()
        while !isArmed.load(ordering: .acquiring) { await Task.yield() }
        waiter.finish(.deadline, number: 1)
        waiter.finish(.ready, number: 2)
        #expect(await second == .ready)
    }

    @Test("The number of a closed descriptor can be used for another file")
    func reuse() async {
        for _ in 0..<1000 {
            let pair = SocketPair()
            let waiter = Waiter()
            waiter.notify()
            #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .notified)
            pair.send()
            #expect(await self.loop.wait(for: pair.ours, .readable, until: self.never, waiter) == .ready)
        }
    }

    @Test("A thousand concurrent waits each get their own result")
    func many() async {
        let clock = self.clock
        let results = await withTaskGroup { group in
            for index in 0..<1000 {
                group.addTask { () -> (Int, WaitResult) in
                    let waiter = Waiter()
                    let pair = SocketPair()
                    let deadline = clock.now + (index % 3 == 0 ? .milliseconds(index % 50) : .seconds(3600))
                    if index % 3 == 1 { pair.send() }
                    if index % 3 == 2 { waiter.notify() }
                    return (index, await EventLoop.shared.wait(for: pair.ours, .readable, until: deadline, waiter))
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let expected: [WaitResult] = [.deadline, .ready, .notified]
        for index in 0..<1000 { #expect(results[index] == expected[index % 3]) }
    }
}
