// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// Writes batches into a database, each record exactly once.
///
/// The numbers of the received records are in the same database, and change in the same transaction as the rows. A
/// batch may thus be written again after any error, also if the answer to its commit was lost.
package struct BatchWriter {
    /// The number of attempts for a transaction that other writers hinder.
    package static let attemptLimit = 10

    private var series = SeriesCache()

    package init() {}

    /// Writes a batch.
    ///
    /// A transaction that another writer hinders is tried again after a short random wait. If the database does not
    /// accept a value, the batch is halved until the damaged part is alone; it becomes a row of `rejected`.
    ///
    /// - Parameters:
    ///   - now: the present date.
    ///   - wait: waits for a time.
    /// - Throws: ``CollectError`` if nothing more can be written now. Parts of the batch may be committed.
    package mutating func write(
        _ batch: Batch,
        to database: some CollectDatabase,
        at now: Timestamp,
        wait: (Duration) -> Void
    ) throws(CollectError) -> WriteResult {
        var result = WriteResult()
        guard batch.hasContent else { return result }
        // The last part comes first.
        var parts = [batch]
        while let part = parts.popLast() {
            do throws(CollectError) {
                try self.commit(part, to: database, at: now, wait, &result)
            } catch .invalid(let reason) {
                if let (first, second) = part.halves {
                    parts += [second, first]
                } else if let rejected = part.rejection(reason, at: now) {
                    parts.append(rejected)
                } else {
                    // The rows of this program are always valid, so the tables are not those of this program.
                    throw .refused("a row that is always valid was not accepted (\(reason))")
                }
            }
        }
        return result
    }

    /// Writes a part of a batch in one transaction, if need be in several attempts.
    private mutating func commit(
        _ part: Batch,
        to database: some CollectDatabase,
        at now: Timestamp,
        _ wait: (Duration) -> Void,
        _ result: inout WriteResult
    ) throws(CollectError) {
        var backoff = Backoff(first: .milliseconds(20), limit: .seconds(1))
        var attempts = 1
        while true {
            do throws(CollectError) {
                let (found, committed) = try self.attempt(part, in: database, at: now)
                self.series.insert(found)
                result.add(committed)
                return
            } catch {
                database.rollback()
                guard case .conflict = error, attempts < Self.attemptLimit else { throw error }
                result.conflicts += 1
                attempts += 1
                wait(backoff.next())
            }
        }
    }

    /// Makes one transaction, and returns the ids of its new series and its counts.
    private func attempt(
        _ part: Batch,
        in database: some CollectDatabase,
        at now: Timestamp
    ) throws(CollectError) -> ([SeriesKey: Int64], WriteResult) {
        var transaction = BatchTransaction(part, knowing: self.series)
        try database.begin()
        try transaction.write(to: database, at: now)
        try database.commit()
        transaction.result.transactions = 1
        return (transaction.found, transaction.result)
    }
}
