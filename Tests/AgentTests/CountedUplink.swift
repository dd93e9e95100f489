// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import MQTT

@testable import Agent
@testable import Uplink

/// The machines of an uplink, its encoder and the connection's own count of bytes, without broker and socket.
///
/// It counts what would be sent, by what it is for.
struct CountedUplink: Sendable {
    /// The purpose of a packet, or of a part of it.
    enum Purpose: String, CaseIterable {
        /// The samples in `telemetry`, with the headers of their records.
        case samples
        /// The track in `telemetry`.
        case track
        case values, position, trip, events, status, vehicle, codes, monitors, others
    }

    /// The track, apart from what it costs on the wire.
    struct TrackCount: Sendable {
        var points = 0
        /// The bytes of the member `track` of the records, before the header and the compression.
        var packed = 0

        /// The bytes for each point, packed and not compressed; nil without a point.
        var bytesPerPoint: Double? { self.points > 0 ? Double(self.packed) / Double(self.points) : nil }
    }

    /// Bytes on the wire.
    private(set) var bytes: [Purpose: Int] = [:]
    private(set) var messages: [Purpose: Int] = [:]
    private(set) var track = TrackCount()
    /// Recorded samples.
    private(set) var samples = 0
    private(set) var batches = 0
    /// Batches that wait for the next day.
    private(set) var held = 0
    /// Recorded events.
    private(set) var events: [AgentEvent.Kind: Int] = [:]
    private(set) var budget: DailyBudget
    let topics: VehicleTopics

    private let options: Configuration.Uplink
    private let clock: DayOnTheRoad.Clock
    private var live: LivePlane
    private var recorder: SampleRecorder

    init(_ options: Configuration.Uplink, clock: DayOnTheRoad.Clock, vin: String) throws {
        self.options = options
        self.clock = clock
        self.topics = try VehicleTopics(prefix: try Topic("obd"), vehicle: vin)
        self.live = LivePlane(mode: LivePlane.Mode(options.live))
        self.live.connected()
        self.recorder = SampleRecorder(batchInterval: options.batchInterval)
        self.budget = DailyBudget(limit: options.dailyBudget, at: clock.now)
        var connection = ConnectionOptions(server: Server(host: "", port: 0), clientID: "obd-0123456789ab-\(vin)")
        let availability = try self.topics.topic(.availability)
        connection.will = Message(topic: availability, payload: Availability.offline.payload, qos: .atLeastOnce)
        connection.sessionExpiry = .seconds(86_400)
        (connection.username, connection.password) = ("van-0123", "a password of its own")
        self.count(PacketSize.connect(connection), for: .others)
    }

    /// All bytes on the wire.
    var total: Int { self.bytes.values.reduce(0, +) }

    /// The bytes of `telemetry`.
    var telemetry: Int { (self.bytes[.samples] ?? 0) + (self.bytes[.track] ?? 0) }

    // MARK: - The live plane

    mutating func update(_ path: TopicPath, _ payload: LivePayload, at now: MonotonicTime) throws {
        if case .publish(let payload) = self.live.update(path, payload, at: now) {
            try self.publish(payload, on: path)
        }
    }

    private mutating func publish(_ payload: LivePayload, on path: TopicPath) throws {
        var message = Message(topic: try self.topics.topic(path), payload: try payload.encoded())
        message.qos = payload.isAcknowledged ? .atLeastOnce : .atMostOnce
        let purpose: Purpose =
            switch path {
            case .parameter: .values
            case .position: .position
            case .trip: .trip
            case .status: .status
            case .vehicle: .vehicle
            case .codes: .codes
            case .monitors: .monitors
            default: .others
            }
        self.count(PacketSize.publish(message, .v5), for: purpose)
    }

    // MARK: - Records

    mutating func ingest(_ samples: [Uplink.Sample], at now: MonotonicTime) throws {
        for sample in samples {
            try self.update(sample.path, .parameter(sample.report), at: now)
            let batch = self.recorder.add(sample, of: self.topics.vehicle, at: self.budget.level)
            if let batch { try self.record(batch) }
        }
    }

