// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One value in the data of a parameter: where its bits are and what they mean.
///
/// A class only so that a ``FieldValue`` is cheap; it never changes, and there is one object for each name.
package final class Field: Sendable {
    /// Its name within the parameter: `voltage`; `value` where there is only one.
    package let key: String
    /// Its name among all fields, which is its topic: `o2_sensor_b1s1_voltage`.
    package let name: String
    /// The first byte that it uses, from 0.
    package let byte: Int
    /// The highest bit that it uses in that byte, 7 to 0.
    package let msb: Int
    /// How many bits it has, running on into the following bytes, at most 32.
    package let bitLength: Int
    /// Whether the bits are two's complement.
    package let signed: Bool
    /// The value is the raw number times `multiplier`, divided by `divisor`, plus `addend`.
    package let multiplier: Int
    /// What the raw number is divided by; never 0.
    package let divisor: Int
    /// What is added last, in the field's unit.
    package let addend: Int
    /// The unit of the value; nil for what is no quantity, and for a unit that the catalogue does not have.
    package let unit: Unit?
    /// The unit as it is written; nil for what is no quantity.
    package let symbol: String?
    /// The step of the recorded values, in the field's unit; more than zero.
    package let resolution: Double
    /// The bit of the first byte that must be 1 for the field to be valid, if there is one.
    package let supportBit: Int?
    /// The meanings of the codes of an enumeration.
    package let labels: [Int: String]
    let form: Form
    /// The bit of the first byte that says that these bits mean another field; both bits set mean neither.
    let rivalBit: Int?
    /// Whether all ones say that there is no value.
    let isOptional: Bool
    /// Whether inches of mercury are its usual imperial unit, as for air pressures.
    private let isBarometric: Bool

    /// How the bits become a ``Value``.
    enum Form: Sendable {
        case number
        case flag
        case code
        /// The names of the bits, lowest first.
        case names([String])
        /// The PIDs after this one, highest bit first.
        case pids(after: PID)
        case troubleCode
        case ignition
        case supportedMonitors
        case incompleteMonitors
        /// A number or a code, if it is in the range.
        case formula(Formula, ClosedRange<Double>)
    }

    // Not inlined: the catalogue calls it 400 times.
    @inline(never)
    init(
        _ key: String,
        _ name: String,
        _ byte: Int,
        msb: Int = 7,
        bits: Int = 8,
        signed: Bool = false,
        times multiplier: Int = 1,
        over divisor: Int = 1,
        plus addend: Int = 0,
        _ unit: Unit? = nil,
        support: Int? = nil,
        rival: Int? = nil,
        optional: Bool = false,
        barometric: Bool = false,
        labels: [Int: String] = [:],
        form: Form? = nil
    ) {
        self.key = key
        self.name = name
        self.byte = byte
        self.msb = msb
        self.bitLength = bits
        self.signed = signed
        self.multiplier = multiplier
        self.divisor = divisor
        self.addend = addend
        self.unit = unit
        self.symbol = unit?.symbol
        self.resolution = Double(multiplier) / Double(divisor)
        self.supportBit = support
        self.labels = labels
        self.form = form ?? (labels.isEmpty ? (bits == 1 ? .flag : .number) : .code)
        self.rivalBit = rival
        self.isOptional = optional
        self.isBarometric = barometric
    }

    /// The value of a custom parameter.
    ///
    /// - Parameters:
    ///   - symbol: its unit; one that the catalogue has is converted as always.
    ///   - range: what is outside is no value.
    ///   - labels: the meanings of its codes; none for a number.
    package init(
        custom name: String,
        _ formula: Formula,
        symbol: String? = nil,
        range: ClosedRange<Double> = -Double.infinity...Double.infinity,
        labels: [Int: String] = [:]
    ) {
        self.key = "value"
        self.name = name
        self.byte = 0
        self.msb = 7
        self.bitLength = 8
        self.signed = false
        self.multiplier = 1
        self.divisor = 1
        self.addend = 0
        self.unit = symbol.flatMap(Unit.init(rawValue:))
        self.symbol = symbol
        self.resolution = Self.resolution(of: range)
        self.supportBit = nil
        self.labels = labels
        self.form = .formula(formula, range)
        self.rivalBit = nil
        self.isOptional = false
        self.isBarometric = false
    }

    /// A power of ten, at most a thousandth, and at most a hundred-thousandth of the range where that is finer.
    private static func resolution(of range: ClosedRange<Double>) -> Double {
        let width = range.upperBound - range.lowerBound
        var resolution = 0.001
        while width.isFinite, width > 0, resolution > 1e-9, resolution * 1e5 > width { resolution /= 10 }
        return resolution
    }

    /// Which case of ``Value`` a field decodes to.
    package enum Kind: Sendable, Hashable {
        case number, flag, code, text, names
    }

    /// Which case of ``Value`` this field decodes to.
    package var kind: Kind {
        switch self.form {
        case .number: .number
        case .formula: self.labels.isEmpty ? .number : .code
        case .flag: .flag
        case .code: .code
        case .troubleCode, .ignition: .text
        case .names, .pids, .supportedMonitors, .incompleteMonitors: .names
        }
    }

    /// The lowest and the highest value that the bits can express, in the field's unit.
    package var rangeOfValues: ClosedRange<Double> {
        if case .formula(_, let range) = self.form { return range }
        return self.scaled(self.rawRange.lowerBound)...self.scaled(self.rawRange.upperBound)
    }

    /// A value of this field in the imperial unit that is usual for it.
    package func imperial(_ value: Double) -> (Double, Unit)? {
        if self.isBarometric { return (value * 0.2952998751, .inchOfMercury) }
        return self.unit?.imperial(value)
    }

    /// The raw numbers that are values.
    var rawRange: ClosedRange<Int> {
        let values = 1 << self.bitLength
        return self.signed ? -values / 2...values / 2 - 1 : 0...values - (self.isOptional ? 2 : 1)
    }

    /// The value of a raw number.
    func scaled(_ raw: Int) -> Double {
        Double(raw) * Double(self.multiplier) / Double(self.divisor) + Double(self.addend)
    }
}

extension Field: Hashable {
    package static func == (left: Field, right: Field) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
