// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT
package import Subscriber

/// The collector's side of the connection to a broker.
///
/// The machine hands messages to the pipeline, and publishes what the writer asks for. Once the collector stops, it ends
/// as soon as nothing waits to be written.
package struct Collecting: BrokerMachine {
    /// The longest wait for the database at the end; what is not committed by then is not acknowledged either.
    static let stopTimeout = Duration.seconds(50)
    /// The time without a message after which nothing more is expected of the broker.
    static let quietTime = Duration.seconds(3)

    /// The progress.
    package enum Progress: Hashable, Sendable {
        case message(Message)
        case subscribed
        case connectionLost(MQTTError)
        /// The broker does not grant these filters.
        case refused([String])
        /// The broker rejected a command.
        case commandRejected(code: UInt8)
    }

    /// The reason for which the collector ended.
    package enum Outcome: Hashable, Sendable {
        case ended
        /// The broker does not allow this client to read the records.
        case forbidden(TopicFilter)
        /// The database refuses this client.
        case databaseFailed(CollectError)
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    package let endsSession = false

    private let pipeline: Pipeline
    /// The number of filters at the beginning of the list that must be granted.
    private let required: Int
    /// The end of the run; nil to continue until stopped.
    private let end: MonotonicTime?
    /// Whether to end once the broker has sent everything.
    private let endsWhenQuiet: Bool
    private var lastArrival: MonotonicTime?
    private var stopDeadline: MonotonicTime?

    init(
        _ filters: CollectFilters,
        _ pipeline: Pipeline,
        until end: MonotonicTime?,
        endsWhenQuiet: Bool
    ) {
        self.filters = filters.records + filters.states
        self.required = filters.records.count
        self.pipeline = pipeline
        self.end = end
        self.endsWhenQuiet = endsWhenQuiet
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.lastArrival = now
        let refused = zip(self.filters, grants).filter { !$0.1 }.map(\.0)
        if let filter = self.filters.prefix(self.required).first(where: { refused.contains($0) }) {
            return [.finish(.forbidden(filter))]
        }
        return [.report(.subscribed)] + (refused.isEmpty ? [] : [.report(.refused(refused.map(\.description)))])
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        if self.lastArrival != nil { self.lastArrival = now }
        return [.report(.message(message))]
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [.report(.commandRejected(code: code))] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        self.lastArrival = nil
        return [.report(.connectionLost(error))]
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        if let failure = self.pipeline.failure { return [.finish(.databaseFailed(failure))] }
        let outgoing = self.pipeline.timePassed(at: now)
        if let end = self.end, now >= end { self.pipeline.stop() }
        if self.endsWhenQuiet, let last = self.lastArrival, now >= last + Self.quietTime, self.pipeline.isDrained {
            self.pipeline.stop()
        }
        guard self.pipeline.isStopping else { return outgoing.map { .publish($0) } }
        let deadline = self.stopDeadline ?? (now + Self.stopTimeout)
        self.stopDeadline = deadline
        let isOver = self.pipeline.isDrained || self.pipeline.isDatabaseLost || now >= deadline
        return isOver ? [.finish(.ended)] : []
    }

    package mutating func stopRequested() -> [Action] {
        self.pipeline.stop()
        return []
    }
}

/// The subscriptions of a collector.
struct CollectFilters {
    /// The topics of records; with a group, shared.
    let records: [TopicFilter]
    /// The retained topics, never shared: a shared subscription gets no retained messages.
    let states: [TopicFilter]

    /// - Parameters:
    ///   - share: the group with which the records are shared; nil for all records.
    ///   - requester: the level of the topics for the responses to this collector's commands.
    init(_ topics: FleetTopics, share: String?, requester: String) throws(TopicError) {
        let start = share.map { "$share/\($0)/" } ?? ""
        self.records = try ["telemetry", "telemetry/zlib", "events", "responses"].map { path throws(TopicError) in
            try TopicFilter(start + topics.filter(path).description)
        }
        let paths = CollectedState.topics.sorted() + ["responses/\(requester)"]
        self.states = try paths.map { path throws(TopicError) in try topics.filter(path) }
    }
}
