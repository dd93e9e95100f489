// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
import TestSupport
import Testing

@Suite("The packets that libmosquitto receives")
struct PacketGateTests {
    /// A property of each identifier, with a value of its type (MQTT 5, section 2.2.2.2).
    static let properties: [[UInt8]] =
        [0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A].map { [$0, 1] }
        + [0x13, 0x21, 0x22, 0x23].map { [$0, 0, 1] }
        + [0x02, 0x11, 0x18, 0x27].map { [$0, 0, 0, 0, 1] }
        + [0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F].map { [$0, 0, 1, 0x61] }
        + [[0x0B, 0x81, 1], [0x26, 0, 1, 0x61, 0, 0]]

    /// A packet of each kind that has properties, with these.
    static func packets(with properties: [UInt8]) -> [[UInt8]] {
        let list = [UInt8(properties.count)] + properties
        return [
            packet(0x20, [0, 0] + list), packet(0x30, [0, 1, 0x61] + list + [7]),
            packet(0x32, [0, 1, 0x61, 0, 9] + list), packet(0x40, [0, 1, 0] + list), packet(0x50, [0, 1, 0] + list),
            packet(0x62, [0, 1, 0] + list), packet(0x70, [0, 1, 0] + list), packet(0x90, [0, 1] + list + [1]),
            packet(0xB0, [0, 1] + list + [0]), packet(0xE0, [0x8B] + list),
        ]
    }

    /// Returns the packets that pass the gate when it receives `bytes` in pieces.
    private func passed(
        _ bytes: [UInt8],
        _ version: ProtocolVersion = .v5,
        limit: Int = 1000,
        pieces: Int = .max
    ) throws -> [[UInt8]] {
        var gate = PacketGate(version, limit: limit)
        var packets: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            gate.received(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let packet = try gate.next() {
                packets.append(Array(packet))
                gate.answersWritten()
            }
        }
        return packets
    }

    @Test("Packets with every known property pass unchanged, however they are split", arguments: [1, 2, 7, .max])
    func known(pieces: Int) throws {
        let short: [[UInt8]] = [
            packet(0x20, [0, 1]), packet(0x40, [0, 1]), packet(0x40, [0, 1, 0x10]), packet(0xD0, []), packet(0xE0, []),
            packet(0xE0, [0x8B]), packet(0x31, [0, 1, 0x61, 0] + [UInt8](repeating: 7, count: 500)),
        ]
        let packets = short + Self.properties.flatMap { Self.packets(with: $0) } + Self.packets(with: [])
        #expect(try self.passed(packets.flatMap(\.self), pieces: pieces) == packets)
    }

    @Test("No packet with an unknown property passes", arguments: [ProtocolVersion.v5, .v311])
    func unknown(version: ProtocolVersion) throws {
        let known = Set(Self.properties.map { $0[0] })
        for identifier in UInt8.min...UInt8.max where !known.contains(identifier) {
            for packet in Self.packets(with: [0x1F, 0, 0, identifier, 0, 0, 0, 0]) {
                if version == .v5 {
                    #expect(throws: MQTTError.malformed("the unknown property \(identifier)")) {
                        try self.passed(packet)
                    }
                } else {
                    // MQTT 3.1.1 has no properties, so libmosquitto reads none.
                    #expect(try self.passed(packet, .v311) == [packet])
                }
            }
        }
    }

    @Test("No truncated packet passes, wherever it is cut")
    func cutShort() throws {
        for packet in Self.properties.flatMap({ Self.packets(with: $0) }) {
            // The last byte of a PUBLISH, SUBACK or UNSUBACK follows the properties.
            let count = [0x30, 0x90, 0xB0].contains(packet[0]) ? packet.count - 1 : packet.count
            // A packet may end before its reason code, or before its properties.
            let complete: Set<Int> =
                switch packet[0] {
                case 0x40, 0x50, 0x62, 0x70: [4, 5]
                case 0xE0: [2, 3]
                case 0x20: [4]
                default: []
                }
            for length in 2..<count where !complete.contains(length) {
                let cut = [packet[0], UInt8(length - 2)] + packet[2..<length]
                #expect(throws: MQTTError.self, "\(cut)") { try self.passed(cut) }
            }
        }
    }

    @Test(
        "No packet that a broker must not send passes",
        arguments: [
            ([0x00], "a packet of type 0, which no broker sends"),
            ([0xC0], "a packet of type 12, which no broker sends"),
            ([0xF0], "a packet of type 15, which no broker sends"),
            ([0x34, 1], "a message of QoS 2, which no subscription allows"),
            ([0x36, 1], "a message of QoS 3, which no subscription allows"),
            ([0x30, 0x80, 0x80, 0x80, 0x80], "a length of more than four bytes"),
            ([0x90, 0xFF, 0x7F], "a packet of 16386 bytes (limit: 1000)"),
            ([0x30, 0xFF, 0x7F, 0x3F, 0xFE], "a PUBLISH that ends within its topic"),
            ([0xD0, 1, 0], "bytes after the end of a packet of type 13"),
        ] as [([UInt8], String)]
    )
    func foreign(bytes: [UInt8], reason: String) {
        #expect(throws: MQTTError.malformed(reason)) { try self.passed(bytes) }
    }

    @Test("An oversized message becomes an empty one, and none of its bytes is kept", arguments: [1, 3, 1000, .max])
    func oversized(pieces: Int) throws {
        let filler = [UInt8](repeating: 0x20, count: 3000)
        let small: [UInt8] = packet(0x30, [0, 1, 0x61, 0])
        for (first, head) in [(0x30, []), (0x31, []), (0x32, [0x12, 0x34]), (0x3B, [0x12, 0x34])] as [(UInt8, [UInt8])]
        {
            let big = packet(first, [0, 2, 0x61, 0x62] + head + filler)
            let stream = small + big + big + small
            let empty = packet(first, [0, 1, UInt8(ascii: "#")] + head)
            #expect(try self.passed(stream, .v311, pieces: pieces) == [small, empty, empty, small])
            let empty5 = packet(first, [0, 1, UInt8(ascii: "#")] + head + [0])
            #expect(try self.passed(stream, .v5, pieces: pieces) == [small, empty5, empty5, small])
        }
        let fitting = packet(0x30, [0, 1, 0x61, 0] + filler)
        #expect(try self.passed(fitting, limit: fitting.count, pieces: pieces) == [fitting])
        #expect(try self.passed(fitting, limit: fitting.count - 1, pieces: pieces) != [fitting])
    }

    @Test("No more bytes are read from a broker that does not read the answers")
    func answers() throws {
        var gate = PacketGate(.v311, limit: 1000)
        let message = packet(0x32, [0, 1, 0x61, 0, 1])
        for _ in 0..<200 { gate.received(message + packet(0x30, [0, 1, 0x61])) }
        var counts: [Int] = []
        while gate.canReceive || counts.count < 4 {
            var count = 0
            while let packet = try gate.next() { count += packet.first == 0x32 ? 1 : 0 }
            counts.append(count)
            gate.answersWritten()
            if count == 0 { break }
        }
        #expect(counts == [64, 64, 64, 8, 0])
    }
}

/// Returns a packet with its length before its body.
func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    var length = body.count
    var bytes = [first]
    repeat {
        bytes.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
        length >>= 7
    } while length > 0
    return bytes + body
}
