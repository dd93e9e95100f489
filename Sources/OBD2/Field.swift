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
    package let divisor: Int
    package let addend: Int
    package let unit: Unit?
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
    }

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
        self.supportBit = support
        self.labels = labels
        self.form = form ?? (labels.isEmpty ? (bits == 1 ? .flag : .number) : .code)
        self.rivalBit = rival
        self.isOptional = optional
        self.isBarometric = barometric
    }

    /// Which case of ``Value`` a field decodes to.
    package enum Kind: Sendable, Hashable {
        case number, flag, code, text, names
    }

    package var kind: Kind {
        switch self.form {
        case .number: .number
        case .flag: .flag
        case .code: .code
        case .troubleCode, .ignition: .text
        case .names, .pids, .supportedMonitors, .incompleteMonitors: .names
        }
    }

    /// The lowest and the highest value that the bits can express, in the field's unit.
    package var rangeOfValues: ClosedRange<Double> {
        self.scaled(self.rawRange.lowerBound)...self.scaled(self.rawRange.upperBound)
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
