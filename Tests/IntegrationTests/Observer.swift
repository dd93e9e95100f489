// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport

/// A message as a subscriber gets it.
struct Observed: Sendable {
    let topic: String
    let qos: Int
    let retain: Bool
    let correlationData: String
    /// The user properties, each as `name:value`, with blanks between.
    let userProperties: String
    let payload: [UInt8]
    let arrival: ContinuousClock.Instant

    /// The payload as JSON; null if it is no JSON.
    var json: JSON { JSON(parsing: self.payload) }
    var text: String { String(decoding: self.payload, as: UTF8.self) }

    /// Parses a line of `mosquitto_sub` in the format of ``Observer``; nil if it has another format.
    init?(_ line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 6, let qos = Int(fields[1]) else { return nil }
        self.topic = String(fields[0])
        self.qos = qos
        self.retain = fields[2] == "1"
        self.correlationData = String(fields[3])
        self.userProperties = String(fields[4])
        self.payload = [UInt8](hexadecimal: fields[5]) ?? []
        self.arrival = .now
    }
}

/// A `mosquitto_sub` on every topic of a broker, with the messages that it has received.
actor Observer {
    /// The topic of the test's own messages; every sender of commands may publish to it.
    static let ownTopic = "obd/observer/commands"
    /// The payload of the message that proves the subscription, which comes once or twice.
    private static let ready = "ready"

    private let process: ChildProcess
    private(set) var messages: [Observed] = []
    private var watchers: [AsyncStream<Observed>.Continuation] = []

    /// Subscribes, and returns once later messages are sure to arrive.
    ///
    /// - Parameter publisher: the sender of the message that proves the subscription.
    init(_ broker: Broker, _ credentials: [String] = [], beside publisher: Publisher) async throws {
        let connection = Publisher(broker, credentials).connection
        let format = ["-F", "%t\t%q\t%r\t%D\t%P\t%x", "--retain-as-published", "-q", "1", "-t", "#"]
        self.process = try ChildProcess(
            try Program("mosquitto_sub", debianPackage: "mosquitto-clients"),
            connection + format
        )
        // The broker sends a retained message right after it grants the subscription.
        try await publisher.publish(Self.ready, to: Self.ownTopic, retain: true)
        Task { [weak self, lines = self.process.output] in
            for await line in lines { await self?.receive(line) }
        }
        _ = try await self.first("the subscription") { $0.topic == Self.ownTopic }
        self.messages = []
    }

    private func receive(_ line: String) {
        guard let message = Observed(line) else { return }
        if message.topic != Self.ownTopic || message.text != Self.ready || self.messages.isEmpty {
            self.messages.append(message)
        }
        for watcher in self.watchers { watcher.yield(message) }
    }

    /// The number of messages so far.
    var count: Int { self.messages.count }

    /// Waits for the first message after the first `count` messages that `predicate` accepts.
    func first(
        _ what: String,
        after count: Int = 0,
        where predicate: @escaping @Sendable (Observed) -> Bool
    ) async throws -> Observed {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Observed.self,
            bufferingPolicy: .bufferingOldest(100_000)
        )
        for message in self.messages.dropFirst(count) { continuation.yield(message) }
        self.watchers.append(continuation)
        do {
            return try await stream.next(what, where: predicate)
        } catch {
            // Values arrive all the time, and say little about the cause of the failure.
            let telling = self.messages.filter {
                !$0.topic.contains("/parameters/") && !$0.topic.hasSuffix("/telemetry")
            }
            let topics = telling.suffix(16).map { "\($0.topic) \($0.text.prefix(400))" }
            throw Missing(description: "\(error); the last messages: \n\(topics.joined(separator: "\n"))")
        }
    }
}

/// The error that a message for which a test waits has not come.
struct Missing: Error, CustomStringConvertible {
    let description: String
}
