// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One frame on the bus, cut from a printed line with headers (`AT H1`).
struct Frame: Hashable, Sendable {
    let source: ECUAddress
    /// On CAN the protocol control information and the data; elsewhere the data alone.
    let bytes: [UInt8]

    /// Reads a run of hexadecimal digits.
    ///
    /// Nil where it is no frame of `bus` addressed to a tester, or its checksum is wrong: the adapter has checked the
    /// bus, but nobody has checked the link from the adapter to us.
    init?(_ digits: String, on bus: BusProtocol) {
        if bus.isCAN {
            self.init(can: Substring(digits), extended: bus.hasExtendedIdentifiers)
        } else {
            self.init(legacy: digits, on: bus)
        }
    }

    private init?(can digits: Substring, extended: Bool) {
        let identifier = digits.prefix(extended ? 8 : 3)
        guard let bytes = ELM327.bytes(hexadecimal: digits.dropFirst(identifier.count)), 1...8 ~= bytes.count,
            let value = UInt32(identifier, radix: 16)
        else { return nil }
        switch (extended, value) {
        case (false, 0x7E8...0x7EF): self.source = .can11(UInt16(value))
        case (true, 0x18DA_F100...0x18DA_F1FF): self.source = .can29(UInt8(value & 0xFF))
        default: return nil
        }
        self.bytes = bytes
    }

    private init?(legacy digits: String, on bus: BusProtocol) {
        // Three bytes of header, at least a service, one byte of checksum.
        guard let bytes = ELM327.bytes(hexadecimal: digits), bytes.count >= 5 else { return nil }
        let data = bytes[3..<(bytes.count - 1)]
        switch bus {
        case .j1850PWM, .j1850VPW:
            guard bytes[0] == (bus == .j1850PWM ? 0x41 : 0x48), bytes[1] == 0x6B, data.count <= 7,
                Checksum.j1850(bytes.dropLast()) == bytes.last
            else { return nil }
        case .iso9141:
            guard bytes[0] == 0x48, bytes[1] == 0x6B, data.count <= 7, Checksum.sum(bytes.dropLast()) == bytes.last
            else { return nil }
        default:
            guard bytes[0] & 0xC0 == 0x80, bytes[1] == 0xF1, Int(bytes[0] & 0x3F) == data.count,
                Checksum.sum(bytes.dropLast()) == bytes.last
            else { return nil }
        }
        self.source = .legacy(bytes[2])
        self.bytes = Array(data)
    }
}
