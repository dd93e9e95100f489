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
    /// The time without any message after the subscription that is suspicious: agents retain their states.
    static let silenceTime = Duration.seconds(60)

    /// The progress.
    package enum Progress: Hashable, Sendable {
        case message(Message)
        case subscribed
        case connectionLost(MQTTError)
        /// The broker accepted the connection, and has kept the session or not.
        case connected(sessionPresent: Bool)
        /// Another client probably has the client id.
        case rival(isCertain: Bool)
        /// The broker has sent nothing at all.
        case silent
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
        /// The database refuses this collector, or was not there in the time that the run gives it.
        case databaseFailed(CollectError)
        /// The broker was not there in the time that the run gives it.
        case brokerFailed(MQTTError)
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
    /// The longest time without the broker or the database; nil for ever.
    private let absenceLimit: Duration?
    private var lastArrival: MonotonicTime?
    /// Whether the broker has ever answered the subscription.
    private var wasSubscribed = false
    /// The last error of the broker, and the time from which the broker was absent.
    private var brokerError: MQTTError?
    private var brokerAbsence: MonotonicTime?
    private var databaseAbsence: MonotonicTime?
    private var silence = SilenceWatch(after: Self.silenceTime)
    private var stopDeadline: MonotonicTime?

    init(
        _ filters: CollectFilters,
        _ pipeline: Pipeline,
        until end: MonotonicTime?,
        endsWhenQuiet: Bool,
        absenceLimit: Duration? = nil
    ) {
        self.filters = filters.records + filters.states
        self.required = filters.records.count
        self.pipeline = pipeline
        self.end = end
        self.endsWhenQuiet = endsWhenQuiet
        self.absenceLimit = absenceLimit
    }

    package mutating func connected(sessionPresent: Bool) -> [Action] {
        [.report(.connected(sessionPresent: sessionPresent))]
    }

    package mutating func rivalFound(isCertain: Bool) -> [Action] { [.report(.rival(isCertain: isCertain))] }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        (self.lastArrival, self.brokerAbsence, self.brokerError) = (now, nil, nil)
        self.wasSubscribed = true
        self.silence.subscribed(at: now)
        let refused = zip(self.filters, grants).filter { !$0.1 }.map(\.0)
        if let filter = self.filters.prefix(self.required).first(where: { refused.contains($0) }) {
            return [.finish(.forbidden(filter))]
        }
        return [.report(.subscribed)] + (refused.isEmpty ? [] : [.report(.refused(refused.map(\.description)))])
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        if self.lastArrival != nil { self.lastArrival = now }
        self.silence.messageReceived()
        return [.report(.message(message))]
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [.report(.commandRejected(code: code))] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        (self.lastArrival, self.brokerError) = (nil, error)
        self.silence.connectionLost()
        return [.report(.connectionLost(error))]
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        if let failure = self.pipeline.failure { return [.finish(.databaseFailed(failure))] }
        if let absence = self.absence(at: now) { return [.finish(absence)] }
        let outgoing = self.pipeline.timePassed(at: now)
        if let end = self.end, now >= end {
            if !self.pipeline.isStopping, let absence = self.permanentAbsence { return [.finish(absence)] }
            self.pipeline.stop()
        }
        if self.endsWhenQuiet, let last = self.lastArrival, now >= last + Self.quietTime, self.pipeline.isDrained {
            self.pipeline.stop()
        }
        guard self.pipeline.isStopping else {
            return outgoing.map { .publish($0) } + (self.silence.isDue(at: now) ? [.report(.silent)] : [])
        }
        let deadline = self.stopDeadline ?? (now + Self.stopTimeout)
        self.stopDeadline = deadline
        let isOver = self.pipeline.isDrained || self.pipeline.isDatabaseLost || now >= deadline
        return isOver ? [.finish(.ended)] : []
    }

    /// The outcome of a run that has found no broker or no database at all.
    private var permanentAbsence: Outcome? {
        if !self.wasSubscribed { return .brokerFailed(self.brokerError ?? .notConnected) }
        return self.pipeline.databaseError.map { .databaseFailed($0) }
    }

    /// Returns the outcome if the broker or the database was absent for longer than the run waits.
    private mutating func absence(at now: MonotonicTime) -> Outcome? {
        guard let limit = self.absenceLimit, !self.pipeline.isStopping else { return nil }
        if self.lastArrival == nil {
            let start = self.brokerAbsence ?? now
            self.brokerAbsence = start
            if now - start >= limit { return .brokerFailed(self.brokerError ?? .notConnected) }
        }
        guard let error = self.pipeline.databaseError else {
            self.databaseAbsence = nil
            return nil
        }
        let start = self.databaseAbsence ?? now
        self.databaseAbsence = start
        return now - start >= limit ? .databaseFailed(error) : nil
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
