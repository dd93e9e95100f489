// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Store

/// The messages of a record: number and date are added, and telemetry is compressed, when the record is published.
struct RecordEncoder: Sendable {
    private let agent: String
    private let topicPrefix: Topic
    private let compressesTelemetry: Bool

    init(_ options: UplinkOptions) {
        self.agent = options.agent
        self.topicPrefix = options.topicPrefix
        self.compressesTelemetry = options.compressesTelemetry
    }

    /// The user property of a record that is published again.
    static let again = Message.UserProperty(name: "again", value: "1")

    /// Returns the message for the record's stream, and a copy for the requester's response topic if there is one.
    ///
    /// - Parameter start: the date of the current boot.
    /// - Returns: nil if the record is damaged: its body is not a JSON object, or its vehicle is no topic level.
    func messages(of outgoing: OutgoingRecord, _ start: BootStart) -> [Message]? {
        let record = outgoing.record
        let start = record.birth.start ?? start
        let header = RecordHeader(
            number: RecordNumber(agent: self.agent, epoch: record.id.epoch, seq: record.id.seq),
            time: start.date + record.birth.at.sinceBoot,
            clock: start.quality,
            boot: record.birth.boot
        )
        guard let payload = header.payload(of: record.stream, body: record.body),
            let topics = try? VehicleTopics(prefix: self.topicPrefix, vehicle: record.destination.vehicle)
        else { return nil }
        let (path, packed) = self.packed(payload, of: record.stream)
        guard let topic = try? topics.topic(path) else { return nil }
        var message = Message(topic: topic, payload: packed, qos: .atLeastOnce, retain: false)
        message.properties.correlationData = record.destination.correlationData
        if outgoing.isAgain { message.properties.userProperties = [Self.again] }
        guard let other = record.destination.responseTopic, let other = try? Topic(other) else { return [message] }
        var copy = message
        copy.topic = other
        return [message, copy]
    }

    private func packed(_ payload: [UInt8], of stream: RecordStream) -> (path: TopicPath, payload: [UInt8]) {
        if self.compressesTelemetry, stream == .telemetry, let packed = Zlib.compressed(payload) {
            (.compressedTelemetry, packed)
        } else {
            (.stream(stream), payload)
        }
    }
}
