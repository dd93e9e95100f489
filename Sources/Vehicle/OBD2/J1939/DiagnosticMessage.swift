// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The lamps and codes of one ECU: DM1, DM2, DM6, DM28 and messages of the same layout (SAE J1939-73, 5.7).
package struct DiagnosticMessage: Hashable, Sendable {
    /// The lamps on the instrument panel; nil for a lamp that the ECU does not report.
    package struct Lamps: Hashable, Sendable {
        /// The malfunction indicator lamp, for faults that affect emissions.
        package var malfunctionIndicator: Bool?
        /// The red lamp, for faults that demand a stop.
        package var redStop: Bool?
        /// The amber lamp, for faults that do not demand a stop.
        package var amberWarning: Bool?
        /// The lamp for faults that are not electronic, such as a fluid that is too warm.
        package var protect: Bool?

        package init(
            malfunctionIndicator: Bool? = nil,
            redStop: Bool? = nil,
            amberWarning: Bool? = nil,
            protect: Bool? = nil
        ) {
            self.malfunctionIndicator = malfunctionIndicator
            self.redStop = redStop
            self.amberWarning = amberWarning
            self.protect = protect
        }
    }

    /// A code with the number of its occurrences.
    package struct Entry: Hashable, Sendable {
        package let spn: SPN
        package let fmi: FMI
        /// The number of occurrences, 1 to 126; nil if it is unknown.
        package let occurrences: Int?

        package init(spn: SPN, fmi: FMI, occurrences: Int? = nil) {
            self.spn = spn
            self.fmi = fmi
            self.occurrences = occurrences
        }

        /// Reads the four bytes of a code, in the layout since 1996.
        init(_ bytes: [UInt8]) {
            self.spn = SPN(packed: bytes[0...2])
            self.fmi = FMI(rawValue: bytes[2])
            self.occurrences = 1...126 ~= bytes[3] & 0x7F ? Int(bytes[3] & 0x7F) : nil
        }
    }

    package let lamps: Lamps
    package let codes: [Entry]

    package init(lamps: Lamps, codes: [Entry]) {
        self.lamps = lamps
        self.codes = codes
    }

    /// The largest number of codes in the longest transport message (1785 bytes).
    static let limit = 445

    /// Reads the data of one message: two bytes of lamps and four for each code, or one code padded to a frame.
    ///
    /// SPN 0 with FMI 0 stands for "no code".
    ///
    /// - Throws: `.notProgrammed` for all ones, with which an ECU reports that it does not know its codes;
    ///   `.wrongLength`; `.unknownFormat` for a code whose SPN has one of the three layouts of before 1996, because its
    ///   bits do not tell which.
    package init(_ data: [UInt8]) throws(DecodingError) {
        let isFilled = data.count == 8 && (data[6...7].allSatisfy { $0 == 0xFF } || data[6...7].allSatisfy { $0 == 0 })
        let body = isFilled ? data[2..<6] : data.dropFirst(2)
        guard data.count >= 6, body.count.isMultiple(of: 4) else {
            let whole = 2 + 4 * max(1, min(Self.limit, (data.count + 1) / 4))
            throw .wrongLength(expected: whole...whole, actual: data.count)
        }
        self.lamps = Lamps(
            malfunctionIndicator: Self.lamp(data[0] >> 6),
            redStop: Self.lamp(data[0] >> 4),
            amberWarning: Self.lamp(data[0] >> 2),
            protect: Self.lamp(data[0])
        )
        var codes: [Entry] = []
        for start in stride(from: body.startIndex, to: body.endIndex, by: 4) {
            let bytes = Array(body[start..<start + 4])
            let entry = Entry(bytes)
            if entry.spn == 0 && entry.fmi == 0 { continue }
            guard entry.spn != 0x7_FFFF || entry.fmi != 0x1F else { throw .notProgrammed }
            guard bytes[3] & 0x80 == 0 else { throw .unknownFormat(bytes[3]) }
            if !codes.contains(where: { $0.spn == entry.spn && $0.fmi == entry.fmi }) { codes.append(entry) }
        }
        self.codes = codes
    }

    /// The data of the message: one frame for up to one code.
    package var data: [UInt8] {
        let lamps = [
            self.lamps.malfunctionIndicator, self.lamps.redStop, self.lamps.amberWarning, self.lamps.protect,
        ]
        // The second byte FF means that no lamp flashes.
        let head = [lamps.reduce(0) { $0 << 2 | Self.bits($1) }, 0xFF]
        guard !self.codes.isEmpty else { return head + [0, 0, 0, 0, 0xFF, 0xFF] }
        let body = self.codes.prefix(Self.limit).flatMap { code -> [UInt8] in
            let spn = code.spn.rawValue
            return [
                UInt8(truncatingIfNeeded: spn), UInt8(truncatingIfNeeded: spn >> 8),
                UInt8(truncatingIfNeeded: spn >> 16) << 5 | code.fmi.rawValue,
                code.occurrences.map { UInt8(max(1, min(126, $0))) } ?? 127,
            ]
        }
        return head + body + (self.codes.count == 1 ? [0xFF, 0xFF] : [])
    }

    private static func lamp(_ bits: UInt8) -> Bool? {
        switch bits & 3 {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func bits(_ lamp: Bool?) -> UInt8 {
        lamp.map { $0 ? 1 : 0 } ?? 3
    }
}
