// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A signal of a DBC file: the place and the scale of its bits in a frame.
struct DBCSignal: Sendable {
    /// The relation of the signal to the number that tells which signals a frame has.
    enum Multiplex: Hashable, Sendable {
        /// The signal is in each frame.
        case none
        /// The signal is that number.
        case multiplexor
        /// The signal is in the frames in which the number is this one.
        case value(Int)
        /// The signal is in frames with several numbers, or below another number.
        case extended
        /// The signal is in the frames with one number, and is itself a number that tells which signals they have.
        case nested
    }

    let name: String
    var multiplex: Multiplex
    /// The first bit as the file counts: the lowest one of a little-endian signal, the highest one of a big-endian one;
    /// bit 0 is the lowest of the first byte, bit 8 that of the second.
    let start: Int
    let length: Int
    let isLittleEndian: Bool
    let isSigned: Bool
    let factor: Double
    let offset: Double
    /// The least and the greatest value; equal numbers stand for no limits.
    let limits: (low: Double, high: Double)
    let unit: String
    var labels: [Int: String] = [:]
    /// Whether the bits are a floating-point number.
    var isFloat = false
    /// The number that ``multiplex`` is about, by its name; nil if the file does not tell.
    var multiplexor: String?

    // MARK: - The formula

    /// The most bits of a signal in a formula.
    private static let bitLimit = 48

    /// The formula of the value, in the syntax of ``OBD2/Formula``; nil if no formula has these bits.
    var formula: String? {
        guard var text = self.rawFormula else { return nil }
        if self.factor != 1 { text += " * \(decimal(self.factor))" }
        if self.offset != 0 { text += self.offset < 0 ? " - \(decimal(-self.offset))" : " + \(decimal(self.offset))" }
        return text
    }

    /// The formula of the unscaled number.
    var rawFormula: String? {
        guard 1...Self.bitLimit ~= self.length, let bits = self.isLittleEndian ? self.little : self.big else {
            return nil
        }
        return self.isSigned ? "signed(\(bits), \(self.length))" : bits
    }

    private var big: String? {
        // The highest bit of the frame is bit 0 of a formula.
        let first = self.start / 8 * 8 + 7 - self.start % 8
        return first + self.length <= 64 ? "bits(\(first), \(self.length))" : nil
    }

    private var little: String? {
        let (byte, shift) = self.start.quotientAndRemainder(dividingBy: 8)
        let count = (shift + self.length + 7) / 8
        guard byte + count <= 8, count <= 6 else { return nil }
        // Within one byte there is no order of bytes.
        if count == 1 { return "bits(\(byte * 8 + 8 - shift - self.length), \(self.length))" }
        let bytes = (byte..<byte + count).map { String(UnicodeScalar(UInt8(65 + $0))) }
        let low = bytes.prefix(4).reversed()
        var number = "uint\(8 * low.count)(\(low.joined(separator: ", ")))"
        for (index, name) in bytes.enumerated().dropFirst(4) { number += " + \(name) * \(1 << (8 * index))" }
        let isWhole = shift == 0 && self.length == 8 * count
        if count > 4 { number = "(\(number))" }
        if isWhole { return number }
        let shifted = shift == 0 ? number : "(\(number) >> \(shift))"
        return "(\(shifted) & \(1 << self.length - 1))"
    }

    // MARK: - The value

    /// The most bits of an enumeration; a longer number with labels has them for a few special values.
    private static let enumerationLimit = 8

    /// The labels, if the signal is an enumeration.
    var enumeration: [Int: String] {
        let isPlain = self.factor == 1 && self.offset == 0 && self.unit.isEmpty && self.length <= Self.enumerationLimit
        return isPlain && self.labels.count > 1 ? self.labels : [:]
    }

    /// The usual spellings of units in DBC files, in lower case, with the symbols of this agent.
    private static let units = [
        "degc": "°C", "deg c": "°C", "c": "°C", "degf": "°F", "deg": "°", "degree": "°", "degrees": "°", "kph": "km/h",
        "km/hr": "km/h", "volt": "V", "volts": "V", "amp": "A", "amps": "A", "nm": "N·m", "percent": "%", "sec": "s",
        "hours": "h", "hr": "h", "l/hr": "L/h", "l": "L", "liter": "L",
    ]

    /// The symbol of the unit; nil without a unit.
    var symbol: String? {
        let symbol = Self.units[self.unit.lowercased()] ?? Printable.text(self.unit)
        return symbol.isEmpty || symbol.utf8.count > 24 ? nil : symbol
    }
}
