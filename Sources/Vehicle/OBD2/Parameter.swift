// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The quantity that a PID of service 01 measures: one row of the catalogue (SAE J1979-DA).
package struct Parameter: Sendable {
    /// The PID in services 01 and 02.
    package let pid: PID
    /// The name in the configuration, as in `engine_speed`.
    ///
    /// The values have names of their own, see ``Field/name``.
    package let name: String
    /// The quantity's name in the standard; the names of its values for people are in the shared words.
    package let title: String
    /// The short name for the head of a table: `RPM`.
    package let acronym: String
    /// The least and the greatest number of data bytes; nil if it is unknown.
    package let length: ClosedRange<Int>?
    /// The layout of an older edition of the standard; nil if there is none.
    private let older: ShortForm?
    package let kind: Kind
    /// The values; empty if the layout is unknown, so that only the bytes can be shown.
    package let fields: [Field]
    /// The paths of the values in COVESA's Vehicle Signal Specification.
    package let vssPaths: [String]
    /// Whether all ones cannot be a measured value; see ``isSentinel(_:)``.
    private let hasSentinel: Bool
    /// Whether the meaning of the data depends on the ECU: on its scales, or on its oxygen sensors.
    ///
    /// See ``ECUConventions``.
    package let dependsOnECU: Bool

    /// A layout of fewer bytes, and of no length between.
    struct ShortForm: Sendable {
        let length: Int
        /// The positions of values; the values have the fields with these keys of the parameter.
        let fields: [Field]

        init(_ length: Int, _ fields: [Field]) {
            self.length = length
            self.fields = fields
        }
    }

    /// The kind of a parameter's data.
    package enum Kind: Sendable, Hashable {
        /// The data are a measured or counted value.
        case numeric
        /// The data are a value of a list.
        case enumeration
        /// The data are bits with a meaning each.
        case bitField
        /// The data are several values.
        case composite
        /// The layout of the data is unknown.
        case unknown
    }

    /// - Parameters:
    ///   - length: the number of data bytes; nil if unknown.
    ///   - optional: the number of bytes that may be missing at the end.
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
        sentinel: Bool = false,
        older: ShortForm? = nil
    ) {
        self.pid = pid
        self.name = name
        self.title = title
        self.acronym = acronym
        self.length = length.map { (older?.length ?? $0 - optional)...$0 }
        self.older = older
        self.kind = kind
        self.fields = fields
        self.vssPaths = vss
        self.hasSentinel = sentinel
        self.dependsOnECU = fields.contains(where: \.isScaled) || OxygenSensorLayout.hasSensor(pid)
    }

    /// Returns the values in the data of one reply.
    ///
    /// A field is left out if its support bit is 0, if it is marked as not used, or if its optional byte is missing.
    /// A parameter with an unknown layout has no values.
    ///
    /// - Parameter data: the bytes after the PID (service 01) or after the frame number (service 02).
    /// - Throws: `.wrongLength`.
    package func decode(_ data: [UInt8]) throws(DecodingError) -> [FieldValue] {
        var values: [FieldValue] = []
        try self.decode(data.span) { values.append($0) }
        return values
    }

    /// Passes each value in the data of one reply to `take`, in the order of ``fields``.
    ///
    /// The values are those of ``decode(_:)``. Numbers, flags and codes allocate nothing.
    ///
    /// - Parameter scaling: the scales of the ECU; a value whose scale is not known yet is left out.
    package func decode(
        _ data: Span<UInt8>,
        scaling: Scaling = .standard,
        _ take: (FieldValue) -> Void
    ) throws(DecodingError) {
        if let length = self.length, !self.allows(data.count) {
            throw .wrongLength(expected: length, actual: data.count)
        }
        if let older = self.older, data.count == older.length {
            for field in older.fields {
                guard let value = field.decode(data), let own = self.fields.first(where: { $0.key == field.key }) else {
                    continue
                }
                take(FieldValue(field: own, value: value))
            }
            return
        }
        for field in self.fields {
            if let value = field.decode(data, scaling: scaling) { take(FieldValue(field: field, value: value)) }
        }
    }

    /// Whether data of the parameter can have this number of bytes.
    func allows(_ count: Int) -> Bool {
        guard let length = self.length else { return true }
        guard let older = self.older else { return length.contains(count) }
        return count == older.length || count == length.upperBound
    }

    /// Whether `data` means "not available", which ECUs send above all when the ignition changes.
    ///
    /// ECUs send all ones. That counts as a sentinel only for the quantities that the catalogue marks, because they
    /// cannot be that large in a road vehicle: 255 km/h, 16,384 rpm, 215 °C of coolant or air, 6,514 °C in the exhaust,
    /// 255 kPa of ambient pressure, 65 V on board, 128 mA of pump current, 6,554 bar in the rail, 3,277 L/h of fuel,
    /// 65,535 N·m, 429 million km. Quantities that can reach their full scale have no sentinel: percentages, trims,
    /// saturating counters, lambda, manifold pressure under boost.
    package func isSentinel(_ data: [UInt8]) -> Bool {
        self.hasSentinel && !data.isEmpty && data.allSatisfy { $0 == 0xFF }
    }

    /// Returns the data with these values, by ``Field/key``, and with the support bits of their fields.
    ///
    /// Numbers are clamped to the field's range.
    ///
    /// - Parameter scaling: the scales of the ECU.
    /// - Returns: nil if the layout is unknown, a key is not the parameter's, or a value is not of the field's kind.
    package func encode(_ values: [String: DecodedValue], scaling: Scaling = .standard) -> [UInt8]? {
        guard let length = self.length, !self.fields.isEmpty,
            values.keys.allSatisfy({ key in self.fields.contains { $0.key == key } })
        else { return nil }
        if self.fields.contains(where: { $0.key == "ignition" }) { return Self.encodeStatus(values) }
        var data = [UInt8](repeating: 0, count: length.upperBound)
        var needed = self.older == nil ? length.lowerBound : length.upperBound
        for field in self.fields {
            if let value = values[field.key] {
                guard let raw = field.raw(for: value, scaling: scaling) else { return nil }
                field.write(raw, to: &data)
                needed = max(needed, field.lastByte + 1)
            } else if field.isOptional {
                field.write(field.rawRange.upperBound + 1, to: &data)
            }
        }
        return Array(data.prefix(needed))
    }

    /// Encodes PIDs 01 and 41, whose bits depend on each other.
    private static func encodeStatus(_ values: [String: DecodedValue]) -> [UInt8]? {
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
