// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A frame on the bus, read from a printed line with headers (`AT H1`).
///
/// J1939 has ``GroupFrame`` instead.
struct Frame: Hashable, Sendable {
    let source: ECUAddress
    /// The data; on CAN, with the protocol control information in front.
    let bytes: [UInt8]

    /// Reads a run of hexadecimal digits.
    ///
    /// Returns nil if the digits are not a frame of `bus` addressed to a tester, if another ECU than the addressed one
    /// sent it, or if its checksum is wrong. The adapter checks the bus only, not its own link to the agent.
    init?(_ digits: String, on bus: BusProtocol, to addressing: Addressing? = nil) {
        if bus.isCAN {
            self.init(can: digits.utf8Span.span, extended: bus.hasExtendedIdentifiers, addressing)
        } else {
            self.init(legacy: digits.utf8Span.span, on: bus, addressing)
        }
        guard addressing?.accepts(self.source) ?? true else { return nil }
    }

    private init?(can digits: Span<UInt8>, extended: Bool, _ addressing: Addressing?) {
        let length = extended ? 8 : 3
        guard digits.count > length,
            let bytes = ELM327.bytes(hexadecimal: digits.extracting(length...)), 1...8 ~= bytes.count,
            let value = number(hexadecimal: digits.extracting(..<length))
        else { return nil }
        switch (extended, value) {
        case (false, 0x7E8...0x7EF): self.source = .can11(UInt16(value))
        case (true, 0x18DA_F100...0x18DA_F1FF): self.source = .can29(UInt8(value & 0xFF))
        case (false, 0...0x7FF) where addressing != nil: self.source = .can11(UInt16(value))
        case (true, 0...0x1FFF_FFFF) where addressing != nil: self.source = .can29Identifier(value)
        default: return nil
        }
        if let address = addressing?.addressExtension {
            guard bytes.first == address.reply, bytes.count > 1 else { return nil }
            self.bytes = Array(bytes.dropFirst())
        } else {
            self.bytes = bytes
        }
    }

    private init?(legacy digits: Span<UInt8>, on bus: BusProtocol, _ addressing: Addressing?) {
        // The header, at least a service byte, one checksum byte.
        guard let bytes = ELM327.bytes(hexadecimal: digits), let format = bytes.first else { return nil }
        // A format byte of KWP without a length has a length byte of its own behind the addresses (ISO 14230-2, 4.1).
        let isKWP = bus == .kwp5Baud || bus == .kwpFast
        let header = isKWP && format & 0x3F == 0 ? 4 : 3
        guard bytes.count > header + 1 else { return nil }
        let data = bytes[header..<(bytes.count - 1)]
        switch bus {
        case .j1850PWM, .j1850VPW:
            // A reply to a physical request is addressed to the tester; a functional reply is a broadcast.
            let isReply = bytes[0] == (bus == .j1850PWM ? 0x41 : 0x48) && bytes[1] == 0x6B
            guard addressing == nil ? isReply : bytes[1] == 0xF1, data.count <= 7,
                Checksum.j1850(bytes.dropLast()) == bytes.last
            else { return nil }
        case .iso9141:
            let isReply = bytes[0] == 0x48 && bytes[1] == 0x6B
            guard isReply || addressing != nil && bytes[1] == 0xF1, data.count <= 7,
                Checksum.sum(bytes.dropLast()) == bytes.last
            else { return nil }
        case .kwp5Baud, .kwpFast:
            guard format & 0xC0 == 0x80, bytes[1] == 0xF1,
                Int(header == 4 ? bytes[3] : format & 0x3F) == data.count,
                Checksum.sum(bytes.dropLast()) == bytes.last
            else { return nil }
        case .can11at500, .can29at500, .can11at250, .can29at250, .j1939:
            return nil
        }
        self.source = .legacy(bytes[2])
        self.bytes = Array(data)
    }
}
