// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
package import Timing

/// One thread that waits for file descriptors and deadlines, so that no thread of Swift's own ever blocks.
///
/// A wait costs one system call and no thread change beyond the loop's own wake-up.
package final class EventLoop: Sendable {
    /// What to wait for.
    package enum Interest: Sendable {
        case readable, writable
    }

    /// The loop of this process.
    package static let shared = EventLoop()

    private struct Entry {
        var waiter: Waiter
        var deadline: MonotonicTime
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastID: UInt64 = 0
        /// When the thread will look at the deadlines next.
        var planned = MonotonicTime.zero
    }

    private let state = Mutex(State())
    private let clock = BootClock()
    private let epoll: Int32
    private let doorbell = Doorbell()

    private init() {
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(self.epoll >= 0, "no file descriptor left for the event loop")
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        unsafe epoll_ctl(self.epoll, EPOLL_CTL_ADD, self.doorbell.descriptor, &event)
        Thread.start(named: "event-loop") { self.run() }
    }

    /// Waits until `descriptor` is ready, `waiter` is woken, or `deadline` has passed.
    package func wait(
        for descriptor: Int32,
        _ interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter
    ) async -> WaitResult {
        await self.wait(until: deadline, waiter) { id in
            let events = interest == .readable ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : EPOLLOUT.rawValue
            var event = unsafe epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: id))
            if unsafe epoll_ctl(self.epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 { return true }
            return unsafe errno == ENOENT && epoll_ctl(self.epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
        }
    }

    /// Waits until `waiter` is woken or `deadline` has passed.
    package func wait(until deadline: MonotonicTime, _ waiter: Waiter) async -> WaitResult {
        await self.wait(until: deadline, waiter) { _ in true }
    }

    private func wait(
        until deadline: MonotonicTime,
        _ waiter: Waiter,
        arming: (UInt64) -> Bool
    ) async -> WaitResult {
        var id: UInt64 = 0
        let result = await withTaskCancellationHandler {
            await waiter.wait {
                id = self.add(Entry(waiter: waiter, deadline: deadline))
                // A descriptor that can't be waited for is closed or a plain file: the caller's next try tells.
                if !arming(id) { waiter.finish(.ready) }
            }
        } onCancel: {
            waiter.wake()
        }
        if id != 0 { self.state.withLock { _ = $0.entries.removeValue(forKey: id) } }
        return result
    }

    private func add(_ entry: Entry) -> UInt64 {
        let (id, isEarlier) = self.state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = entry
            let isEarlier = entry.deadline < state.planned
            if isEarlier { state.planned = entry.deadline }
            return (state.lastID, isEarlier)
        }
        if isEarlier { self.doorbell.ring() }
        return id
    }

    // MARK: - The thread

    private static let longestWait = Duration.seconds(3600)

    private func run() {
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 16)
        while true {
            let count = unsafe epoll_wait(self.epoll, events.baseAddress, Int32(events.count), self.timeout())
            for index in 0..<max(0, Int(count)) {
                self.handle(unsafe events[index].data.u64)
            }
            self.finishDue()
        }
    }

    private func timeout() -> Int32 {
        let now = self.clock.now
        return self.state.withLock { state in
            state.planned = state.entries.values.lazy.map(\.deadline).min() ?? now + Self.longestWait
            let wait = min(max(.zero, state.planned - now), Self.longestWait)
            // Rounded up: waking too early would only mean waiting again.
            return Int32((wait + .microseconds(999)).milliseconds)
        }
    }

    private func handle(_ id: UInt64) {
        guard id != 0 else { return self.doorbell.silence() }
        self.state.withLock { $0.entries.removeValue(forKey: id) }?.waiter.finish(.ready)
    }

    private func finishDue() {
        let now = self.clock.now
        let due = self.state.withLock { state in
            let due = state.entries.filter { $0.value.deadline <= now }
            for id in due.keys { state.entries.removeValue(forKey: id) }
            return due.values.map(\.waiter)
        }
        for waiter in due { waiter.finish(.deadline) }
    }
}
