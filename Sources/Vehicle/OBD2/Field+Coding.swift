// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Field {
    /// The text for "no code" in the value of PID 02.
    private static let noCode = "none"

    /// Returns the value in `data`; nil if the data does not have it.
    ///
    /// A number, a flag or a code allocates nothing.
    ///
    /// - Parameter scaling: the scales of the ECU; a value whose scale is not known yet is nil.
    func decode(_ data: Span<UInt8>, scaling: Scaling = .standard) -> DecodedValue? {
        if case .formula(let formula, let range) = self.form { return self.value(of: formula, in: range, data) }
        if let bit = self.supportBit, !Self.isSet(bit, in: data) { return nil }
        if let bit = self.rivalBit, Self.isSet(bit, in: data) { return nil }
        guard let raw = self.raw(in: data), self.rawRange.contains(raw) else { return nil }
        switch self.form {
        case .number: return .number(self.scaled(raw))
        case .scaled(let quantity):
            guard let maximum = scaling.maximum(of: quantity) else { return nil }
            return .number(maximum == 0 ? self.scaled(raw) : quantity.value(of: raw, maximum: maximum))
        case .flag: return .flag(raw == 1)
        case .code: return .code(raw, label: self.labels[raw])
        case .names(let names): return .names(names.indices.filter { raw & 1 << $0 != 0 }.map { names[$0] })
        case .pids(let base): return .names((1...32).filter { raw & Self.mask($0) != 0 }.map { Self.name(base, $0) })
        case .troubleCode:
            return .text(raw == 0 ? Self.noCode : DTC(rawValue: UInt16(truncatingIfNeeded: raw)).description)
        case .ignition: return Self.status(data)?.ignition.map { .text($0.rawValue) }
        case .supportedMonitors: return Self.status(data).map { Self.names($0.supported, of: $0) }
        case .incompleteMonitors: return Self.status(data).map { Self.names($0.incomplete, of: $0) }
        case .formula, .derived: return nil
        }
    }

    private func value(of formula: Formula, in range: ClosedRange<Double>, _ data: Span<UInt8>) -> DecodedValue? {
        guard let value = formula.evaluate(data).flatMap({ Self.held($0, in: range) }) else { return nil }
        guard !self.labels.isEmpty else { return self.truth(of: .number(value)).map { .flag($0) } ?? .number(value) }
        return Int(exactly: value).map { .code($0, label: self.labels[$0]) }
    }

    /// Returns `value`, or the limit of `range` if `value` lies beyond it by no more than an error of rounding.
    ///
    /// No binary number is 0.784, so `255 * 0.784 - 100` is a trace above a limit of 99.92.
    ///
    /// - Returns: nil if `value` lies outside of the range.
    private static func held(_ value: Double, in range: ClosedRange<Double>) -> Double? {
        guard !range.contains(value) else { return value }
        let limit = value < range.lowerBound ? range.lowerBound : range.upperBound
        let scale = [range.lowerBound, range.upperBound, value].filter(\.isFinite).map(\.magnitude).max() ?? 0
        return (value - limit).magnitude <= 8 * scale.ulp ? limit : nil
    }

    /// Returns the raw number for `value`, clamped to the range of the bits; nil if the value is of another kind.
    func raw(for value: DecodedValue, scaling: Scaling = .standard) -> Int? {
        switch (self.form, value) {
        case (.scaled(let quantity), .number(let number)):
            guard let maximum = scaling.maximum(of: quantity) else { return nil }
            return self.clamped(maximum == 0 ? self.raw(of: number) : quantity.raw(of: number, maximum: maximum))
        case (.number, .number(let number)), (.code, .number(let number)):
            return self.clamped(self.raw(of: number))
        case (.flag, .flag(let flag)):
            return flag ? 1 : 0
        case (.code, .code(let code, _)):
            return max(self.rawRange.lowerBound, min(self.rawRange.upperBound, code))
        case (.names(let names), .names(let given)):
            return Self.union(given) { names.firstIndex(of: $0).map { 1 << $0 } }
        case (.pids(let base), .names(let given)):
            return Self.union(given) { name in (1...32).first { Self.name(base, $0) == name }.map(Self.mask) }
        case (.troubleCode, .text(let text)):
            return text == Self.noCode ? 0 : DTC(text).map { Int($0.rawValue) }
        default:
            return nil
        }
    }

    private func raw(of number: Double) -> Double {
        ((number - Double(self.addend)) * Double(self.divisor) / Double(self.multiplier)).rounded()
    }

    private func clamped(_ raw: Double) -> Int? {
        guard !raw.isNaN else { return nil }
        return Int(max(Double(self.rawRange.lowerBound), min(Double(self.rawRange.upperBound), raw)))
    }

    /// Writes `raw` to the field's bits, and sets the support bit in the first byte if the field has one.
    func write(_ raw: Int, to data: inout [UInt8]) {
        for offset in 0..<self.bitLength {
            let position = self.byte * 8 + 7 - self.msb + offset
            let mask: UInt8 = 0x80 >> UInt8(position % 8)
            let isSet = raw & 1 << (self.bitLength - 1 - offset) != 0
            data[position / 8] = isSet ? data[position / 8] | mask : data[position / 8] & ~mask
        }
        if let bit = self.supportBit { data[0] |= 1 << UInt8(bit) }
    }

    /// The index of the last byte that the field uses.
    var lastByte: Int {
        (self.byte * 8 + 7 - self.msb + self.bitLength - 1) / 8
    }

    private func raw(in data: Span<UInt8>) -> Int? {
        guard self.lastByte < data.count else { return nil }
        var bits: UInt64 = 0
        for index in self.byte...self.lastByte { bits = bits << 8 | UInt64(data[index]) }
        let below = 8 * (self.lastByte - self.byte + 1) - (7 - self.msb) - self.bitLength
        let raw = Int(bits >> UInt64(below) & (1 << UInt64(self.bitLength) - 1))
        return self.signed && raw > self.rawRange.upperBound ? raw - 1 << self.bitLength : raw
    }

    private static func isSet(_ bit: Int, in data: Span<UInt8>) -> Bool {
        !data.isEmpty && data[0] & 1 << UInt8(bit) != 0
    }

    /// Returns the bit of the PID that is `offset`, 1 to 32, after the bitmap's own PID.
    private static func mask(_ offset: Int) -> Int {
        1 << (32 - offset)
    }

    private static func name(_ base: PID, _ offset: Int) -> String {
        (base.rawValue &+ UInt8(truncatingIfNeeded: offset)).hexadecimal
    }

    /// Returns the union of the masks of `names`; nil if a name has no mask.
    private static func union(_ names: [String], mask: (String) -> Int?) -> Int? {
        names.reduce(0) { bits, name in bits.flatMap { bits in mask(name).map { bits | $0 } } }
    }

    private static func status(_ data: Span<UInt8>) -> MonitorStatus? {
        var bytes: [UInt8] = []
        for index in data.indices { bytes.append(data[index]) }
        return try? MonitorStatus(data: bytes)
    }

    private static func names(_ monitors: Set<Monitor>, of status: MonitorStatus) -> DecodedValue {
        .names(status.monitors.map(\.monitor).filter(monitors.contains).map(\.rawValue))
    }
}
