// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own for an actor whose work blocks, because Swift has only few threads.
///
/// The actor names this object as its executor, and keeps a reference to it. Jobs run in the order of their arrival.
package final class SerialThread: SerialExecutor {
    /// The queue of jobs, which outlives the executor until the thread has ended.
    private final class Queue: Sendable {
        private struct State: Sendable {
            var jobs: [UnownedJob] = []
            var isEnded = false
        }

        private let state = Locked(State())
        private let interrupt = PollInterrupt()

        func append(_ job: UnownedJob) {
            let wasEmpty = self.state.withLock { state in
                state.jobs.append(job)
                return state.jobs.count == 1
            }
            if wasEmpty { self.interrupt.signal() }
        }

        func end() {
            self.state.withLock { $0.isEnded = true }
            self.interrupt.signal()
        }

        /// Waits for jobs; returns nil once the queue has ended.
        func next() -> [UnownedJob]? {
            while true {
                let (jobs, isEnded) = self.state.withLock { state in
                    defer { state.jobs = [] }
                    return (state.jobs, state.isEnded)
                }
                if !jobs.isEmpty { return jobs }
                if isEnded { return nil }
                var descriptor = pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0)
                unsafe poll(&descriptor, 1, -1)
                self.interrupt.clear()
            }
        }
    }

    private let queue: Queue

    /// Starts the thread.
    ///
    /// - Parameter name: the name of the thread, at most 15 bytes, as `top -H` shows it.
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
