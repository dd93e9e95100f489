// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc
import Logging

/// Writes the batches into the database, and acknowledges their messages once they are committed.
///
/// The database's calls block, so the actor has a thread of its own. An error is retried for ever; only a refusal at the
/// start ends the collector.
actor DatabaseWriter {
    private static let housekeepingInterval = Duration.milliseconds(900)
    /// The time between two counts of the missing records.
    private static let countInterval = Duration.seconds(15)
    /// The largest number of streams in a count.
    private static let countLimit = 10_000
    /// The largest wait between two attempts.
    private static let longestWait = Duration.seconds(30)

    private nonisolated let executor = SerialThread(named: "database")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

    private let pipeline: Pipeline
    private let options: Collector.Options
    private let logger: Logger
    private var writer = BatchWriter()
    private var gaps: GapWatch
    private var nextHousekeeping = MonotonicTime.zero
    private var nextCount = MonotonicTime.zero
    /// The deletion of old rows; nil to keep them for ever.
    private var retention: Retention?
    /// The agents that were warned of.
    private var shared = SharedAgents()
    private var backoff = Backoff(first: .milliseconds(500), limit: DatabaseWriter.longestWait)
    /// The last error; nil before the first one.
    private var lastError: CollectError?
    private var errors = RepeatedError()

    init(_ pipeline: Pipeline, _ options: Collector.Options, logger: Logger) {
        self.pipeline = pipeline
        self.options = options
        self.logger = logger
        self.gaps = GapWatch(run: options.run)
        self.retention = options.keep.map { Retention(keep: $0) }
    }

    /// Writes until the task is cancelled.
    func run(_ open: @Sendable () throws(CollectError) -> any CollectDatabase) async {
        guard let database = await self.connect(open) else { return }
        for await _ in self.pipeline.batches {
            while let batch = self.pipeline.takeBatch() {
                guard await self.write(batch, to: database) else { return }
                await self.housekeep(database)
            }
            await self.housekeep(database)
            if Task.isCancelled { return }
        }
    }

    // MARK: - The start

    private func connect(_ open: () throws(CollectError) -> any CollectDatabase) async -> (any CollectDatabase)? {
        while !Task.isCancelled {
            do throws(CollectError) {
                let database = try open()
                try database.open()
                self.works()
                return database
            } catch {
                if case .refused = error {
                    self.pipeline.fail(error)
                    return nil
                }
                await self.failed(error)
            }
        }
        return nil
    }

    // MARK: - Batches

    /// Writes a batch, in as many attempts as it takes.
    ///
    /// - Returns: false if the task was cancelled before.
    private func write(_ open: OpenBatch, to database: any CollectDatabase) async -> Bool {
        self.warn(of: open.presences.compactMap { self.gaps.presenceChanged($0) })
        var total = WriteResult()
        while true {
            do throws(CollectError) {
                let result = try self.writer.write(open.batch, to: database, at: self.pipeline.date(), wait: self.wait)
                total.add(result)
                self.works()
                break
            } catch {
                await self.failed(error)
                if Task.isCancelled { return false }
            }
        }
        self.pipeline.committed(open, total)
        self.retention?.batchCommitted(open.batch, total, at: self.pipeline.clock.now)
        self.warn(of: total.shared)
        await self.responsesReceived(open.batch, database)
        return true
    }

    // MARK: - Missing records

    /// Passes the responses in a committed batch on, because some answer requests of this collector.
    private func responsesReceived(_ batch: Batch, _ database: any CollectDatabase) async {
        var actions: [GapWatch.Action] = []
        for record in batch.records {
            guard case .response(let response) = record.content else { continue }
            actions += self.gaps.responseReceived(
                response.response,
                response.resend,
                from: record.vehicle,
                at: self.pipeline.clock.now,
                self.pipeline.date()
            )
        }
        do throws(CollectError) {
            try self.perform(actions, database)
        } catch {
            await self.failed(error)
        }
    }

    private func perform(_ actions: [GapWatch.Action], _ database: any CollectDatabase) throws(CollectError) {
        var open = actions[...]
        var batch = Batch()
        while let action = open.popFirst() {
            switch action {
            case .claim(let limit, let until):
                let streams = try database.gaps(limit: limit, at: self.pipeline.date(), until: until)
                self.gaps.streamsClaimed(streams, at: self.pipeline.clock.now)
            case .read(let keys):
                let streams: [StreamKey: Received]
                do throws(CollectError) {
                    streams = try self.read(keys, database)
                } catch {
                    self.gaps.readFailed(keys)
                    throw error
                }
                open += self.gaps.streamsRead(streams, at: self.pipeline.clock.now, self.pipeline.date())
            case .publish(let request):
                guard let message = self.options.command(request) else { continue }
                self.pipeline.publish(message)
                self.logger.debug("Asked \(request.vehicle) for \(request.key.stream) from \(request.range.from)")
            case .change(let change): batch.changes.append(change)
            }
        }
        guard !batch.isEmpty else { return }
        let result = try self.writer.write(batch, to: database, at: self.pipeline.date(), wait: self.wait)
        self.pipeline.update { $0.total.add(result) }
    }

    private func read(
        _ keys: [StreamKey],
        _ database: any CollectDatabase
    ) throws(CollectError) -> [StreamKey: Received] {
        try database.begin()
        defer { database.rollback() }
        return try database.received(keys)
    }

    // MARK: - Idle time

    /// Asks for missing records, and deletes old rows in small steps.
    private func housekeep(_ database: any CollectDatabase) async {
        let now = self.pipeline.clock.now
        guard now >= self.nextHousekeeping, !self.pipeline.isStopping else { return }
        self.nextHousekeeping = now + Self.housekeepingInterval
        do throws(CollectError) {
            if self.pipeline.isDatabaseLost {
                // Only a transaction connects again.
                try database.begin()
                database.rollback()
                self.works()
            }
            // A short run would claim the streams, and not be there for the answers.
            if self.pipeline.status.broker.since != nil, !self.options.endsWhenQuiet {
                try self.perform(self.gaps.timePassed(at: now, self.pipeline.date()), database)
                let count = UInt64(self.gaps.requestCount)
                self.pipeline.update { $0.asked = count }
            }
            if now >= self.nextCount {
                self.nextCount = now + (self.options.endsWhenQuiet ? Self.housekeepingInterval : Self.countInterval)
                // Notices a file that is gone, although nothing is to be written.
                try database.begin()
                database.rollback()
                let missing = MissingRecords(try database.incomplete(limit: Self.countLimit))
                self.pipeline.update { status in
                    (status.incompleteStreams, status.missing) = (missing.streams, missing.records)
                }
            }
            try self.prune(database, at: now)
        } catch {
            await self.failed(error)
        }
    }

    private func prune(_ database: any CollectDatabase, at now: MonotonicTime) throws(CollectError) {
        guard self.pipeline.isDrained, let limit = self.retention?.stepLimit(at: now, self.pipeline.date()) else {
            return
        }
        let count = try database.prune(before: limit, limit: Retention.step)
        guard let round = self.retention?.stepDone(count, at: now) else { return }
        let rest = round.isCut ? "; older ones are left for the next hour" : ""
        self.logger.notice("Deleted \(round.rows) rows of before \(round.limit), as \"keep\" says\(rest)")
    }

    /// Warns once of each agent that is heard on the topics of two vehicles.
    private func warn(of found: some Sequence<SharedAgent>) {
        for agent in found where self.shared.insert(agent) {
            self.logger.warning("\(agent.warning)")
            let count = self.shared.count
            self.pipeline.update { $0.sharedAgents = count }
        }
    }

    /// Waits for another writer.
    private nonisolated func wait(_ duration: Duration) {
        self.pipeline.writerSeen()
        usleep(UInt32(clamping: duration.milliseconds * 1000))
    }

    // MARK: - Errors

    private func works() {
        if self.errors.worked(at: self.pipeline.clock.now), let error = self.lastError {
            self.logger.notice("The database works again after: \(error)")
        }
        self.backoff.reset()
        self.pipeline.databaseFound()
    }

    /// Notes an error, and waits before the next attempt.
    private func failed(_ error: CollectError) async {
        if case .conflict = error {
            self.pipeline.failed("\(error)")
        } else {
            self.pipeline.databaseLost(error)
        }
        // The database that comes back may be another one: a restored backup, or a new file.
        if case .unreachable = error { self.writer = BatchWriter() }
        if self.errors.failed("\(error)", at: self.pipeline.clock.now) {
            self.logger.error("\(error). The collector tries again; the broker keeps the messages meanwhile")
        }
        self.lastError = error
        let end = self.pipeline.clock.now + self.backoff.next()
        while self.pipeline.clock.now < end, !Task.isCancelled {
            self.pipeline.writerSeen()
            let step = min(end, self.pipeline.clock.now + .milliseconds(500))
            try? await self.pipeline.clock.sleep(until: step)
        }
    }
}
