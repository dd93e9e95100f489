// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Logging
import MQTT
import Subscriber

/// Passes the progress of the connection to the broker on to the pipeline, and logs what a person should know.
///
/// The same error is logged rarely, however often the collector tries again.
final class ConnectionLog: Sendable {
    private struct State {
        var errors = RepeatedError(logsFirstSuccess: true)
        /// Whether the broker should have a session of this client.
        var hasSession: Bool
    }

    private let pipeline: Pipeline
    private let options: Collector.Options
    private let logger: Logger
    private let state: Locked<State>

    init(_ pipeline: Pipeline, _ options: Collector.Options, logger: Logger) {
        self.pipeline = pipeline
        self.options = options
        self.logger = logger
        self.state = Locked(State(hasSession: options.hasPredecessor))
    }

    func report(_ progress: Collecting.Progress) {
        switch progress {
        case .message(let message): self.pipeline.received(message)
        case .connected(let sessionPresent): self.connected(sessionPresent: sessionPresent)
        case .subscribed: self.subscribed()
        case .connectionLost(let error): self.connectionLost(error)
        case .rival(let isCertain): self.rivalFound(isCertain: isCertain)
        case .silent:
            let words = SilenceWatch.words("\(self.options.topics.prefix)/…")
            self.logger.warning("\(words) Try: \(SilenceWatch.nextStep)")
        case .refused(let filters):
            let list = filters.joined(separator: ", ")
            self.failed(
                "the broker does not let this client read \(list)",
                next: "a rule in the broker's access list that lets this user read these topics"
            )
        case .commandRejected(let code):
            self.failed(
                "the broker rejected a request for missing records (\(code))",
                next: "a rule in the broker's access list that lets this user write commands"
            )
        }
    }

    private func connected(sessionPresent: Bool) {
        let isLost = self.state.withLock { state in
            defer { state.hasSession = true }
            return state.hasSession && !sessionPresent
        }
        guard isLost else { return }
        self.pipeline.update { $0.lostSessions += 1 }
        self.logger.warning(
            """
            The broker has no session of this client any more: what came meanwhile is asked of the agents. \
            Try: persistence at the broker, and a larger max_queued_messages
            """
        )
    }

    private func subscribed() {
        self.pipeline.subscribed()
        let now = self.pipeline.clock.now
        if self.state.withLock({ $0.errors.worked(at: now) }) {
            self.logger.notice("Connected to \(self.pipeline.status.broker.name)")
        }
    }

    private func connectionLost(_ error: MQTTError) {
        self.pipeline.connectionLost("\(error)")
        let now = self.pipeline.clock.now
        guard self.state.withLock({ $0.errors.failed("\(error)", at: now) }) else { return }
        self.logger.warning("\(error). The collector reconnects\(Self.advice(self.options.nextStep(error)))")
    }

    private func rivalFound(isCertain: Bool) {
        let (id, date) = (self.pipeline.status.clientID, self.pipeline.date())
        self.pipeline.update { status in
            status.rivals += 1
            status.lastRival = date
        }
        let subject = isCertain ? "another client" : "probably another client"
        self.failed(
            "\(subject) has the client id \(id): each ends the connections of the other. The collector waits for minutes",
            next: "client_id, another one for each collector"
        )
    }

    /// Notes an error that is no loss of the connection.
    private func failed(_ words: String, next: String) {
        self.pipeline.failed(words)
        let now = self.pipeline.clock.now
        guard self.state.withLock({ $0.errors.isDue(words, at: now) }) else { return }
        let line = words.prefix(1).uppercased() + words.dropFirst()
        self.logger.warning("\(line)\(Self.advice(next))")
    }

    private static func advice(_ next: String?) -> String { next.map { ". Try: \($0)" } ?? "" }
}
