// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that an actor runs on, because what it does blocks: never one of Swift's, of which there are few.
///
/// The actor names it as its executor, and keeps a reference to it. Jobs run in the order in which they came.
package final class SerialThread: SerialExecutor {
    /// Outlives the executor by what the thread still has to do.
    private final class Queue: Sendable {
        private struct State: Sendable {
            var jobs: [UnownedJob] = []
            var isEnded = false
        }

        private let state = Locked(State())
        private let doorbell = Doorbell()

        func append(_ job: UnownedJob) {
            let wasEmpty = self.state.withLock { state in
                state.jobs.append(job)
                return state.jobs.count == 1
            }
            if wasEmpty { self.doorbell.ring() }
        }

        func end() {
            self.state.withLock { $0.isEnded = true }
            self.doorbell.ring()
        }

        /// Waits for jobs; nil when there will be none any more.
        func next() -> [UnownedJob]? {
            while true {
                let (jobs, isEnded) = self.state.withLock { state in
                    defer { state.jobs = [] }
                    return (state.jobs, state.isEnded)
                }
                if !jobs.isEmpty { return jobs }
                if isEnded { return nil }
                var descriptor = pollfd(fd: self.doorbell.descriptor, events: Int16(POLLIN), revents: 0)
                unsafe poll(&descriptor, 1, -1)
                self.doorbell.silence()
            }
        }
    }

    private let queue: Queue

    /// - Parameter name: of the thread, at most 15 bytes, as `top -H` shows it.
    package init(named name: String) {
        let queue = Queue()
        self.queue = queue
        Thread.start(named: name) { [weak self] in
            while let jobs = queue.next() {
                for job in jobs {
                    guard let self else { return }
                    unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
                }
            }
        }
    }

    deinit {
        self.queue.end()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        self.queue.append(UnownedJob(job))
    }
}
