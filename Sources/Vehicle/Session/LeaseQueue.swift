// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The jobs that wait for the bus, and the lease of the job that has it.
struct LeaseQueue: Sendable {
    struct Job: Sendable {
        let number: Int
        let run: @Sendable (Result<BusLease, SessionError>) async -> Void
    }

    /// The largest number of jobs that may wait.
    static let limit = 16

    private var jobs: [Job] = []
    private var lastNumber = 0
    /// The number of the lease that has the bus.
    private(set) var current: Int?

    var isEmpty: Bool { self.jobs.isEmpty }
    var isFull: Bool { self.jobs.count >= Self.limit }

    mutating func append(_ run: @escaping @Sendable (Result<BusLease, SessionError>) async -> Void) {
        self.lastNumber += 1
        self.jobs.append(Job(number: self.lastNumber, run: run))
    }

    /// Leases the bus to the next job.
    mutating func begin() -> Job? {
        guard !self.jobs.isEmpty else { return nil }
        let job = self.jobs.removeFirst()
        self.current = job.number
        return job
    }

    /// Ends the lease.
    mutating func end() { self.current = nil }

    /// Ends the lease and removes all jobs.
    mutating func removeAll() -> [Job] {
        self.current = nil
        defer { self.jobs = [] }
        return self.jobs
    }
}
