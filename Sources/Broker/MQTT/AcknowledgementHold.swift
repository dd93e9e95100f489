// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Holds back the acknowledgements that libmosquitto sends for received messages of QoS 1, until they are released.
///
/// libmosquitto sends PUBACK before it delivers the message. Whoever stores messages may acknowledge one only after
/// that: the broker sends again whatever was not acknowledged (MQTT 5, section 4.4).
///
/// Mosquitto 2.0.11 sends more messages than the receive maximum. Those are left out, and the connection ends once the
/// others are acknowledged: the broker sends them again on the next one.
struct AcknowledgementHold {
    /// The PUBACK packet's first byte (MQTT 5, section 3.4.1).
    private static let acknowledgement: UInt8 = 0x40
    /// The first byte of a PUBLISH of QoS 1 without its flags DUP and RETAIN (MQTT 5, section 3.3.1).
    private static let message: UInt8 = 0x32
    /// The most bytes of a packet's length (MQTT 5, section 1.5.5).
    private static let lengthSize = 4

    /// The number of messages that may wait for their acknowledgement.
    private let limit: Int
    /// Whether messages were left out.
    private var hasLeftOut = false
    /// The bytes of a packet that is not complete yet.
    private var incomplete: [UInt8] = []
    private var held: [UInt16: [UInt8]] = [:]
    /// The packet identifiers that were released before the library sent their acknowledgement.
    private var releasedEarly: Set<UInt16> = []

    init(limit: Int) { self.limit = limit }

    /// Whether all messages are acknowledged, and others were left out: then the connection must end.
    var mustReconnect: Bool { self.hasLeftOut && self.held.isEmpty }

    /// Returns whether a received packet must be left out, because too many messages wait for their acknowledgement.
    mutating func leavesOut(_ packet: ArraySlice<UInt8>) -> Bool {
        guard self.held.count >= self.limit || self.hasLeftOut, let first = packet.first, first & 0xF6 == Self.message
        else { return false }
        self.hasLeftOut = true
        return true
    }

    /// Takes bytes that the library sends.
    ///
    /// - Returns: the complete packets in them without the acknowledgements that are held back.
    mutating func sent(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        self.incomplete += bytes
        var passed: [UInt8] = []
        var rest = self.incomplete[...]
        while let size = Self.packetSize(rest), rest.count >= size {
            let packet = rest.prefix(size)
            rest = rest.dropFirst(size)
            guard packet.first == Self.acknowledgement, let id = Self.identifier(packet),
                self.releasedEarly.remove(id) == nil
            else {
                passed += packet
                continue
            }
            self.held[id] = Array(packet)
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
            if let packet = self.held.removeValue(forKey: id) {
                packets += packet
            } else {
                self.releasedEarly.insert(id)
            }
        }
        return packets[...]
    }

    /// Returns the size of the packet at the beginning of `bytes`; nil if its header is not complete.
    private static func packetSize(_ bytes: ArraySlice<UInt8>) -> Int? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(Self.lengthSize).enumerated() {
            length |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return 2 + index + length }
        }
        return nil
    }

    private static func identifier(_ packet: ArraySlice<UInt8>) -> UInt16? {
        let bytes = packet.dropFirst(2).prefix(2)
        guard let high = bytes.first, let low = bytes.dropFirst().first else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }
}
