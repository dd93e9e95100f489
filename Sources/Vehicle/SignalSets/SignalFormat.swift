// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The conversion of a signal's bits to its value: the object `fmt` of a signal set.
struct SignalFormat: Hashable, Sendable {
    private let index: Int
    private let length: Int
    private let isLittleEndian: Bool
    private let isSigned: Bool
    private let multiplier: Double
    private let divisor: Double
    private let addend: Double
    /// The unit's symbol; nil for a signal without a unit.
    let unit: String?
    /// The least valid value; nil without a lower limit.
    let lowest: Double?
    /// The greatest valid value; nil without an upper limit.
    let highest: Double?
    /// The labels of an enumeration, by value; empty for a number.
    let labels: [Int: String]
    private let unknownKey: String?
    /// The unit's name in the set; nil if the format has labels instead.
    private let unitName: String?

    private static let keys: Set<String> = [
        "bix", "len", "blsb", "sign", "min", "max", "add", "mul", "div", "unit", "nullmin", "nullmax", "omin", "omax",
        "oval", "map",
    ]

    init(_ node: JSONNode) throws(SignalSetError) {
        self.index = try node.optional("bix")?.integer(in: 0...8000) ?? 0
        self.length = try node.required("len").integer(in: 1...8000)
        self.isLittleEndian = try node.optional("blsb")?.flag ?? false
        self.isSigned = try node.optional("sign")?.flag ?? false
        self.multiplier = try node.optional("mul")?.number ?? 1
        self.divisor = try node.optional("div")?.number ?? 1
        self.addend = try node.optional("add")?.number ?? 0
        let unit = try node.optional("unit")?.text
        let least = try node.optional("min")?.number ?? 0
        let most = try node.optional("max")?.number
        let nullLeast = try node.optional("nullmin")?.number
        let nullMost = try node.optional("nullmax")?.number
        for key in ["omin", "omax", "oval"] { _ = try node.optional(key)?.number }
        let map = try node.optional("map")
        self.labels = try map.map(Self.labels) ?? SignalUnit.labels[unit ?? ""] ?? [:]
        self.unit = unit.flatMap { SignalUnit.symbols[$0] }
        if map == nil, unit == nil || most == nil {
            throw node.error("max and unit, or map")
        }
        // A maximum that is not above the minimum gives no range.
        let hasRange = map == nil && (most.map { $0 > least } ?? false)
        // A value on or beyond a null bound is invalid, so the limits lie a thousandth of a step inside the bounds.
        let step = self.divisor == 0 ? 0 : abs(self.multiplier / self.divisor)
        let margin = step / 1000
        var limits: (lowest: Double?, highest: Double?) = hasRange ? (least, most) : (nil, nil)
        // Many a limit is the full scale, rounded: 99.2 for 99.21875.
        for end in Self.ends(bits: self.length, isSigned: self.isSigned) {
            let value = end * self.multiplier / self.divisor + self.addend
            if let lowest = limits.lowest, value < lowest, lowest - value < step / 2 { limits.lowest = value }
            if let highest = limits.highest, value > highest, value - highest < step / 2 { limits.highest = value }
        }
        self.lowest = [limits.lowest, nullLeast.map { $0 + margin }].compactMap(\.self).max()
        self.highest = [limits.highest, nullMost.map { $0 - margin }].compactMap(\.self).min()
        self.unknownKey = try node.unknownKeys(Self.keys).first
        self.unitName = map == nil ? unit : nil
    }

    /// Returns the least and the greatest number that these bits can express; none for more bits than a formula takes.
    private static func ends(bits: Int, isSigned: Bool) -> [Double] {
        guard bits <= 48 else { return [] }
        let count = Double(1 << bits)
        return isSigned ? [-count / 2, count / 2 - 1] : [0, count - 1]
    }

    /// The number of bytes that a reply must have after the echo of the request.
    var byteCount: Int { (self.index + self.length + 7) / 8 }

    /// The reason why the agent cannot decode the signal; nil if it can.
    var refusal: SignalRefusal? {
        if let key = self.unknownKey {
            return SignalRefusal(.unknownKey, "its format has the unknown key \"\(key.prefix(bytes: 40))\"")
        }
        if let unit = self.unitName {
            if SignalUnit.texts.contains(unit) { return SignalRefusal(.text, "its value is a text, not a number") }
            if !SignalUnit.isKnown(unit) {
                return SignalRefusal(.unit, "its unit \"\(unit.prefix(bytes: 40))\" is unknown")
            }
        }
        return self.formulaProblem.map { SignalRefusal(.format, $0) }
    }

