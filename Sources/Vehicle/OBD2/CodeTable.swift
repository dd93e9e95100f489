// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The meanings of trouble codes, as lines of text that are parsed at each lookup.
///
/// The name of a table is the letter and the first two digits of its codes. Each line has the form
///
///     P0261 lh*12/3 Cylinder # injector
///
/// * The first code.
/// * One letter of ``Condition`` for each code from there on. A `-` skips a code.
/// * `*` and the number of repetitions, which replaces `#`: `*12` counts from 1, `*4..6` and `*A..D` name both ends.
/// * `/` and the distance of the repetitions in codes, if it is not the number of letters.
/// * The subject.
///
/// Codes count in decimal, as most codes of SAE J2012 do. They count in hexadecimal if the first code of the line ends
/// in a hexadecimal number or has an `x` behind it.
enum CodeTable {
    /// Returns the table of the codes whose first byte is `range`; nil if there is none.
    static func table(of range: UInt8) -> String? {
        switch range {
        case 0x00: Self.p00
        case 0x01: Self.p01
        case 0x02: Self.p02
        case 0x03: Self.p03
        case 0x04: Self.p04
        case 0x05: Self.p05
        case 0x06: Self.p06
        case 0x07: Self.p07
        case 0x08: Self.p08
        case 0x09: Self.p09
        case 0x0A: Self.p0A
        case 0x0B: Self.p0B
        case 0x0C: Self.p0C
        case 0x0D: Self.p0D
        case 0x0E: Self.p0E
        case 0x20: Self.p20
        case 0x21: Self.p21
        case 0x22: Self.p22
        case 0x23: Self.p23
        case 0x24: Self.p24
        case 0x25: Self.p25
        case 0x26: Self.p26
        case 0x27: Self.p27
        case 0x28: Self.p28
        case 0x2A: Self.p2A
        case 0x2B: Self.p2B
        case 0x34: Self.p34
        case 0x40: Self.c00
        case 0x80: Self.b00
        case 0xC0: Self.u00
        case 0xC1: Self.u01
        case 0xC2: Self.u02
        case 0xC3: Self.u03
        case 0xC4: Self.u04
        case 0xC5: Self.u05
        case 0xF0: Self.u30
        default: nil
        }
    }

    /// Returns the meaning of the code whose last two digits are `number`; nil if `table` has none.
    static func meaning(of number: UInt8, in table: String) -> String? {
        var rest = table.utf8[...]
        while !rest.isEmpty {
            if let meaning = Line(rest.take(until: UInt8(ascii: "\n")))?.meaning(of: number) { return meaning }
        }
        return nil
    }

    /// The kind of fault, whose phrase follows the subject of the line.
    enum Condition: UInt8, CaseIterable {
        case plain = 0x2E  // .
        case activity = 0x61  // a
        case balance = 0x62  // b
        case circuit = 0x63  // c
        case stuckClosed = 0x64  // d
        case electrical = 0x65  // e
        case stuckOff = 0x66  // f
        case high = 0x68  // h
        case intermittent = 0x69  // i
        case stuckOn = 0x6B  // k
        case low = 0x6C  // l
        case malfunction = 0x6D  // m
        case missing = 0x6E  // n
        case openOrFaulty = 0x6F  // o
        case performance = 0x70  // p
        case stuckOpen = 0x71  // q
        case range = 0x72  // r
        case shorted = 0x73  // s
        case voltageLow = 0x76  // v
        case slow = 0x77  // w
        case off = 0x7A  // z
        case unstable = 0x75  // u
        case numberLow = 0x3C  // <
        case numberHigh = 0x3E  // >
        case open = 0x4F  // O
        case voltageHigh = 0x56  // V

