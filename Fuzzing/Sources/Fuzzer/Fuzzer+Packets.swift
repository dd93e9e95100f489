// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Any bytes of a broker.
extension Fuzzer {
    /// The bytes of a broker: how they are split makes no difference, and what passes is what came, or an empty message.
    static func packets(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let version: ProtocolVersion = first & 1 == 0 ? .v5 : .v311
        let bytes = Array(input.dropFirst())
        let (packets, isRefused) = Self.passed(bytes, version, in: max(1, bytes.count))
        let pieces = Self.passed(bytes, version, in: Int(first >> 1 & 7) + 1)
        precondition(packets == pieces.packets && isRefused == pieces.isRefused, "\(packets), but in pieces \(pieces)")

        // An empty message is the only one whose topic is a filter; behind the first of them nothing can be compared.
        let unchanged = packets.prefix { !$0.dropFirst(2).starts(with: [0, 1, UInt8(ascii: "#")]) }
        precondition(bytes.starts(with: unchanged.flatMap(\.self)), "\(packets)")
        precondition(packets.allSatisfy { $0.count <= Self.packetLimit })
    }

    private static let packetLimit = 256

    private static func passed(
        _ bytes: [UInt8],
        _ version: ProtocolVersion,
        in size: Int
    ) -> (packets: [[UInt8]], isRefused: Bool) {
        var gate = PacketGate(version, limit: Self.packetLimit)
        var packets: [[UInt8]] = []
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                gate.received(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let packet = try gate.next() {
                    packets.append(Array(packet))
                    gate.answersWritten()
                }
            }
        } catch {
            return (packets, true)
        }
        return (packets, false)
    }
}
