// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The records that the broker has not acknowledged, in the order in which they go.
///
/// Responses go before events, events before telemetry; within a stream the order is that of the numbers. When there
/// is no room the oldest telemetry goes, then the oldest event; a response only when there is nothing else.
package struct Outbox: Sendable {
    /// A record on its way, encoded once and for all.
    package struct Entry: Hashable, Sendable {
        package let stream: RecordStream
        package let seq: UInt64
        package let payload: [UInt8]
        /// What the publisher needs to know beside the payload.
        package let destination: Destination

        package init(stream: RecordStream, seq: UInt64, payload: [UInt8], destination: Destination = Destination()) {
            self.stream = stream
            self.seq = seq
            self.payload = payload
            self.destination = destination
        }
    }

    /// Where a record goes besides its stream.
    package struct Destination: Hashable, Sendable {
        /// The vehicle that it is about: its topic level.
        ///
        /// A record outlives a change of vehicle.
        package var vehicle: String
        /// The response topic that the requester asked for (MQTT 5).
        package var responseTopic: String?
        /// The requester's correlation data (MQTT 5).
        package var correlationData: [UInt8]?

        package init(vehicle: String = "", responseTopic: String? = nil, correlationData: [UInt8]? = nil) {
            self.vehicle = vehicle
            self.responseTopic = responseTopic
            self.correlationData = correlationData
        }
    }

    /// Records of one stream that were thrown away for want of room.
    package struct Gap: Hashable, Sendable {
        package let stream: RecordStream
        package let range: ClosedRange<UInt64>
    }

    private let limit: Int
    private var waiting: [RecordStream: [Entry]] = [:]
    private var inFlight: [RecordStream: [Entry]] = [:]
    private var bytes = 0
    /// How many records were thrown away for want of room.
    package private(set) var dropped = 0

    /// - Parameter limit: the room for payloads, in bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// How many records are not acknowledged.
    package var count: Int {
        (Array(self.waiting.values) + self.inFlight.values).reduce(0) { $0 + $1.count }
    }

    /// Takes a record; what had to go for it is returned.
    package mutating func append(_ entry: Entry) -> [Gap] {
        self.waiting[entry.stream, default: []].append(entry)
        self.bytes += entry.payload.count
        var gaps: [Gap] = []
        while self.bytes > self.limit, let gap = self.evict() { gaps.append(gap) }
        return gaps
    }

    /// The next record to publish; it is in flight from now on.
    ///
    /// Nil when none waits.
    package mutating func next() -> Entry? {
        for stream in RecordStream.allCases where self.waiting[stream]?.isEmpty == false {
            guard let entry = self.waiting[stream]?.removeFirst() else { continue }
            self.inFlight[stream, default: []].append(entry)
            return entry
        }
        return nil
    }

    /// The broker has the record: it is forgotten.
    ///
    /// What is not in flight is ignored.
    package mutating func acknowledge(_ entry: Entry) {
        guard let index = self.inFlight[entry.stream]?.firstIndex(where: { $0.seq == entry.seq }) else { return }
        self.inFlight[entry.stream]?.remove(at: index)
        self.bytes -= entry.payload.count
    }

    /// The connection is lost: what was in flight waits again, before everything newer.
    package mutating func returnInFlight() {
        for (stream, entries) in self.inFlight {
            self.waiting[stream, default: []].insert(contentsOf: entries, at: 0)
        }
        self.inFlight = [:]
    }

    private mutating func evict() -> Gap? {
        let order: [RecordStream] = [.telemetry, .events, .responses]
        guard let stream = order.first(where: { self.waiting[$0]?.isEmpty == false }),
            let entry = self.waiting[stream]?.removeFirst()
        else { return nil }
        self.bytes -= entry.payload.count
        self.dropped += 1
        return Gap(stream: stream, range: entry.seq...entry.seq)
    }
}
