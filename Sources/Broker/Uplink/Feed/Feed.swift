// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT

/// The lines for the programs on this machine that read what the agent publishes, whether it has a broker or not.
///
/// The retained state is that of ``LivePlane``; without a reader no line is made.
struct Feed: Sendable {
    private let agent: String
    private let prefix: Topic
    private(set) var readers = FeedReaders()
    private var broker: BrokerReport

    init(_ options: UplinkOptions) {
        self.agent = options.agent
        self.prefix = options.topicPrefix
        self.broker = BrokerReport(connected: false, server: options.servers.first.map(Self.name))
    }

    // MARK: - Readers

    /// A reader has come; it gets the retained state first.
    mutating func add(
        about vehicle: String,
        _ state: [(path: TopicPath, payload: LivePayload)],
        waking wake: @escaping FeedReaders.Wake
    ) -> FeedReaders.AddAction {
        self.readers.add(self.snapshot(of: vehicle, state), waking: wake)
    }

    mutating func take(for id: FeedReaders.ID) -> FeedReaders.Output { self.readers.take(for: id) }
    mutating func stalled(_ id: FeedReaders.ID) { self.readers.stalled(id) }
    mutating func remove(_ id: FeedReaders.ID) { self.readers.remove(id) }

    /// The agent ends.
    mutating func close() {
        self.append(
            .message(path: TopicPath.availability.text, isRetained: false, payload: Availability.offline.payload)
        )
        for wake in self.readers.close() { wake() }
    }

    // MARK: - Lines

    /// A payload was updated.
    mutating func updated(_ path: TopicPath, _ payload: LivePayload) {
        guard !self.readers.isEmpty, let bytes = try? payload.encoded() else { return }
        self.append(.message(path: path.text, isRetained: false, payload: bytes))
    }

    /// Topics were removed.
    mutating func removed(_ paths: [TopicPath]) {
        for path in paths { self.updated(path, .withdrawn) }
    }

    /// An event was recorded; it has no number here, because it gets one on the disk.
    mutating func recorded(_ event: AgentEvent, at time: Timestamp, _ clock: ClockQuality) {
        guard !self.readers.isEmpty, case .object(var members)? = try? JSON(encoding: event) else { return }
        let header: [String: JSON] = [
            "v": 1, "agent": .string(self.agent), "time": .string(time.description), "clock": .string(clock.rawValue),
        ]
        members.merge(header) { $1 }
        let payload = Array(JSON.object(members).text.utf8)
        self.append(.message(path: TopicPath.stream(.events).text, isRetained: false, payload: payload))
    }

    /// The vehicle has changed: nothing is known of the new one yet.
    mutating func turned(to vehicle: String) {
        guard !self.readers.isEmpty else { return }
        for line in self.snapshot(of: vehicle, []) { self.append(line) }
    }

    /// The agent is connected to a broker.
    mutating func brokerConnected(_ server: Server) {
        self.set(BrokerReport(connected: true, server: Self.name(server)))
    }

    /// The agent has no connection to a broker.
    ///
    /// - Parameter server: the broker that is dialed next.
    mutating func brokerLost(_ failure: MQTTError, next server: Server) {
        self.set(BrokerReport(connected: false, server: Self.name(server), problem: failure.description))
    }

    private mutating func set(_ report: BrokerReport) {
        guard report != self.broker else { return }
        self.broker = report
        if !self.readers.isEmpty { self.append(self.brokerLine(isRetained: false)) }
    }

    private static func name(_ server: Server) -> String { "\(server.host):\(server.port)" }

    private func brokerLine(isRetained: Bool) -> [UInt8] {
        let payload = (try? PayloadEncoder.bytes(of: self.broker)) ?? []
        return FeedLine.message(path: BrokerReport.path, isRetained: isRetained, payload: payload).bytes
    }

    /// Returns the lines with all that is known of a vehicle.
    private func snapshot(of vehicle: String, _ state: [(path: TopicPath, payload: LivePayload)]) -> [[UInt8]] {
        let greeting = FeedLine.greeting(FeedGreeting(agent: self.agent, prefix: self.prefix, vehicle: vehicle))
        let online = FeedLine.message(
            path: TopicPath.availability.text,
            isRetained: true,
            payload: Availability.online.payload
        )
        let lines = state.map { (path: $0.path.text, payload: try? $0.payload.encoded()) }.sorted { $0.path < $1.path }
            .compactMap { path, payload in
                payload.flatMap { bytes in
                    bytes.isEmpty ? nil : FeedLine.message(path: path, isRetained: true, payload: bytes).bytes
                }
            }
        return [greeting.bytes, online.bytes, self.brokerLine(isRetained: true)] + lines
    }

    private mutating func append(_ line: FeedLine) { self.append(line.bytes) }

    private mutating func append(_ line: [UInt8]) {
        for wake in self.readers.append(line) { wake() }
    }
}