    /// The reason why no formula expresses the signal; nil if one does.
    private var formulaProblem: String? {
        if self.multiplier == 0 { return "its factor is 0, so its value never changes" }
        if self.divisor == 0 { return "its divisor is 0" }
        if let lowest = self.lowest, let highest = self.highest, lowest >= highest {
            return "its limits leave no valid value"
        }
        guard self.rawFormula != nil else {
            return "its \(self.length) bits at bit \(self.index) cannot be written as a formula"
        }
        do {
            _ = try Formula(self.formula)
            return nil
        } catch {
            return "its scaling is not a valid formula: \(error)"
        }
    }

    private static func labels(_ node: JSONNode) throws(SignalSetError) -> [Int: String] {
        let members = try node.members
        guard members.count <= 256 else { throw node.error("at most 256 labels") }
        var labels: [Int: String] = [:]
        for (key, json) in members {
            let meaning = JSONNode(json: json, path: "\(node.path).\(key.prefix(bytes: 40))")
            guard let code = Int(key) else { throw meaning.error("an integer as the key") }
            let text: String
            if case .string(let json) = json {
                text = json
            } else {
                let description = try meaning.optional("description")
                text = if let description { try description.text } else { try meaning.required("value").text }
            }
            // Int reads 1, +1 and 01 as the same number.
            guard labels.updateValue(Self.label(text), forKey: code) == nil else {
                throw node.error("each number once")
            }
        }
        return labels
    }

    /// Returns the start of `text` in at most 64 bytes of UTF-8, the configuration's limit for a label.
    private static func label(_ text: String) -> String {
        var label = ""
        for scalar in text.unicodeScalars {
            guard label.utf8.count + UTF8.width(scalar) <= 64 else { break }
            label.unicodeScalars.append(scalar)
        }
        return label
    }

    // MARK: - Formula

    /// The formula of the value, in the syntax of ``OBD2/Formula``.
    var formula: String {
        var text = self.rawFormula ?? ""
        if self.multiplier != 1 { text += " * \(decimal(self.multiplier))" }
        if self.divisor != 1 { text += " / \(decimal(self.divisor))" }
        if self.addend != 0 { text += self.addend < 0 ? " - \(decimal(-self.addend))" : " + \(decimal(self.addend))" }
        return text
    }

    /// The formula of the unscaled number; nil if no formula can express the bits.
    ///
    /// Formulas have no form for more than 48 bits, for bits beyond byte 702, or for little-endian bits that are not
    /// whole bytes.
    private var rawFormula: String? {
        let isWhole = self.index.isMultiple(of: 8) && [8, 16, 24, 32].contains(self.length)
        if isWhole, self.index + self.length <= 702 * 8 {
            let bytes = (self.index / 8..<(self.index + self.length) / 8).map(Self.name)
            let inOrder = self.isLittleEndian ? bytes.reversed() : bytes
            guard bytes.count > 1 else { return self.isSigned ? "signed(\(bytes[0]))" : bytes[0] }
            return "\(self.isSigned ? "" : "u")int\(self.length)(\(inOrder.joined(separator: ", ")))"
        }
        let isReversed = self.isLittleEndian && self.length > 8
        guard !isReversed, self.length <= 48, self.index + self.length <= 702 * 8 else { return nil }
        let bits = "bits(\(self.index), \(self.length))"
        return self.isSigned ? "signed(\(bits), \(self.length))" : bits
    }

    /// Returns the formula's name of a byte: `A` for index 0, `Z` for 25, `AA` for 26.
    private static func name(_ index: Int) -> String {
        func letter(_ index: Int) -> String { String(UnicodeScalar(UInt8(65 + index % 26))) }
        return index < 26 ? letter(index) : letter(index / 26 - 1) + letter(index)
    }
}

/// Returns a number without an exponent, because formulas have none.
func decimal(_ value: Double) -> String {
    let text = "\(value)"
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]) else {
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    let isNegative = text.hasPrefix("-")
    let mantissa = text[..<mark].drop { $0 == "-" }
    let parts = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let whole = String(parts.first ?? "0")
    let fraction = parts.count > 1 && parts[1] != "0" ? String(parts[1]) : ""
    let digits = whole + fraction
    let point = whole.count + exponent
    let sign = isNegative ? "-" : ""
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
    if point >= digits.count { return sign + digits + String(repeating: "0", count: point - digits.count) }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
}
