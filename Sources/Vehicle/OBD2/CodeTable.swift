// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The words for trouble codes, as lines of text that are read when a code is looked up.
///
/// A table holds the codes whose first two digits it is named for. Each line is
///
///     P0261 lh*12/3 Cylinder # injector
///
/// * the first code;
/// * a letter for each code from there on, which says what is wrong, see ``Condition``; `-` leaves one out;
/// * `*` and how often that repeats, with `#` as the number: `*12` counts from 1, `*4..6` and `*A..D` say both ends;
/// * `/` and how many codes lie between the repetitions, if it is not the number of letters;
/// * what it is about.
///
/// Codes count in decimal, as SAE J2012 has numbered most. A line whose first code ends in a hexadecimal number, or has
/// an `x` behind it, counts in hexadecimal.
enum CodeTable {
    /// The table of the codes that begin with this byte; nil where there is none.
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

    /// The words for the code whose last two digits are `number`; nil if `table` has none.
    static func words(for number: UInt8, in table: String) -> String? {
        var rest = table.utf8[...]
        while !rest.isEmpty {
            if let words = Line(rest.take(until: UInt8(ascii: "\n")))?.words(for: number) { return words }
        }
        return nil
    }

    /// What is wrong, added to what it is about.
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

        var words: String {
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

        /// Reads a line; nil if it has not the form.
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

        /// The words for a code of this line, by its last two digits; nil if it is none.
        func words(for number: UInt8) -> String? {
            guard let place = self.place(of: number) else { return nil }
            let repetition = place / self.stride
            guard repetition < self.counts.count,
                let letter = self.conditions.dropFirst(place % self.stride).first,
                let condition = Condition(rawValue: letter)
            else { return nil }
            let count = self.counts.lowerBound + UInt8(repetition)
            var words = ""
            for character in self.subject {
                guard character == "#" else {
                    words.append(character)
                    continue
                }
                words += count < UInt8(ascii: "A") ? String(count) : String(UnicodeScalar(count))
            }
            return words + condition.words
        }

        /// How many codes `number` comes after the first; nil where it comes before, or is not counted at all.
        private func place(of number: UInt8) -> Int? {
            guard number >= self.first else { return nil }
            guard self.isDecimal, let first = Self.decimal(self.first) else { return Int(number - self.first) }
            return Self.decimal(number).map { $0 - first }
        }

        private static func decimal(_ number: UInt8) -> Int? {
            number >> 4 < 10 && number & 0xF < 10 ? Int(number >> 4) * 10 + Int(number & 0xF) : nil
        }

        /// A number, or a letter as its ASCII code, which is above all numbers here.
        private static func count(_ text: Substring.UTF8View) -> UInt8? {
            if let letter = text.first, letter >= UInt8(ascii: "A"), text.count == 1 { return letter }
            return UInt8(Substring(text))
        }
    }
}

extension Substring.UTF8View {
    /// Takes off what stands before the next `byte`, and that byte; all of it if there is none.
    fileprivate mutating func take(until byte: UInt8) -> Substring.UTF8View {
        let end = self.firstIndex(of: byte) ?? self.endIndex
        defer { self = self[end...].dropFirst() }
        return self[..<end]
    }
}
