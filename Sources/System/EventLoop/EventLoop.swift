// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
package import Base

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
        /// What the thread is to run.
        var jobs: [UnownedJob] = []

        mutating func remove(_ number: UInt64) -> Entry? {
            self.entries.firstIndex { $0.number == number }.map { self.entries.remove(at: $0) }
        }
    }

    private let state = Locked(State())
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
    /// One wait at a time for one descriptor, which nobody may close meanwhile. A task that is cancelled is woken.
    package func wait(
        for descriptor: Int32,
        _ interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter
    ) async -> WaitResult {
        await withTaskCancellationHandler {
            await self.wait(for: interest, until: deadline, waiter) { arm in arm(descriptor) }
        } onCancel: {
            waiter.wake()
        }
    }

    /// Waits until `waiter` is woken or `deadline` has passed; a task that is cancelled is woken.
    package func wait(until deadline: MonotonicTime, _ waiter: Waiter) async -> WaitResult {
        await withTaskCancellationHandler {
            await self.wait(until: deadline, waiter) { _ in true }
        } onCancel: {
            waiter.wake()
        }
    }

    /// Waits like ``wait(for:_:until:_:)``, for a descriptor that another task may close at any time.
    ///
    /// Whoever cancels the task wakes `waiter`: nearly every byte is waited for here, and a handler for each wait would
    /// cost as much as the wait.
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

    private func wait(
        until deadline: MonotonicTime,
        _ waiter: Waiter,
        arming: (UInt64) -> Bool
    ) async -> WaitResult {
        let number = self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let result = await waiter.wait(number: number) {
            self.add(Entry(number: number, waiter: waiter, deadline: deadline))
            // A descriptor that can't be waited for is closed or a plain file: the caller's next try tells.
            if !arming(number) { self.finish(number) }
        }
        // All others are out already.
        if result == .woken { self.state.withLock { _ = $0.remove(number) } }
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
        var jobs: [UnownedJob] = []
        while true {
            let (planned, timeout) = self.plan()
            let count = unsafe epoll_wait(self.epoll, events, Int32(capacity), timeout)
            for index in 0..<max(0, Int(count)) {
                let number = unsafe events[index].data.u64
                if number == 0 { self.doorbell.silence() } else { self.finish(number) }
            }
            let now = self.clock.now
            if planned <= now { self.finishDue(now) }
            self.runJobs(&jobs)
        }
    }

    /// - Parameter jobs: none; its memory is used again and again.
    private func runJobs(_ jobs: inout [UnownedJob]) {
        for _ in 0..<Self.roundLimit {
            self.state.withLock { swap(&$0.jobs, &jobs) }
            guard !jobs.isEmpty else { return }
            for job in jobs { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            jobs.removeAll(keepingCapacity: jobs.count <= Self.roundLimit)
        }
    }

    /// When to look at the deadlines again, and how many milliseconds that is to wait for.
    private func plan() -> (MonotonicTime, timeout: Int32) {
        let now = self.clock.now
        return self.state.withLock { state in
            guard state.jobs.isEmpty else { return (state.planned, 0) }
            state.planned = now + Self.longestWait
            for entry in state.entries where entry.deadline < state.planned { state.planned = entry.deadline }
            guard now < state.planned else { return (state.planned, 0) }
            // Rounded up: waking too early would only mean waiting again.
            return (state.planned, Int32((state.planned - now + .microseconds(999)).milliseconds))
        }
    }

    /// What the wait was for is there.
    private func finish(_ number: UInt64) {
        self.state.withLock { $0.remove(number) }?.waiter.finish(.ready, number: number)
    }

    private func finishDue(_ now: MonotonicTime) {
        let due = self.state.withLock { state in
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
        self.state.withLock { $0.jobs.append(job) }
        self.ring()
    }
}
