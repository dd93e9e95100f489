// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// Splits the broker's bytes into packets, and passes on only packets that are safe for libmosquitto.
///
/// libmosquitto 2.0.11 aborts the process at an unknown property, allocates whatever length a packet's header claims,
/// and queues its answers without a bound. It receives a packet only after the whole packet has arrived and was
/// checked.
package struct PacketGate {
    /// The number of packets that libmosquitto may answer before all its answers must have been written.
    static let answerLimit = 64
    /// A topic filter, which is no valid topic: a message with it is acknowledged, then dropped and counted.
    private static let invalidTopic: [UInt8] = [0, 1, UInt8(ascii: "#")]

    private let version: ProtocolVersion
    private let limit: Int
    /// The received bytes; those before `start` have been passed on.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of bytes to skip: the rest of an oversized message that has not arrived yet.
    private var skipCount = 0
    /// The number of packets since the last ``answersWritten()`` that libmosquitto answers.
    private var answerCount = 0
    /// Whether a packet has been passed on.
    private var hasPassed = false

    /// Creates a gate.
    ///
    /// - Parameter limit: the largest packet in bytes, its header included.
    package init(_ version: ProtocolVersion, limit: Int) {
        self.version = version
        self.limit = limit
    }

    /// Whether more bytes may be read from the broker: false while it does not read the answers to earlier packets.
    package var canReceive: Bool { self.answerCount < Self.answerLimit }

    /// Adds bytes that the broker sent.
    package mutating func received(_ bytes: some Collection<UInt8>) {
        let skipped = min(self.skipCount, bytes.count)
        self.skipCount -= skipped
        if self.start > 0 {
            self.buffer.removeFirst(self.start)
            self.start = 0
        }
        self.buffer += bytes.dropFirst(skipped)
    }

    /// Notes that all answers of libmosquitto have been written to the broker.
    package mutating func answersWritten() { self.answerCount = 0 }

    /// Returns the next packet for libmosquitto, or `nil` until more bytes arrive or the answers are written.
    ///
    /// - Throws: ``MQTTError/malformed(_:)``, ``MQTTError/foreign(_:)``; then the connection must end.
    package mutating func next() throws(MQTTError) -> ArraySlice<UInt8>? {
        let bytes = self.buffer[self.start...]
        if !self.hasPassed, let other = ForeignProtocol(bytes) { throw .foreign(other) }
        guard self.canReceive, let header = try PacketHeader(bytes, self.version) else { return nil }
        let size = header.size + header.length
        if size > self.limit {
            guard header.kind == .publish else {
                throw .malformed("a packet of \(size) bytes (limit: \(self.limit))")
            }
            return try self.replaceOversized(bytes, header)
        }
        guard bytes.count >= size else { return nil }
        let packet = bytes.prefix(size)
        if self.version == .v5 { try header.checkBody(packet.dropFirst(header.size)) }
        self.start += size
        self.hasPassed = true
        if header.isAnswered { self.answerCount += 1 }
        return packet
    }

    /// Replaces an oversized message by an empty one that libmosquitto acknowledges.
    ///
    /// If the connection ended instead, the broker would send the message again on each new connection.
    private mutating func replaceOversized(
        _ bytes: ArraySlice<UInt8>,
        _ header: PacketHeader
    ) throws(MQTTError) -> ArraySlice<UInt8>? {
        let body = bytes.dropFirst(header.size)
        guard let high = body.first, let low = body.dropFirst().first else { return nil }
        let head = 2 + (Int(high) << 8 | Int(low)) + (header.qos == 0 ? 0 : 2)
        guard head <= header.length else { throw .malformed("a PUBLISH that ends within its topic") }
        guard body.count >= head else { return nil }
        let id = header.qos == 0 ? [] : body.prefix(head).suffix(2)
        let content = Self.invalidTopic + id + (self.version == .v5 ? [0] : [])
        let receivedCount = min(body.count, header.length)
        self.skipCount = header.length - receivedCount
        self.start += header.size + receivedCount
        if header.isAnswered { self.answerCount += 1 }
        return [header.first, UInt8(content.count)] + content
    }
}
