// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// Cuts the bytes of the broker into packets, and passes on only packets that do no harm to libmosquitto.
///
/// libmosquitto 2.0.11 aborts the process at a property that it does not know, allocates whatever length the header of a
/// packet names, and queues its answers without a bound. It gets a packet when the whole packet is here and was checked.
package struct PacketGate {
    /// The number of packets that libmosquitto answers, until all its answers must have been written.
    static let answerLimit = 64
    /// A topic filter, which is no topic: a message with it is acknowledged, then dropped and counted.
    private static let noTopic: [UInt8] = [0, 1, UInt8(ascii: "#")]

    private let version: ProtocolVersion
    private let limit: Int
    /// The bytes that are here and were not passed on; complete packets of them begin at `start`.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of bytes of an oversized message that are still to come.
    private var skipping = 0
    /// The number of packets since the last ``answersWritten()`` that libmosquitto answers.
    private var answers = 0

    /// - Parameter limit: the largest packet in bytes, its header included.
    package init(_ version: ProtocolVersion, limit: Int) {
        self.version = version
        self.limit = limit
    }

    /// Whether more bytes may be read from the broker.
    ///
    /// False while the broker does not read the answers to what it has sent.
    package var takesMore: Bool { self.answers < Self.answerLimit }

    /// The broker sent `bytes`.
    package mutating func received(_ bytes: some Collection<UInt8>) {
        let skipped = min(self.skipping, bytes.count)
        self.skipping -= skipped
        if self.start > 0 {
            self.buffer.removeFirst(self.start)
            self.start = 0
        }
        self.buffer += bytes.dropFirst(skipped)
    }

    /// Everything that libmosquitto wanted to send has been written.
    package mutating func answersWritten() { self.answers = 0 }

    /// Returns the next packet for libmosquitto, nil until more bytes are here or the answers are written.
    ///
    /// - Throws: ``MQTTError/malformed(_:)``; the connection must end then.
    package mutating func next() throws(MQTTError) -> ArraySlice<UInt8>? {
        let bytes = self.buffer[self.start...]
        guard self.takesMore, let header = try PacketHeader(bytes, self.version) else { return nil }
        let size = header.size + header.length
        if size > self.limit {
            guard header.kind == .publish else {
                throw .malformed("a packet of \(size) bytes; the limit is \(self.limit)")
            }
            return try self.emptied(bytes, header)
        }
        guard bytes.count >= size else { return nil }
        let packet = bytes.prefix(size)
        if self.version == .v5 { try header.checkBody(packet.dropFirst(header.size)) }
        self.start += size
        if header.isAnswered { self.answers += 1 }
        return packet
    }

    /// Replaces an oversized message by an empty one that libmosquitto acknowledges.
    ///
    /// To end the connection instead would have the broker send the message again, on each connection.
    private mutating func emptied(
        _ bytes: ArraySlice<UInt8>,
        _ header: PacketHeader
    ) throws(MQTTError) -> ArraySlice<UInt8>? {
        let body = bytes.dropFirst(header.size)
        guard let high = body.first, let low = body.dropFirst().first else { return nil }
        let head = 2 + (Int(high) << 8 | Int(low)) + (header.qos == 0 ? 0 : 2)
        guard head <= header.length else { throw .malformed("a PUBLISH that ends within its topic") }
        guard body.count >= head else { return nil }
        let id = header.qos == 0 ? [] : body.prefix(head).suffix(2)
        let content = Self.noTopic + id + (self.version == .v5 ? [0] : [])
        let here = min(body.count, header.length)
        self.skipping = header.length - here
        self.start += header.size + here
        if header.isAnswered { self.answers += 1 }
        return [header.first, UInt8(content.count)] + content
    }
}
