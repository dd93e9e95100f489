// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CLinux
import Glibc
import Synchronization

/// A thread that waits for file descriptors and deadlines, so that no thread of Swift blocks.
///
/// A task may prefer this thread as its executor: `withTaskExecutorPreference(EventLoop.shared)`. Its waits then end
/// without a switch to another thread. Such a task may compute for some milliseconds, and must never block.
package final class EventLoop: Sendable {
    /// The event to wait for.
    package enum Interest: Sendable {
        case readable, writable
        /// The peer has closed the connection; bytes that it has sent do not count.
        case hangUp
    }

    /// The loop of this process.
    package static let shared = EventLoop()

    private struct Entry {
        var number: UInt64
        var waiter: Waiter
        var deadline: MonotonicTime
    }

    private struct State {
        /// The pending waits.
        ///
        /// They are few, so a linear search costs less than hashing.
        var entries: [Entry] = []
        /// The time of the thread's next check of the deadlines.
        var nextCheck = MonotonicTime.zero
        /// The jobs to run on the thread.
        var jobs: [UnownedJob] = []

        mutating func remove(_ number: UInt64) -> Entry? {
            self.entries.firstIndex { $0.number == number }.map { self.entries.remove(at: $0) }
        }
    }

    private let state = Locked(State())
    /// The loop's thread, as `pthread_self()` returns it.
    private let thread = Atomic<UInt>(0)
    /// The number of the last wait; 0 stands for ``interrupt``.
    private let lastNumber = Atomic<UInt64>(0)
    private let clock = BootClock()
    private let epoll: Int32
    private let interrupt = PollInterrupt()

    private init() {
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(self.epoll >= 0, "no file descriptor left for the event loop")
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        unsafe epoll_ctl(self.epoll, EPOLL_CTL_ADD, self.interrupt.descriptor, &event)
        Thread.start(named: "event-loop") { self.run() }
    }

    /// Waits until `descriptor` is ready, `waiter` is notified, or `deadline` has passed.
    ///
    /// Each descriptor allows one wait at a time, and must stay open during the wait. Cancellation ends the wait.
    package func wait(
        for descriptor: Int32,
        _ interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter
    ) async -> WaitResult {
        await withTaskCancellationHandler {
            await self.wait(for: interest, until: deadline, waiter) { arm in arm(descriptor) }
        } onCancel: {
            waiter.notify()
        }
    }

    /// Waits until `waiter` is notified or `deadline` has passed; cancellation ends the wait.
    package func wait(until deadline: MonotonicTime, _ waiter: Waiter) async -> WaitResult {
        await withTaskCancellationHandler {
            await self.wait(until: deadline, waiter) { _ in true }
        } onCancel: {
            waiter.notify()
        }
    }

    /// Waits like ``wait(for:_:until:_:)``, for a descriptor that another task may close at any time.
    ///
    /// Cancellation does not end the wait, so the canceller must notify `waiter`. Nearly every byte is waited for here,
    /// and a cancellation handler for each wait would cost as much as the wait.
    ///
    /// - Parameter withDescriptor: passes the descriptor to `arm` and keeps it open during that call, so that its
    ///   number cannot be reused for another file. It returns the result of `arm`; false if the descriptor is closed.
    package func wait(
        for interest: Interest,
        until deadline: MonotonicTime,
        _ waiter: Waiter,
        withDescriptor: (_ arm: (Int32) -> Bool) -> Bool
    ) async -> WaitResult {
        await self.wait(until: deadline, waiter) { number in
            withDescriptor { descriptor in self.arm(descriptor, interest, number) }
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
            // A descriptor that cannot be armed is closed or a plain file. The caller's next call on it reports that.
            if !arming(number) { self.finish(number) }
        }
        // Any other result has already removed the entry.
        if result == .notified { self.state.withLock { _ = $0.remove(number) } }
        return result
    }

    private func add(_ entry: Entry) {
        let isEarlier = self.state.withLock { state in
            state.entries.append(entry)
            guard entry.deadline < state.nextCheck else { return false }
            state.nextCheck = entry.deadline
            return true
        }
        if isEarlier { self.interruptPoll() }
    }

    /// Ends the wait of the thread; does nothing on the thread itself, which does not wait.
    private func interruptPoll() {
        if self.thread.load(ordering: .relaxed) != pthread_self() { self.interrupt.signal() }
    }

    private func arm(_ descriptor: Int32, _ interest: Interest, _ number: UInt64) -> Bool {
        let events =
            switch interest {
            case .readable: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
            case .writable: EPOLLOUT.rawValue
            // The kernel reports EPOLLHUP and EPOLLERR without being asked.
            case .hangUp: UInt32(0)
            }
        var event = unsafe epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: number))
        if unsafe epoll_ctl(self.epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 { return true }
        return unsafe errno == ENOENT && epoll_ctl(self.epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    // MARK: - The thread

    private static let longestWait = Duration.seconds(3600)
    /// The maximum number of rounds of jobs before the descriptors are checked again.
    private static let roundLimit = 64

    private func run() {
        self.thread.store(pthread_self(), ordering: .relaxed)
        let capacity = 16
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        var jobs: [UnownedJob] = []
        while true {
            let (nextCheck, timeout) = self.planCheck()
            let count = unsafe epoll_wait(self.epoll, events, Int32(capacity), timeout)
            for index in 0..<max(0, Int(count)) {
                let number = unsafe events[index].data.u64
                if number == 0 { self.interrupt.clear() } else { self.finish(number) }
            }
            let now = self.clock.now
            if nextCheck <= now { self.finishExpired(now) }
            self.runJobs(&jobs)
        }
    }

    /// Runs the enqueued jobs.
    ///
    /// - Parameter jobs: an empty array, whose memory is reused.
    private func runJobs(_ jobs: inout [UnownedJob]) {
        for _ in 0..<Self.roundLimit {
            self.state.withLock { swap(&$0.jobs, &jobs) }
            guard !jobs.isEmpty else { return }
            for job in jobs { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            jobs.removeAll(keepingCapacity: jobs.count <= Self.roundLimit)
        }
    }

    /// Returns the time of the next check of the deadlines, and the milliseconds until then.
    private func planCheck() -> (MonotonicTime, timeout: Int32) {
        let now = self.clock.now
        return self.state.withLock { state in
            guard state.jobs.isEmpty else { return (state.nextCheck, 0) }
            state.nextCheck = now + Self.longestWait
            for entry in state.entries where entry.deadline < state.nextCheck { state.nextCheck = entry.deadline }
            guard now < state.nextCheck else { return (state.nextCheck, 0) }
            // Rounded up, because an early end would only lead to another wait.
            return (state.nextCheck, Int32((state.nextCheck - now + .microseconds(999)).milliseconds))
        }
    }

    /// Ends a wait whose descriptor is ready.
    private func finish(_ number: UInt64) {
        self.state.withLock { $0.remove(number) }?.waiter.finish(.ready, number: number)
    }

    private func finishExpired(_ now: MonotonicTime) {
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
        self.interruptPoll()
    }
}
