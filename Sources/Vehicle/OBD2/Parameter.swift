// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What a PID of service 01 measures: one row of the catalogue (SAE J1979-DA).
package struct Parameter: Sendable {
    /// Its number in services 01 and 02.
    package let pid: PID
    /// Its name in the configuration: `engine_speed`; its values are named by ``Field/name``.
    package let name: String
    /// Its name for people: `Engine speed`.
    package let title: String
    /// A short name for a table's head: `RPM`.
    package let acronym: String
    /// How many bytes of data it has; nil if nobody knows.
    package let length: ClosedRange<Int>?
    /// What its data is made of.
    package let kind: Kind
    /// Its values; none where the layout is not known and only the bytes can be shown.
    package let fields: [Field]
    /// Where COVESA's Vehicle Signal Specification puts the values.
    package let vssPaths: [String]
    /// Whether all ones cannot be a measured value; see ``isSentinel(_:)``.
    private let hasSentinel: Bool

    /// What the data of a parameter is made of.
    package enum Kind: Sendable, Hashable {
        /// One measured or counted value.
        case numeric
        /// One of a list.
        case enumeration
        /// Bits with a meaning each.
        case bitField
        /// Several values.
        case composite
        /// The layout is not known.
        case unknown
    }

    /// - Parameters:
    ///   - length: the number of data bytes; nil if unknown.
    ///   - optional: how many of them may be missing.
    @inline(never)
    init(
        _ pid: PID,
        _ name: String,
        _ title: String,
        _ acronym: String,
        _ length: Int?,
        optional: Int = 0,
        _ kind: Kind,
        _ fields: [Field],
        vss: [String] = [],
        sentinel: Bool = false
    ) {
        self.pid = pid
        self.name = name
        self.title = title
        self.acronym = acronym
        self.length = length.map { $0 - optional...$0 }
        self.kind = kind
        self.fields = fields
        self.vssPaths = vss
        self.hasSentinel = sentinel
    }

    /// The values in the data of one reply.
    ///
    /// A field is left out if its support bit is 0, if it is marked as not used, or if its optional byte is missing.
    /// A parameter without a known layout has no values.
    ///
    /// - Parameter data: what follows the PID (service 01) or the frame number (service 02).
    /// - Throws: `.wrongLength`.
    package func decode(_ data: [UInt8]) throws(DecodingError) -> [FieldValue] {
        var values: [FieldValue] = []
        try self.decode(data.span) { values.append($0) }
        return values
    }

    /// Hands over each value in the data of one reply, in the order of ``fields``.
    ///
    /// Allocates nothing for values that are numbers, flags or codes; else as ``decode(_:)``.
    package func decode(_ data: Span<UInt8>, _ take: (FieldValue) -> Void) throws(DecodingError) {
        if let length = self.length, !length.contains(data.count) {
            throw .wrongLength(expected: length, actual: data.count)
        }
        for field in self.fields {
            if let value = field.decode(data) { take(FieldValue(field: field, value: value)) }
        }
    }

    /// Whether `data` is what ECUs send for "not available", at ignition changes above all.
    ///
    /// That is all ones, for the quantities that the catalogue marks because they cannot be that large in a road
    /// vehicle: 255 km/h, 16 384 rpm, 215 °C of coolant or air, 6 514 °C in the exhaust, 255 kPa of weather, 65 V on
    /// board, 128 mA of pump current, 6 554 bar in the rail, 3 277 L/h of fuel, 65 535 N·m, 429 million km.
    /// Never for values whose full scale is ordinary: percentages, trims, saturating counters, lambda, manifold
    /// pressure under boost.
    package func isSentinel(_ data: [UInt8]) -> Bool {
        self.hasSentinel && !data.isEmpty && data.allSatisfy { $0 == 0xFF }
    }

    /// The data with these values, by ``Field/key``, and the support bits of the fields given.
    ///
    /// Numbers are clamped to the field's range. Nil if the layout is not known, a key is not the parameter's, or a
    /// value is not of the field's kind.
    package func encode(_ values: [String: Value]) -> [UInt8]? {
        guard let length = self.length, !self.fields.isEmpty,
            values.keys.allSatisfy({ key in self.fields.contains { $0.key == key } })
        else { return nil }
        if self.fields.contains(where: { $0.key == "ignition" }) { return Self.encodeStatus(values) }
        var data = [UInt8](repeating: 0, count: length.upperBound)
        var needed = length.lowerBound
        for field in self.fields {
            if let value = values[field.key] {
                guard let raw = field.raw(for: value) else { return nil }
                field.write(raw, to: &data)
                needed = max(needed, field.lastByte + 1)
            } else if field.isOptional {
                field.write(field.rawRange.upperBound + 1, to: &data)
            }
        }
        return Array(data.prefix(needed))
    }

    /// PIDs 01 and 41, whose bits depend on each other.
    private static func encodeStatus(_ values: [String: Value]) -> [UInt8]? {
        var mil = false
        var count = 0
        var ignition = Ignition.spark
        var sets: [String: Set<Monitor>] = [:]
        for (key, value) in values {
            switch (key, value) {
            case ("mil", .flag(let flag)): mil = flag
            case ("dtc_count", .number(let number)):
                guard let whole = Int(exactly: number.rounded()) else { return nil }
                count = whole
            case ("compression", .flag(let flag)): if flag { ignition = .compression }
            case ("ignition", .text(let text)):
                guard let known = Ignition(rawValue: text) else { return nil }
                if known == .compression { ignition = known }
            case ("supported", .names(let names)), ("incomplete", .names(let names)):
                let monitors = names.compactMap(Monitor.init(rawValue:))
                guard monitors.count == names.count else { return nil }
                sets[key] = Set(monitors)
            default: return nil
            }
        }
        return MonitorStatus(
            mil: mil,
            codeCount: count,
            ignition: ignition,
            supported: sets["supported"] ?? [],
            incomplete: sets["incomplete"] ?? []
        ).data
    }
}
