// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension TOMLValue {
    /// Parses a value without quotes: `true`, `0x1F`, `-2.5e3`, `inf`, `2026-11-21`.
    init(word: ArraySlice<UInt8>) throws(Fault) {
        let text = String(decoding: word, as: UTF8.self)
        let hasSign = word.first == UInt8(ascii: "+") || word.first == UInt8(ascii: "-")
        let isNegative = word.first == UInt8(ascii: "-")
        switch hasSign ? String(decoding: word.dropFirst(), as: UTF8.self) : text {
        case "inf": self = .number(isNegative ? -.infinity : .infinity)
        case "nan": self = .number(.nan)
        case "true" where !hasSign: self = .flag(true)
        case "false" where !hasSign: self = .flag(false)
        default:
            if DateTime.isValid(word) {
                self = .dateTime(text)
            } else if let value = try Self.withPrefix(word, text) {
                self = value
            } else {
                self = try Self.decimal(word, text, hasSign: hasSign)
            }
        }
    }

    /// Parses an integer that starts with `0x`, `0o` or `0b`; returns `nil` for any other word.
    private static func withPrefix(_ word: ArraySlice<UInt8>, _ text: String) throws(Fault) -> TOMLValue? {
        guard word.first == UInt8(ascii: "0"), let letter = word.dropFirst().first else { return nil }
        let radix: Int
        switch letter {
        case UInt8(ascii: "x"): radix = 16
        case UInt8(ascii: "o"): radix = 8
        case UInt8(ascii: "b"): radix = 2
        default: return nil
        }
        var rest = word.dropFirst(2)
        guard let digits = Self.digits(&rest, radix: radix), rest.isEmpty else { throw .notAValue(text) }
        guard let value = Int64(digits, radix: radix) else { throw .outOfRange(text) }
        return .integer(value)
    }

    private static func decimal(_ word: ArraySlice<UInt8>, _ text: String, hasSign: Bool) throws(Fault) -> TOMLValue {
        var rest = hasSign ? word.dropFirst() : word
        guard let whole = Self.digits(&rest, radix: 10) else { throw .notAValue(text) }
        var plain = (word.first == UInt8(ascii: "-") ? "-" : "") + whole
        let isWhole = rest.isEmpty
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard let fraction = Self.digits(&rest, radix: 10) else { throw .notAValue(text) }
            plain += "." + fraction
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            plain += "e"
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                rest = rest.dropFirst()
                plain += sign == UInt8(ascii: "-") ? "-" : ""
            }
            guard let exponent = Self.digits(&rest, radix: 10) else { throw .notAValue(text) }
            plain += exponent
        }
        guard rest.isEmpty else { throw .notAValue(text) }
        guard whole.utf8.count == 1 || whole.utf8.first != UInt8(ascii: "0") else { throw .leadingZero(text) }
        if isWhole {
            guard let value = Int64(plain) else { throw .outOfRange(text) }
            return .integer(value)
        }
        guard let value = Double(plain) else { throw .notAValue(text) }
        return .number(value)
    }

    /// Takes digits from the start of `rest`, and omits the underscores, each of which must separate two digits.
    private static func digits(_ rest: inout ArraySlice<UInt8>, radix: Int) -> String? {
        var digits: [UInt8] = []
        var mayBreak = false
        while let byte = rest.first {
            if let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix {
                digits.append(byte)
                mayBreak = true
            } else if byte == UInt8(ascii: "_"), mayBreak {
                mayBreak = false
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        return mayBreak ? String(decoding: digits, as: UTF8.self) : nil
    }
}
