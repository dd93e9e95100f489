// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

/// How a signal's bits become its value.
struct SignalFormat: Hashable, Sendable {
    private let index: Int
    private let length: Int
    private let isLittleEndian: Bool
    private let isSigned: Bool
    private let multiplier: Double
    private let divisor: Double
    private let addend: Double
    /// The unit's symbol.
    let unit: String?
    /// What is less, or more, is no value.
    let lowest: Double?
    let highest: Double?
    let labels: [Int: String]
    private let unknownKey: String?
    /// The unit as the set has it; nil where meanings take its place.
    private let unitName: String?

    private static let keys: Set<String> = [
        "bix", "len", "blsb", "sign", "min", "max", "add", "mul", "div", "unit", "nullmin", "nullmax", "omin", "omax",
        "oval", "map",
    ]

    init(_ place: Place) throws(SignalSetError) {
        self.index = try place.optional("bix")?.integer(in: 0...8000) ?? 0
        self.length = try place.required("len").integer(in: 1...8000)
        self.isLittleEndian = try place.optional("blsb")?.flag ?? false
        self.isSigned = try place.optional("sign")?.flag ?? false
        self.multiplier = try place.optional("mul")?.number ?? 1
        self.divisor = try place.optional("div")?.number ?? 1
        self.addend = try place.optional("add")?.number ?? 0
        let unit = try place.optional("unit")?.text
        let least = try place.optional("min")?.number ?? 0
        let most = try place.optional("max")?.number
        let nullLeast = try place.optional("nullmin")?.number
        let nullMost = try place.optional("nullmax")?.number
        for key in ["omin", "omax", "oval"] { _ = try place.optional(key)?.number }
        let map = try place.optional("map")
        self.labels = try map.map(Self.labels) ?? SignalUnit.labels[unit ?? ""] ?? [:]
        self.unit = unit.flatMap { SignalUnit.symbols[$0] }
        if map == nil, unit == nil || most == nil {
            throw place.error("max and unit, or map")
        }
        // Without a range of its own the format has none: a maximum that is not above the minimum says nothing.
        let hasRange = map == nil && (most.map { $0 > least } ?? false)
        // Null is what lies on the bound or beyond; the values next to it are a step away.
        let step = self.divisor == 0 ? 0 : abs(self.multiplier / self.divisor) / 1000
        self.lowest = [hasRange ? least : nil, nullLeast.map { $0 + step }].compactMap(\.self).max()
        self.highest = [hasRange ? most : nil, nullMost.map { $0 - step }].compactMap(\.self).min()
        self.unknownKey = try place.unknownKeys(Self.keys).first
        self.unitName = map == nil ? unit : nil
    }

    /// Why it is not taken, if it is not.
    var refusal: String? {
        if let key = self.unknownKey { return "\"\(key.prefix(bytes: 40))\" of its format is not known" }
        if let unit = self.unitName {
            if SignalUnit.texts.contains(unit) { return "is a text, not a number" }
            if !SignalUnit.isKnown(unit) { return "the unit \"\(unit.prefix(bytes: 40))\" is not known" }
        }
        if self.divisor == 0 || self.multiplier == 0 { return "is always the same, or divided by zero" }
        if let lowest = self.lowest, let highest = self.highest, lowest >= highest {
            return "all its values count as none"
        }
        guard self.raw != nil else { return "its bits are too many, or not whole bytes from the last to the first" }
        do {
            _ = try Formula(self.formula)
            return nil
        } catch {
            return "its scaling makes no formula: \(error)"
        }
    }

    private static func labels(_ place: Place) throws(SignalSetError) -> [Int: String] {
        let members = try place.members
        guard members.count <= 256 else { throw place.error("at most 256 meanings") }
        var labels: [Int: String] = [:]
        for (key, json) in members {
            let meaning = Place(json: json, path: "\(place.path).\(key.prefix(bytes: 40))")
            guard let code = Int(key) else { throw meaning.error("a whole number for its key") }
            let text: String
            if case .string(let json) = json {
                text = json
            } else {
                let description = try meaning.optional("description")
                text = if let description { try description.text } else { try meaning.required("value").text }
            }
            // 1 is also +1 and 01.
            guard labels.updateValue(Self.label(text), forKey: code) == nil else {
                throw place.error("each number once")
            }
        }
        return labels
    }

    /// As much of `text` as the configuration takes.
    private static func label(_ text: String) -> String {
        var label = ""
        for scalar in text.unicodeScalars {
            guard label.utf8.count + UTF8.width(scalar) <= 64 else { break }
            label.unicodeScalars.append(scalar)
        }
        return label
    }

    // MARK: - As a formula

    /// The formula of the value.
    var formula: String {
        var text = self.raw ?? ""
        if self.multiplier != 1 { text += " * \(decimal(self.multiplier))" }
        if self.divisor != 1 { text += " / \(decimal(self.divisor))" }
        if self.addend != 0 { text += self.addend < 0 ? " - \(decimal(-self.addend))" : " + \(decimal(self.addend))" }
        return text
    }

    /// The bits as a number; nil where a formula can't say it.
    private var raw: String? {
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

    /// `A`, `Z`, `AA`.
    private static func name(_ index: Int) -> String {
        func letter(_ index: Int) -> String { String(UnicodeScalar(UInt8(65 + index % 26))) }
        return index < 26 ? letter(index) : letter(index / 26 - 1) + letter(index)
    }
}

/// A number without an exponent, as formulas have it.
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
