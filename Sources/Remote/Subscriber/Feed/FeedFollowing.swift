// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Follows the feed of this machine's agent over one connection after the other.
///
/// The caller owns the socket and the clock. It connects again at ``retryAt``, with the waits of a lost broker.
package struct FeedFollowing: Sendable {
    /// The progress.
    package enum Progress: Hashable, Sendable {
        /// The agent has greeted, or has turned to another vehicle.
        case greeted(FeedGreeting)
        /// A payload, as a message of its topic.
        case message(Message)
        /// The connection is lost, or was not made, for this reason.
        case lost(String)
    }

    /// The action after received bytes.
    package enum ReceiveAction: Hashable, Sendable {
        case report(Progress)
        /// The caller closes the connection and calls ``closed(at:)``.
        case close
    }

    /// The time for the greeting.
    private static let greetingLimit = Duration.seconds(15)
    /// The number of heartbeats that may be missing: a machine may be busy.
    private static let missingHeartbeats = 3

    private var parser = FeedParser()
    private var greeting: FeedGreeting?
    private var ending: String?
    /// The time by which the agent must say something; nil if it need not, or while there is no connection.
    private var deadline: MonotonicTime?
    private var backoff = Backoff(first: .milliseconds(500), limit: .seconds(15))
    /// The time to connect; nil while there is a connection.
    package private(set) var retryAt: MonotonicTime?

    package init() {}

    /// The caller has connected.
    package mutating func connected(at now: MonotonicTime) {
        (self.parser, self.greeting, self.ending, self.retryAt) = (FeedParser(), nil, nil, nil)
        self.deadline = now + Self.greetingLimit
    }

    /// The action as time passes.
    package enum TimeAction: Hashable, Sendable {
        case none
        /// The agent has said nothing for too long: the caller closes the connection and calls ``closed(at:)``.
        case close
    }

    /// Time has passed.
    package mutating func timePassed(at now: MonotonicTime) -> TimeAction {
        guard let deadline, now >= deadline else { return .none }
        self.ending = "the agent has stopped answering"
        return .close
    }

    /// Takes received bytes.
    package mutating func received(_ bytes: [UInt8], at now: MonotonicTime) -> [ReceiveAction] {
        guard !bytes.isEmpty else { return [] }
        defer {
            if let greeting { self.deadline = greeting.heartbeat.map { now + $0 * Self.missingHeartbeats } }
        }
        guard let lines = self.parser.received(bytes) else {
            self.ending = "the agent has sent a line that is too long"
            return [.close]
        }
        var actions: [ReceiveAction] = []
        for line in lines {
            switch line {
            case .greeting(let greeting):
                self.greeting = greeting
                self.backoff.reset()
                actions.append(.report(.greeted(greeting)))
            case .message(let path, let isRetained, let payload):
                guard let message = self.message(path, isRetained: isRetained, payload) else { continue }
                actions.append(.report(.message(message)))
            case .heartbeat: continue
            case .end(let reason):
                self.ending = reason.description
                return actions + [.close]
            }
        }
        return actions
    }

    private func message(_ path: String, isRetained: Bool, _ payload: [UInt8]) -> Message? {
        guard let greeting, let topic = try? Topic("\(greeting.prefix)/\(greeting.vehicle)/\(path)") else { return nil }
        return Message(topic: topic, payload: payload, retain: isRetained)
    }

    /// The connection is closed.
    ///
    /// - Returns: the reason.
    package mutating func closed(at now: MonotonicTime) -> String {
        self.lost(self.ending ?? "the connection to the agent was lost", at: now)
    }

    /// There is no connection to the agent.
    ///
    /// - Returns: the reason.
    package mutating func notConnected(because reason: String, at now: MonotonicTime) -> String {
        self.lost("no connection to the agent: \(reason)", at: now)
    }

    private mutating func lost(_ reason: String, at now: MonotonicTime) -> String {
        self.retryAt = now + self.backoff.next()
        self.deadline = nil
        return reason
    }
}

/// The lines of a feed, out of the bytes of a socket.
private struct FeedParser: Sendable {
    /// The beginning of a line.
    private var rest: [UInt8] = []

    /// Returns the lines that are complete now, without those of a later version; nil if one is too long.
    mutating func received(_ bytes: [UInt8]) -> [FeedLine]? {
        var parts = bytes.split(separator: FeedLine.newline, omittingEmptySubsequences: false)
        let last = parts.removeLast()
        var lines: [FeedLine] = []
        for part in parts {
            self.rest += part
            guard self.rest.count < FeedLine.limit else { return nil }
            if let line = FeedLine(parsing: self.rest) { lines.append(line) }
            self.rest.removeAll(keepingCapacity: true)
        }
        self.rest += last
        return self.rest.count < FeedLine.limit ? lines : nil
    }
}
