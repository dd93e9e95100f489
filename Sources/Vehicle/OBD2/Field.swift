// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value in the data of a parameter: the position and the scale of its bits.
///
/// The type is a class so that a ``FieldValue`` is cheap to copy. A field is immutable, and each name has one object.
package final class Field: Sendable {
    /// The field's name within the parameter: `voltage`, or `value` if there is only one field.
    package let key: String
    /// The field's name among all fields, which is its topic: `o2_sensor_b1s1_voltage`.
    package let name: String
    /// The index of the field's first byte.
    package let byte: Int
    /// The field's highest bit in that byte, 7 to 0.
    package let msb: Int
    /// The number of bits, at most 32, which continue in the following bytes.
    package let bitLength: Int
    /// Whether the bits are two's complement.
    package let signed: Bool
    /// The factor of the scale: the value is `raw * multiplier / divisor + addend`.
    package let multiplier: Int
    /// The divisor of the scale; never 0.
    package let divisor: Int
    /// The offset of the scale, in the field's unit.
    package let addend: Int
    /// The unit of the value; nil for a value without a unit, or with a unit that the catalogue does not have.
    package let unit: Unit?
    /// The unit's symbol; nil for a value without a unit.
    package let symbol: String?
    /// The step of the recorded values, in the field's unit; more than zero.
    package let resolution: Double
    /// The bit of the first byte that must be 1 for the field to be valid; nil if there is none.
    package let supportBit: Int?
    /// The labels of an enumeration, by code; empty for other fields.
    package let labels: [Int: String]
    /// The meaning of the value that the agent understands; nil if it has none.
    package let role: ParameterRole?
    /// The numbers that stand for true, if the role is a truth value; nil if every number but 0 does.
    package let trueValues: Set<Int>?
    let form: Form
    /// The bit of the first byte that must be 0 for the field to be valid; nil if there is none.
    ///
    /// The bit is the support bit of another field that shares these bits, or says that there are no data. If the
    /// support bits of two fields are set, neither field has a value.
    let rivalBit: Int?
    /// Whether all ones mean that the field has no value.
    let isOptional: Bool
    /// Whether inches of mercury are the usual imperial unit, as for air pressures.
    private let isBarometric: Bool

    /// The conversion of the bits to a ``DecodedValue``.
    enum Form: Sendable {
        case number
        /// A number whose full scale the ECU can set.
        case scaled(Scaling.Quantity)
        case flag
        case code
        /// The names of the bits, lowest first.
        case names([String])
        /// The PIDs after this PID, highest bit first.
        case pids(after: PID)
        case troubleCode
        case ignition
        case supportedMonitors
        case incompleteMonitors
        /// A number or a code; no value outside of the range.
        case formula(Formula, ClosedRange<Double>)
        /// A number that the agent computes from other values; no value outside of the range.
        case derived(ClosedRange<Double>)
    }

    // Inlining would repeat the code 400 times in the catalogue.
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
        scaled quantity: Scaling.Quantity? = nil,
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
        self.role = ParameterRole.standard[name]
        self.trueValues = nil
        self.form =
            form ?? quantity.map { .scaled($0) } ?? (labels.isEmpty ? (bits == 1 ? .flag : .number) : .code)
        self.rivalBit = rival
        self.isOptional = optional
        self.isBarometric = barometric
    }

    /// Creates the field of a custom parameter.
    ///
    /// - Parameters:
    ///   - symbol: the symbol of the unit; a unit of the catalogue also has its imperial counterpart.
    ///   - range: the valid values; a value outside of it is dropped.
    ///   - labels: the labels of an enumeration; empty for a number.
    ///   - role: the role, whose value is a flag if it is a truth value and has no labels.
    ///   - trueValues: the numbers that stand for true; nil if every number but 0 does.
    package convenience init(
        custom name: String,
        _ formula: Formula,
        symbol: String? = nil,
        range: ClosedRange<Double> = -Double.infinity...Double.infinity,
        labels: [Int: String] = [:],
        role: ParameterRole? = nil,
        trueValues: Set<Int>? = nil
    ) {
        self.init(
            single: name,
            symbol,
            Self.resolution(of: range),
            labels: labels,
            role: role,
            trueValues: trueValues,
            .formula(formula, range)
        )
    }

    /// Creates the field of a derived parameter.
    ///
    /// - Parameters:
    ///   - symbol: the symbol of the unit; a unit of the catalogue also has its imperial counterpart.
    ///   - range: the valid values; a value outside of it is dropped.
    ///   - resolution: the step of the recorded values; nil for one that follows from the range.
    package convenience init(
        derived name: String,
        symbol: String? = nil,
        range: ClosedRange<Double> = -Double.infinity...Double.infinity,
        resolution: Double? = nil
    ) {
        self.init(single: name, symbol, resolution ?? Self.resolution(of: range), .derived(range))
    }

    /// Creates the field of a parameter that is one value, outside of the catalogue.
    private init(
        single name: String,
        _ symbol: String?,
        _ resolution: Double,
        labels: [Int: String] = [:],
        role: ParameterRole? = nil,
        trueValues: Set<Int>? = nil,
        _ form: Form
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
        self.resolution = resolution
        self.supportBit = nil
        self.labels = labels
        self.role = role
        self.trueValues = trueValues
        self.form = form
        self.rivalBit = nil
        self.isOptional = false
        self.isBarometric = false
    }

    /// Returns a power of ten: at most 0.001 and, for a finite range, at most 1/100,000 of its width, down to 1e-9.
    private static func resolution(of range: ClosedRange<Double>) -> Double {
        let width = range.upperBound - range.lowerBound
        var resolution = 0.001
        while width.isFinite, width > 0, resolution > 1e-9, resolution * 1e5 > width { resolution /= 10 }
        return resolution
    }

    /// A case of ``DecodedValue``, without its associated values.
    package enum Kind: Sendable, Hashable {
        case number, flag, code, text, names
    }

    /// The case of ``DecodedValue`` that this field decodes to.
    package var kind: Kind {
        switch self.form {
        case .number, .scaled, .derived: .number
        case .formula: !self.labels.isEmpty ? .code : self.isTruth ? .flag : .number
        case .flag: .flag
        case .code: .code
        case .troubleCode, .ignition: .text
        case .names, .pids, .supportedMonitors, .incompleteMonitors: .names
        }
    }

    /// Whether a formula of the configuration or of a signal set gives the value.
    package var isCustom: Bool { if case .formula = self.form { true } else { false } }

    /// Whether the full scale depends on the ECU.
    var isScaled: Bool { if case .scaled = self.form { true } else { false } }

    /// Whether the value of the field's role is true or false.
    private var isTruth: Bool { self.role?.isTruth == true }

    /// Returns whether a value of this field is true; nil if the field's role is not a truth value.
    package func truth(of value: DecodedValue) -> Bool? {
        guard self.isTruth else { return nil }
        switch value {
        case .flag(let flag): return flag
        case .code(let code, _): return self.stands(code, forTrue: Double(code))
        case .number(let number): return self.stands(Int(exactly: number), forTrue: number)
        case .text, .names: return nil
        }
    }

    private func stands(_ whole: Int?, forTrue number: Double) -> Bool {
        guard let trueValues = self.trueValues else { return number != 0 }
        return whole.map(trueValues.contains) ?? false
    }

    /// The lowest and the highest value that the bits can express, in the field's unit.
    package var rangeOfValues: ClosedRange<Double> {
        switch self.form {
        case .formula(_, let range), .derived(let range): return range
        default: break
        }
        return self.scaled(self.rawRange.lowerBound)...self.scaled(self.rawRange.upperBound)
    }

    /// Converts a value of this field to its usual imperial unit; nil for a field without a unit.
    package func imperial(_ value: Double) -> (Double, Unit)? {
        if self.isBarometric { return (value * 0.2952998751, .inchOfMercury) }
        return self.unit?.imperial(value)
    }

    /// The range of the raw numbers that are valid values.
    var rawRange: ClosedRange<Int> {
        let values = 1 << self.bitLength
        return self.signed ? -values / 2...values / 2 - 1 : 0...values - (self.isOptional ? 2 : 1)
    }

    /// Returns the value of a raw number.
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
