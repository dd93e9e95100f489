// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
package import Timing

/// One thread that waits for file descriptors and deadlines, so that no thread of Swift's own ever blocks.
///
/// A task that runs on this thread, as its executor, is woken by what it waits for with no other thread in between:
/// `withTaskExecutorPreference(EventLoop.shared)`. It may compute for some milliseconds, and never block.
package final class EventLoop: Sendable {
    /// What to wait for.
    package enum Interest: Sendable {
        case readable, writable
    }

    /// The loop of this process.
    package static let shared = EventLoop()

    private struct Entry {
        var number: UInt64
        var waiter: Waiter
        var deadline: MonotonicTime
    }

    private struct State {
        /// They are few: searching them costs less than hashing.
        var entries: [Entry] = []
        /// When the thread will look at the deadlines next.
        var planned = MonotonicTime.zero

        mutating func remove(_ number: UInt64) -> Entry? {
            self.entries.firstIndex { $0.number == number }.map { self.entries.remove(at: $0) }
        }
    }

    private let state = Locked(State())
    private let jobs = Locked<[UnownedJob]>([])
    /// The loop's own, as `pthread_self()` tells it.
    private let thread = Atomic<UInt>(0)
    /// Of waits; 0 is the doorbell.
    private let lastNumber = Atomic<UInt64>(0)
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
    ///
    /// One wait at a time for one descriptor, which nobody may close meanwhile.
    package func wait(
        for descriptor: Int32,
        _ interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter
    ) async -> WaitResult {
        await self.wait(for: interest, until: deadline, waiter) { arm in arm(descriptor) }
    }

    /// Waits like ``wait(for:_:until:_:)``, for a descriptor that another task may close at any time.
    ///
    /// - Parameter lend: passes the descriptor on and keeps it open for that long, so that its number can't become
    ///   another file's in between; returns what it is told, or false where the descriptor is closed.
    package func wait(
        for interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter,
        lend: (_ arm: (Int32) -> Bool) -> Bool
    ) async -> WaitResult {
        await self.wait(until: deadline, waiter) { number in
            lend { descriptor in self.arm(descriptor, interest, number) }
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
        let number = self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await waiter.wait(number: number) {
                self.add(Entry(number: number, waiter: waiter, deadline: deadline))
                // A descriptor that can't be waited for is closed or a plain file: the caller's next try tells.
                if !arming(number) { waiter.finish(.ready, number: number) }
            }
        } onCancel: {
            waiter.wake()
        }
        self.state.withLock { _ = $0.remove(number) }
        return result
    }

    private func add(_ entry: Entry) {
        let isEarlier = self.state.withLock { state in
            state.entries.append(entry)
            guard entry.deadline < state.planned else { return false }
            state.planned = entry.deadline
            return true
        }
        if isEarlier { self.ring() }
    }

    /// Lets the thread look again; on the thread itself it does so anyway.
    private func ring() {
        if self.thread.load(ordering: .relaxed) != pthread_self() { self.doorbell.ring() }
    }

    private func arm(_ descriptor: Int32, _ interest: Interest, _ number: UInt64) -> Bool {
        let events = interest == .readable ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : EPOLLOUT.rawValue
        var event = unsafe epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: number))
        if unsafe epoll_ctl(self.epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 { return true }
        return unsafe errno == ENOENT && epoll_ctl(self.epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    // MARK: - The thread

    private static let longestWait = Duration.seconds(3600)
    /// How often jobs may follow upon jobs before the descriptors have their turn.
    private static let roundLimit = 64

    private func run() {
        self.thread.store(pthread_self(), ordering: .relaxed)
        let capacity = 16
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        while true {
            let count = unsafe epoll_wait(self.epoll, events, Int32(capacity), self.timeout())
            for index in 0..<max(0, Int(count)) {
                self.handle(unsafe events[index].data.u64)
            }
            self.finishDue()
            self.runJobs()
        }
    }

    private func runJobs() {
        for _ in 0..<Self.roundLimit {
            let jobs = self.jobs.withLock { jobs in (jobs, jobs = []).0 }
            guard !jobs.isEmpty else { return }
            for job in jobs { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private func timeout() -> Int32 {
        guard self.jobs.withLock({ $0.isEmpty }) else { return 0 }
        let now = self.clock.now
        return self.state.withLock { state in
            state.planned = state.entries.lazy.map(\.deadline).min() ?? now + Self.longestWait
            let wait = min(max(.zero, state.planned - now), Self.longestWait)
            // Rounded up: waking too early would only mean waiting again.
            return Int32((wait + .microseconds(999)).milliseconds)
        }
    }

    private func handle(_ number: UInt64) {
        guard number != 0 else { return self.doorbell.silence() }
        self.state.withLock { $0.remove(number) }?.waiter.finish(.ready, number: number)
    }

    private func finishDue() {
        let now = self.clock.now
        let due = self.state.withLock { state in
            guard state.entries.contains(where: { $0.deadline <= now }) else { return [Entry]() }
            let due = state.entries.filter { $0.deadline <= now }
            state.entries.removeAll { $0.deadline <= now }
            return due
        }
        for entry in due { entry.waiter.finish(.deadline, number: entry.number) }
    }
}

extension EventLoop: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.withLock { $0.append(job) }
        self.ring()
    }
}
