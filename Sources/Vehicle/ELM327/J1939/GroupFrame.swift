// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A frame on a J1939 bus.
package struct GroupFrame: Hashable, Sendable {
    /// The parameter group number, without the destination.
    let group: UInt32
    /// The destination address; FF is a broadcast.
    let destination: UInt8
    let source: UInt8
    /// The data, 1 to 8 bytes.
    let data: [UInt8]

    /// Creates a frame; nil without data.
    ///
    /// - Parameter identifier: the 29 bits of the bus; the priority does not count.
    package init?(_ identifier: UInt32, _ data: [UInt8]) {
        guard 1...8 ~= data.count else { return nil }
        let group = identifier >> 8 & 0x3_FFFF
        self.source = UInt8(truncatingIfNeeded: identifier)
        self.data = data
        // Below F0, the lower byte is the destination (SAE J1939-21, PDU1).
        if group >> 8 & 0xFF < 0xF0 {
            self.group = group & 0x3_FF00
            self.destination = UInt8(truncatingIfNeeded: group)
        } else {
            self.group = group
            self.destination = 0xFF
        }
    }

    /// Reads a printed line with headers (`AT H1`), a run of hexadecimal digits: eight of the identifier, then the data.
    ///
    /// Adapters print the identifier as it is on the bus (`18FECA00`), or with a separate priority digit (`60FECA00`,
    /// `AT JHF1`, the default). Group and source have the same position in both forms.
    init?(_ digits: String) {
        let digits = digits.utf8Span.span
        guard digits.count > 8, let value = number(hexadecimal: digits.extracting(..<8)),
            Self.isIdentifier(value), let data = bytes(hexadecimal: digits.extracting(8...))
        else { return nil }
        self.init(value, data)
    }

    /// Whether the frame is a broadcast, or is addressed to the tester, F9 (SAE J1939-81).
    var isForTester: Bool { self.destination == 0xFF || self.destination == 0xF9 }

    /// The pair of source and destination: a sender has at most one broadcast transport and one to each other ECU.
    var conversation: UInt16 { UInt16(self.source) << 8 | UInt16(self.destination) }

    /// Whether the value has 29 bits as on the bus, or is a priority digit up to 7 with five digits of the group.
    private static func isIdentifier(_ value: UInt32) -> Bool {
        value >> 29 == 0 || value >> 28 <= 7 && value >> 26 & 3 == 0
    }
}
