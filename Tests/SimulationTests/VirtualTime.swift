// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Dispatch
import EventLoop

/// Time that passes only when no task has a job left, so that weeks pass in seconds.
///
/// All tasks run one job at a time on one thread. When no job is left, the clock jumps to the next deadline for
/// which a task sleeps.
final class VirtualTime: TaskExecutor, MonotonicClock {
    /// The reason for which a simulation ended without a result.
    enum Failure: Error, Hashable, Sendable {
        /// Every task waits for another.
        case stuck(at: MonotonicTime)
        /// More jobs ran at one time than the limit permits, so the time would never pass.
        case spinning(at: MonotonicTime)
    }

    private enum Job: Sendable {
        case task(UnownedJob)
        case actor(UnownedJob)
    }

    private struct Sleeper: Sendable {
        var number: Int
        var deadline: MonotonicTime
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var now = MonotonicTime(sinceBoot: .seconds(1000))
        var jobs: [Job] = []
        /// The sleeping tasks; the task that wakes first is the last element.
        var sleepers: [Sleeper] = []
        var lastSleeper = 0
        var jobsAtThisTime = 0
        /// Whether jobs may come from tasks that run elsewhere.
        var hasStrangers = false
    }

    private static let jobLimit = 2_000_000
    /// The real time to wait for a task that runs elsewhere if no other task sleeps.
    private static let patience = Duration.seconds(60)

    private let state = Locked(State())
    /// The semaphore that is signaled for each job while tasks may run elsewhere.
    private let arrivals = DispatchSemaphore(value: 0)
    /// The executor for actors that name an executor of their own.
    let serial = Serial()

    private init() {
        self.serial.owner.withLock { $0 = Owner(time: self) }
    }

    /// Runs `body`, and the tasks that it begins, until it returns.
    static func run<Success: Sendable>(
        _ body: @escaping @Sendable (VirtualTime) async throws -> Success
    ) async throws -> Success {
        let time = VirtualTime()
        let outcome = Locked<Result<Success, any Error>?>(nil)
        Task(executorPreference: time) {
            do {
                let success = try await body(time)
                outcome.withLock { $0 = .success(success) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        await withCheckedContinuation { continuation in
            Thread.start(named: "virtual-time") {
                if let failure = time.drive(until: { outcome.withLock { $0 != nil } }) {
                    outcome.withLock { $0 = $0 ?? .failure(failure) }
                }
                continuation.resume()
            }
        }
        return try outcome.withLock { try ($0 ?? .failure(Failure.stuck(at: time.now))).get() }
    }

    // MARK: - The clock

    var now: MonotonicTime { self.state.withLock { $0.now } }

    func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        let number = self.state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = self.state.withLock { state in
                    guard !Task.isCancelled, deadline > state.now else { return false }
                    // The place is after the tasks that wake later, and before those that wake at the same time.
                    let place = state.sleepers.lastIndex { $0.deadline > deadline }.map { $0 + 1 } ?? 0
                    let sleeper = Sleeper(number: number, deadline: deadline, continuation: continuation)
                    state.sleepers.insert(sleeper, at: place)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let sleeper = self.state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    func sleep(for duration: Duration) async {
        try? await self.sleep(until: self.now + duration)
    }

    /// Runs `body`, which may wait for tasks that a library runs elsewhere.
    ///
    /// Meanwhile the time passes no faster than real time, however late a busy machine runs those tasks.
    func withStrangers(_ body: () async -> Void) async {
        self.state.withLock { $0.hasStrangers = true }
        await body()
        self.state.withLock { $0.hasStrangers = false }
    }

    // MARK: - The jobs

    func enqueue(_ job: consuming ExecutorJob) {
        self.append(.task(UnownedJob(job)))
    }

    private func append(_ job: Job) {
        let hasStrangers = self.state.withLock { state in
            state.jobs.append(job)
            return state.hasStrangers
        }
        if hasStrangers { self.arrivals.signal() }
    }

    /// Waits until a job comes from elsewhere, at most until the next task wakes.
    ///
    /// - Returns: whether a job has come.
    private func awaitStranger() -> Bool {
        let wait = self.state.withLock { state -> Duration? in
            guard state.hasStrangers else { return nil }
            return state.sleepers.last.map { $0.deadline - state.now } ?? Self.patience
        }
        guard let wait else { return false }
        return self.arrivals.wait(timeout: .now() + max(0, wait.seconds)) == .success
    }

    /// Runs jobs, and lets time pass between them, until `isOver`; returns the reason if that is impossible.
    private func drive(until isOver: () -> Bool) -> Failure? {
        while true {
            let jobs = self.state.withLock { state in
                defer { state.jobs = [] }
                state.jobsAtThisTime += state.jobs.count
                return state.jobs
            }
            for job in jobs {
                switch job {
                case .task(let job):
                    unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                case .actor(let job):
                    unsafe job.runSynchronously(
                        isolatedTo: self.serial.asUnownedSerialExecutor(),
                        taskExecutor: self.asUnownedTaskExecutor()
                    )
                }
            }
            if isOver() { return nil }
            if self.state.withLock({ $0.jobsAtThisTime > Self.jobLimit }) { return .spinning(at: self.now) }
            if jobs.isEmpty, !self.awaitStranger(), !self.advance() { return .stuck(at: self.now) }
        }
    }

    /// Lets time pass until the next task wakes; returns false if no task sleeps.
    private func advance() -> Bool {
        let sleeper = self.state.withLock { state -> Sleeper? in
            guard let sleeper = state.sleepers.popLast() else { return nil }
            if sleeper.deadline > state.now { (state.now, state.jobsAtThisTime) = (sleeper.deadline, 0) }
            return sleeper
        }
        sleeper?.continuation.resume()
        return sleeper != nil
    }

    fileprivate struct Owner: Sendable {
        weak var time: VirtualTime?
    }

    /// The executor of actors that would otherwise have a thread of their own.
    final class Serial: SerialExecutor {
        fileprivate let owner = Locked(Owner())

        func enqueue(_ job: consuming ExecutorJob) {
            let time = self.owner.withLock { $0.time }
            time?.append(.actor(UnownedJob(job)))
        }
    }
}