    mutating func ingest(_ points: [TrackBatcher.Point]) {
        for point in points { self.recorder.add(point) }
    }

    mutating func record(_ event: AgentEvent, at time: MonotonicTime) throws {
        self.events[event.event, default: 0] += 1
        let number = self.events.values.reduce(0, +)
        let body = try PayloadEncoder.bytes(of: event)
        guard let payload = self.header(number, at: time).payload(of: .events, body: body) else { return }
        let message = Message(topic: try self.topics.topic(.stream(.events)), payload: payload, qos: .atLeastOnce)
        self.count(PacketSize.publish(message, .v5), for: .events)
    }

    private mutating func record(_ batch: TelemetryBatcher.Batch) throws {
        self.batches += 1
        self.samples += batch.series.values.reduce(0) { $0 + $1.dt.count }
        if self.budget.level == .exhausted { return self.held += 1 }
        let whole = try self.size(of: batch, batch.track)
        guard let track = batch.track else { return self.count(whole, for: .samples) }
        self.track.points += track.dt.count
        self.track.packed += try PayloadEncoder.bytes(of: track).count
        // A record that the track has for itself is its own cost.
        let samples = batch.series.isEmpty ? 0 : try self.size(of: batch, nil)
        if samples > 0 { self.count(samples, for: .samples) }
        self.count(whole - samples, for: .track)
    }

    /// Returns the size of the packet with a batch, and with this track.
    private func size(of batch: TelemetryBatcher.Batch, _ track: Telemetry.Track?) throws -> Int {
        let body = try PayloadEncoder.bytes(of: Telemetry(series: batch.series, track: track))
        let header = self.header(self.batches, at: batch.start)
        guard let plain = header.payload(of: .telemetry, body: body) else { return 0 }
        let compressed = self.options.compression == .zlib ? Zlib.compressed(plain) : nil
        let path: TopicPath = compressed == nil ? .stream(.telemetry) : .compressedTelemetry
        let message = Message(topic: try self.topics.topic(path), payload: compressed ?? plain, qos: .atLeastOnce)
        return PacketSize.publish(message, .v5)
    }

    private func header(_ number: Int, at time: MonotonicTime) -> RecordHeader {
        RecordHeader(
            number: RecordNumber(agent: "0123456789ab", epoch: 17, seq: UInt64(number)),
            time: self.clock.timestamp(of: time),
            clock: .synchronised,
            boot: "0b5d2f4e-6a1c-4d7e-9f83-2c1a7e5b9d40"
        )
    }

    // MARK: - Time

    /// Does what the uplink does every second.
    mutating func tick(at now: MonotonicTime) throws {
        for (path, payload) in self.live.due(at: now) { try self.publish(payload, on: path) }
        if let batch = self.recorder.flush(at: now) { try self.record(batch) }
        let sent = self.total - self.budget.sent
        self.budget.add(sent, at: now, on: 20_000)
        self.live.budget = self.budget.level
        // The store takes them with each flush.
        _ = self.recorder.takeValues()
    }

    /// Counts a PINGREQ, once a minute: as in the longest silence that there can be.
    mutating func ping() { self.count(4, for: .others) }

    /// Records the incomplete batch, at the end of the agent.
    mutating func finish() throws {
        if let batch = self.recorder.take() { try self.record(batch) }
    }

    private mutating func count(_ size: Int, for purpose: Purpose) {
        self.bytes[purpose, default: 0] += size
        self.messages[purpose, default: 0] += 1
    }
}

extension CountedUplink: CustomStringConvertible {
    var description: String {
        let parts = Purpose.allCases.compactMap { purpose in
            self.bytes[purpose].map { "\($0) for \(purpose) in \(self.messages[purpose] ?? 0)" }
        }.joined(separator: ", ")
        let perPoint = self.track.bytesPerPoint.map { ($0 * 10).rounded() / 10 }
        let track = perPoint.map { "; \(self.track.points) points of \($0) bytes, not compressed" } ?? ""
        return "\(self.total) bytes: \(parts); \(self.samples) samples in \(self.batches) batches\(track)"
    }
}
