// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Subscriber

/// The source of a live view: a broker, or this machine's agent itself.
package enum LiveFeed {
    case broker(BrokerAccess, vehicle: String)
    case agent(AgentFeed)

    /// The vehicle of the messages, and the place of its topics.
    struct Subject: Hashable {
        let topics: FleetTopics
        let vehicle: String

        /// The topics of the vehicle, for people.
        var words: String { "\(self.topics.prefix)/\(self.vehicle)/…" }
    }

    enum Progress {
        /// The source is there, with messages about this vehicle.
        case connected(Subject)
        case message(Message)
        /// The connection to the source is lost.
        case connectionLost(String)
        /// Time has passed, ten times a second, also without a connection.
        case timePassed(MonotonicTime)
    }

    var source: LiveSource {
        switch self {
        case .broker(let broker, _):
            .broker(broker.name.firstRange(of: "://").map { String(broker.name[$0.upperBound...]) } ?? broker.name)
        case .agent: .agent
        }
    }

    /// The first vehicle.
    var subject: Subject {
        switch self {
        case .broker(let broker, let vehicle): Subject(topics: broker.topics, vehicle: vehicle)
        case .agent(let feed): Subject(feed.greeting)
        }
    }

    /// Follows the source until the deadline, until a signal of the user, or until `stop` returns.
    ///
    /// - Parameters:
    ///   - paths: the topics of the vehicle that a broker is asked for; the agent sends all that it has.
    ///   - stop: called once.
    ///   - body: called with all that happens. It writes to standard output, so the command ends with its reader.
    func follow(
        _ paths: [String],
        until deadline: MonotonicTime?,
        or stop: (@Sendable () async -> Void)? = nil,
        _ body: (Progress) throws -> Void
    ) async throws {
        switch self {
        case .broker(let broker, let vehicle):
            let following = Following(try broker.filters(paths, of: vehicle), until: deadline)
            try await broker.follow(following, until: stop) { progress in
                switch progress {
                case .message(let message): try body(.message(message))
                case .subscribed: try body(.connected(self.subject))
                case .connectionLost(let error): try body(.connectionLost("\(error)"))
                case .timePassed(let now): try body(.timePassed(now))
                }
            }
        case .agent(let feed):
            let tick: (MonotonicTime) throws -> Void = { now in
                try body(.timePassed(now))
                try StandardOutput.checkReader()
            }
            try await feed.follow(until: deadline, or: await StopSignals.first(or: stop), tick: tick) { progress in
                switch progress {
                case .greeted(let greeting): try body(.connected(Subject(greeting)))
                case .message(let message): try body(.message(message))
                case .lost(let reason): try body(.connectionLost(reason))
                }
                try StandardOutput.check()
            }
        }
    }
}

extension LiveFeed.Subject {
    fileprivate init(_ greeting: FeedGreeting) {
        self.init(topics: FleetTopics(prefix: greeting.prefix), vehicle: greeting.vehicle)
    }
}