        var phrase: String {
            switch self {
            case .plain: ""
            case .activity: ": no activity"
            case .balance: ": contribution or balance"
            case .circuit: ": circuit fault"
            case .stuckClosed: ": stuck closed"
            case .electrical: ": electrical fault"
            case .stuckOff: ": performance or stuck off"
            case .high: ": circuit high"
            case .intermittent: ": circuit intermittent"
            case .stuckOn: ": stuck on"
            case .low: ": circuit low"
            case .malfunction: ": malfunction"
            case .missing: ": no signal"
            case .openOrFaulty: ": circuit fault or open"
            case .performance: ": performance"
            case .stuckOpen: ": stuck open"
            case .range: ": range or performance"
            case .shorted: ": circuit shorted"
            case .voltageLow: ": voltage low"
            case .slow: ": slow response"
            case .off: ": stuck off"
            case .unstable: ": unstable"
            case .numberLow: ": low"
            case .numberHigh: ": high"
            case .open: ": circuit open"
            case .voltageHigh: ": voltage high"
            }
        }
    }

    /// A line of a table.
    struct Line {
        private let first: UInt8
        private let isDecimal: Bool
        private let conditions: Substring.UTF8View
        private let counts: ClosedRange<UInt8>
        private let stride: Int
        private let subject: Substring

        /// Parses a line; nil if the line is malformed.
        init?(_ line: Substring.UTF8View) {
            var rest = line
            let code = rest.take(until: UInt8(ascii: " "))
            var pattern = rest.take(until: UInt8(ascii: " "))
            let conditions = pattern.take(until: UInt8(ascii: "*"))
            var counts = pattern.take(until: UInt8(ascii: "/"))
            guard let first = UInt8(Substring(code.prefix(5).suffix(2)), radix: 16), !conditions.isEmpty, !rest.isEmpty
            else {
                return nil
            }
            (self.first, self.conditions, self.subject) = (first, conditions, Substring(rest))
            self.isDecimal = code.count == 5 && Self.decimal(first) != nil
            guard !counts.isEmpty else {
                (self.counts, self.stride) = (1...1, conditions.count)
                return
            }
            let start = counts.take(until: UInt8(ascii: "."))
            let isRange = !counts.isEmpty
            guard let low = isRange ? Self.count(start) : 1,
                let high = Self.count(isRange ? counts.dropFirst() : start),
                low <= high, let stride = pattern.isEmpty ? conditions.count : Int(Substring(pattern)), stride > 0
            else { return nil }
            (self.counts, self.stride) = (low...high, stride)
        }

        /// Returns the meaning of the code whose last two digits are `number`; nil if this line does not have the code.
        func meaning(of number: UInt8) -> String? {
            guard let offset = self.offset(of: number) else { return nil }
            let repetition = offset / self.stride
            guard repetition < self.counts.count,
                let letter = self.conditions.dropFirst(offset % self.stride).first,
                let condition = Condition(rawValue: letter)
            else { return nil }
            let count = self.counts.lowerBound + UInt8(repetition)
            var subject = ""
            for character in self.subject {
                guard character == "#" else {
                    subject.append(character)
                    continue
                }
                subject += count < UInt8(ascii: "A") ? String(count) : String(UnicodeScalar(count))
            }
            return subject + condition.phrase
        }

        /// Returns the distance of `number` from the first code, in codes.
        ///
        /// - Returns: nil for a number before the first, and for a hexadecimal number in a line that counts in decimal.
        private func offset(of number: UInt8) -> Int? {
            guard number >= self.first else { return nil }
            guard self.isDecimal, let first = Self.decimal(self.first) else { return Int(number - self.first) }
            return Self.decimal(number).map { $0 - first }
        }

        private static func decimal(_ number: UInt8) -> Int? {
            number >> 4 < 10 && number & 0xF < 10 ? Int(number >> 4) * 10 + Int(number & 0xF) : nil
        }

        /// Returns a number, or the ASCII code of a letter, which is greater than all numbers of the tables.
        private static func count(_ text: Substring.UTF8View) -> UInt8? {
            if let letter = text.first, letter >= UInt8(ascii: "A"), text.count == 1 { return letter }
            return UInt8(Substring(text))
        }
    }
}

extension Substring.UTF8View {
    /// Removes the text up to and including the next `byte`, or all of it, and returns it without `byte`.
    fileprivate mutating func take(until byte: UInt8) -> Substring.UTF8View {
        let end = self.firstIndex(of: byte) ?? self.endIndex
        defer { self = self[end...].dropFirst() }
        return self[..<end]
    }
}
