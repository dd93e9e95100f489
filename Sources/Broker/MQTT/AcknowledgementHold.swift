// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Holds back the acknowledgements that libmosquitto sends for received messages of QoS 1, until they are released.
///
/// libmosquitto sends PUBACK before it delivers the message. Whoever stores messages may acknowledge one only after
/// that: the broker sends again whatever was not acknowledged (MQTT 5, section 4.4).
///
/// Mosquitto 2.0.11 sends more messages than the receive maximum. Those for which there is no room are left out, and
/// the connection ends once the others are acknowledged: the broker sends them again on the next one.
struct AcknowledgementHold {
    /// The largest total size of the messages that wait for their acknowledgement, in bytes.
    static let limit = 64 << 20
    /// The PUBACK packet's first byte (MQTT 5, section 3.4.1).
    private static let acknowledgement: UInt8 = 0x40
    /// The first byte of a PUBLISH of QoS 1, and its bits without the flags DUP and RETAIN (MQTT 5, section 3.3.1).
    private static let message: (first: UInt8, bits: UInt8) = (0x32, 0xF6)

    private let limit: Int
    /// The sizes of the messages that wait for their release, by packet identifier, and their sum.
    private var sizes: [UInt16: Int] = [:]
    private var total = 0
    /// Whether messages were left out.
    private var hasLeftOut = false
    /// The bytes of a packet that is not complete yet.
    private var incomplete: [UInt8] = []
    private var held: [UInt16: ArraySlice<UInt8>] = [:]
    /// The packet identifiers that were released before the library sent their acknowledgement.
    private var releasedEarly: Set<UInt16> = []

    init(limit: Int = Self.limit) { self.limit = limit }

    /// Whether all messages are acknowledged, and others were left out: then the connection must end.
    var mustReconnect: Bool { self.hasLeftOut && self.sizes.isEmpty }

    /// Takes note of a packet that the broker has sent.
    ///
    /// - Returns: whether the packet must be left out, because there is no room for it.
    mutating func leavesOut(_ packet: ArraySlice<UInt8>) -> Bool {
        guard let first = packet.first, first & Self.message.bits == Self.message.first, let header = Header(packet),
            let id = header.messageIdentifier(packet)
        else { return false }
        guard !self.hasLeftOut, self.total == 0 || self.total + packet.count <= self.limit else {
            self.hasLeftOut = true
            return true
        }
        self.total += packet.count - (self.sizes.updateValue(packet.count, forKey: id) ?? 0)
        return false
    }

    /// Takes bytes that the library sends.
    ///
    /// - Returns: the complete packets in them without the acknowledgements that are held back.
    mutating func sent(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        self.incomplete += bytes
        var passed: [UInt8] = []
        var rest = self.incomplete[...]
        while let header = Header(rest), rest.count >= header.packetSize {
            let packet = rest.prefix(header.packetSize)
            rest = rest.dropFirst(header.packetSize)
            if packet.first == Self.acknowledgement, let id = packet.number(at: header.size),
                self.releasedEarly.remove(id) == nil
            {
                self.held[id] = ArraySlice(Array(packet))
            } else {
                passed += packet
            }
        }
        self.incomplete = Array(rest)
        return passed[...]
    }

    /// Releases the acknowledgements of messages.
    ///
    /// - Returns: the packets to send.
    mutating func release(_ ids: [UInt16]) -> ArraySlice<UInt8> {
        var packets: [UInt8] = []
        for id in ids {
            if let size = self.sizes.removeValue(forKey: id) { self.total -= size }
            if let packet = self.held.removeValue(forKey: id) {
                packets += packet
            } else {
                self.releasedEarly.insert(id)
            }
        }
        return packets[...]
    }
}

extension AcknowledgementHold {
    /// The size of a fixed header, and of the packet with it (MQTT 5, section 2.1).
    private struct Header {
        var size: Int
        var packetSize: Int

        /// Reads the header at the beginning of `bytes`; nil if it is not complete.
        init?(_ bytes: ArraySlice<UInt8>) {
            var length = 0
            for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
                length |= Int(byte & 0x7F) << (7 * index)
                guard byte & 0x80 == 0 else { continue }
                (self.size, self.packetSize) = (2 + index, 2 + index + length)
                return
            }
            return nil
        }

        /// Returns the packet identifier of a PUBLISH, which follows the topic.
        func messageIdentifier(_ packet: ArraySlice<UInt8>) -> UInt16? {
            packet.number(at: self.size).flatMap { packet.number(at: self.size + 2 + Int($0)) }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the two-byte integer at an offset; nil beyond the end.
    fileprivate func number(at offset: Int) -> UInt16? {
        let bytes = self.dropFirst(offset).prefix(2)
        guard bytes.count == 2, let high = bytes.first, let low = bytes.last else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }
}
