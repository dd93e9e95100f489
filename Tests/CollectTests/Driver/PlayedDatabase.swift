// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop

@testable import Collect

/// A database whose transactions fail as a test wants; it keeps the numbers of the records only.
final class PlayedDatabase: CollectDatabase, Sendable {
    struct State: Sendable {
        /// The error of each transaction; nil if it works.
        var error: CollectError?
        var openError: CollectError?
        var attempts = 0
        var received: [StreamKey: Received] = [:]
        var changed: [StreamKey: Received] = [:]
        var samples = 0
        /// Called at each commit.
        var onCommit: (@Sendable () -> Void)?
    }

    let state = Locked(State())

    func open() throws(CollectError) {
        if let error = self.state.withLock(\.openError) { throw error }
    }

    func begin() throws(CollectError) {
        let error = self.state.withLock { state in
            state.attempts += 1
            return state.error
        }
        if let error { throw error }
    }

    func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        let all = self.state.withLock(\.received)
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, all[$0] ?? Received()) })
    }

    func hasEpoch(of agent: String, through epoch: UInt64) throws(CollectError) -> Bool {
        self.state.withLock { $0.received.keys.contains { $0.agent == agent && $0.epoch <= epoch } }
    }

    func series(_ keys: [SeriesKey]) throws(CollectError) -> [SeriesKey: Int64] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    }

    func insert(_ samples: [SampleRow]) throws(CollectError) { self.state.withLock { $0.samples += samples.count } }
    func insert(_ rows: [[ColumnValue]], into table: CollectTable) throws(CollectError) {}
    func save(_ received: [StreamKey: Received]) throws(CollectError) { self.state.withLock { $0.changed = received } }
    func upsert(_ states: [CollectedState]) throws(CollectError) {}

    func commit() throws(CollectError) {
        let onCommit = self.state.withLock { state in
            state.received.merge(state.changed) { $1 }
            state.changed = [:]
            return state.onCommit
        }
        onCommit?()
    }

    func rollback() { self.state.withLock { $0.changed = [:] } }
    func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] { [:] }
    func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] { [:] }
    func prune(before time: Timestamp, limit: Int) throws(CollectError) -> Int { 0 }
}
