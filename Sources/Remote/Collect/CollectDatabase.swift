// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A database of a fleet's records, for the one thread that writes into it.
///
/// The calls block. After an error nothing of the transaction is left, and ``begin()`` may follow; after
/// ``CollectError/unreachable(_:)`` it connects again by itself.
package protocol CollectDatabase: AnyObject {
    /// Connects, and creates or migrates the schema; refuses a newer one.
    func open() throws(CollectError)

    /// Begins a transaction.
    func begin() throws(CollectError)

    /// Returns the rows of these streams, with those of the same agents, streams and epochs on the topics of other
    /// vehicles, and locks them until the transaction ends.
    ///
    /// A row that is not there is created, empty. Rows are created and locked in ascending order of their keys.
    ///
    /// - Parameter keys: different keys, in any order.
    func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received]

    /// Whether there are rows of an agent's streams, of this epoch or an earlier one.
    func hasEpoch(of agent: String, through epoch: UInt64) throws(CollectError) -> Bool

    /// Returns the ids of series; creates those that are not there.
    ///
    /// A key with a unit also stands for a series with the same other parts and without a unit, which gets the unit.
    /// A key without a unit stands for the newest series with the same other parts.
    func series(_ keys: [SeriesKey]) throws(CollectError) -> [SeriesKey: Int64]

    /// Adds samples.
    func insert(_ samples: [SampleRow]) throws(CollectError)

    /// Adds rows with the values of ``CollectTable/columns``.
    func insert(_ rows: [[ColumnValue]], into table: CollectTable) throws(CollectError)

    /// Writes the rows of streams that ``received(_:)`` has returned in this transaction.
    func save(_ received: [StreamKey: Received]) throws(CollectError)

    /// Replaces states by newer ones; deletes those whose body is empty.
    ///
    /// A state is newer if its time is not before that of the row, or if one of both has none. A row whose time lies
    /// after the state's ``CollectedState/receivedAt`` is of a clock that went wrong, and is replaced.
    ///
    /// - Parameter states: at most one of a vehicle's topic, in ascending order of vehicle and topic.
    func upsert(_ states: [CollectedState]) throws(CollectError)

    func commit() throws(CollectError)

    /// Ends the transaction without a trace; does nothing without one.
    func rollback()

    /// Claims streams for requests to their agents, in a transaction of its own.
    ///
    /// These are streams whose ``Received/nextAsk`` is missing, not after `now`, or so far away that a clock was wrong,
    /// and that have holes by their ``Received/outlook``, or whose end is not known although the same agent and stream
    /// have a later epoch; the end of `responses` does not matter. The claim sets ``Received/nextAsk`` to `until`. Those
    /// that wait longest come first; rows that are locked are left out.
    ///
    /// - Returns: the rows, joined by those of other vehicles.
    func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received]

    /// Returns streams that have holes, at most `limit`, joined by those of other vehicles, without a claim.
    func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received]

    /// Deletes what is older than a time: at most `limit` rows, in a transaction of its own.
    ///
    /// Series stay, because writers remember their ids. A row of numbers goes once it is without holes and its end is known, or it is of
    /// `responses`, and no agent can send its records again: 100 days after its last change, or at `time` if that is
    /// later.
    ///
    /// - Returns: the number of deleted rows.
    func prune(before time: Timestamp, limit: Int) throws(CollectError) -> Int
}
