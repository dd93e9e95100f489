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
    let payload: [UInt8]
    let arrival: ContinuousClock.Instant

    /// The payload as JSON; null where it is none.
    var json: JSON { JSON(parsing: self.payload) }
    var text: String { String(decoding: self.payload, as: UTF8.self) }

    /// A line of `mosquitto_sub`, in the format that ``Observer`` asks for.
    init?(_ line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 5, let qos = Int(fields[1]) else { return nil }
        self.topic = String(fields[0])
        self.qos = qos
        self.retain = fields[2] == "1"
        self.correlationData = String(fields[3])
        self.payload = [UInt8](hexadecimal: fields[4]) ?? []
        self.arrival = .now
    }
}

/// `mosquitto_sub` on every topic of a broker, and all that it has got.
actor Observer {
    /// Whoever may send a command may publish here.
    private static let ready = "obd/observer/commands"

    private let process: ChildProcess
    private(set) var messages: [Observed] = []
    private var watchers: [AsyncStream<Observed>.Continuation] = []

    /// Subscribes; messages that are published from now on arrive.
    ///
    /// - Parameter publisher: tells when the subscription is there.
    init(_ broker: Broker, _ credentials: [String] = [], beside publisher: Publisher) async throws {
        let connection = Publisher(broker, credentials).connection
        let format = ["-F", "%t\t%q\t%r\t%D\t%x", "--retain-as-published", "-q", "1", "-t", "#"]
        self.process = try ChildProcess(
            try Program("mosquitto_sub", debianPackage: "mosquitto-clients"),
            connection + format
        )
        // What is retained comes right after the subscription is granted.
        try await publisher.publish("ready", to: Self.ready, retain: true)
        Task { [weak self, lines = self.process.output] in
            for await line in lines { await self?.receive(line) }
        }
        _ = try await self.first("the subscription") { $0.topic == Self.ready }
        self.messages = []
    }

    private func receive(_ line: String) {
        guard let message = Observed(line) else { return }
        if message.topic != Self.ready || self.messages.isEmpty { self.messages.append(message) }
        for watcher in self.watchers { watcher.yield(message) }
    }

    /// How many messages there are by now.
    var count: Int { self.messages.count }

    /// The first message, of those after the first `count`, that `predicate` accepts.
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
            // Values come all the time, and say little about what went wrong.
            let telling = self.messages.filter {
                !$0.topic.contains("/parameters/") && !$0.topic.hasSuffix("/telemetry")
            }
            let topics = telling.suffix(16).map { "\($0.topic) \($0.text.prefix(400))" }
            throw Missing(description: "\(error); the last messages: \n\(topics.joined(separator: "\n"))")
        }
    }
}

/// A message that a test waits for has not come.
struct Missing: Error, CustomStringConvertible {
    let description: String
}
