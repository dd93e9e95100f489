// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The values of one J1939 message: one row of the catalogue (SAE J1939-71, J1939-DA).
package struct ParameterGroup: Sendable {
    package let pgn: PGN
    /// The name for people: `Electronic engine controller 1`.
    package let title: String
    /// The longest interval between two broadcasts; nil if the group is sent on request only.
    package let interval: Duration?
    package let signals: [Signal]

    /// A value and its position in the data.
    package struct Signal: Sendable {
        /// The number of the measured parameter.
        package let spn: SPN
        /// The name, unit and scale; ``Field/byte`` is the first byte, which is the least significant.
        package let field: Field

        /// Returns the value in `data`; nil if the data is too short or has no valid value.
        ///
        /// The upper twentieth of every range is reserved for "not available", "error" and other patterns that are not
        /// values (SAE J1939-71, 5.1.4).
        func decode(_ data: [UInt8]) -> DecodedValue? {
            let bytes = self.field.bitLength / 8
            guard data.count >= self.field.byte + bytes else { return nil }
            return self.decode(number: data[self.field.byte..<self.field.byte + bytes])
        }

        /// Returns the value in the bytes of the parameter alone, as in a freeze frame.
        ///
        /// The value is nil if the number of bytes is another, or they have no valid value.
        package func value(in bytes: [UInt8]) -> FieldValue? {
            guard bytes.count == self.field.bitLength / 8 else { return nil }
            return self.decode(number: bytes[...]).map { FieldValue(field: self.field, value: $0) }
        }

        private func decode(number bytes: ArraySlice<UInt8>) -> DecodedValue? {
            let raw = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            return raw <= self.highest ? .number(self.field.scaled(raw)) : nil
        }

        /// The highest raw number that is a valid value.
        private var highest: Int { 0xFB << (self.field.bitLength - 8) - 1 }

        func write(_ value: Double, to data: inout [UInt8]) {
            guard let raw = self.field.raw(for: .number(value)) else { return }
            var rest = min(raw, self.highest)
            for byte in self.field.byte..<self.field.byte + self.field.bitLength / 8 {
                data[byte] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
            }
        }
    }

    /// Returns the values in the data of one message, without those that the sender does not have.
    package func decode(_ data: [UInt8]) -> [FieldValue] {
        self.signals.compactMap { signal in
            signal.decode(data).map { FieldValue(field: signal.field, value: $0) }
        }
    }

    /// Returns the data of a message with these values, by ``Field/name``; all others are "not available".
    package func encode(_ values: [String: Double]) -> [UInt8] {
        var data = [UInt8](repeating: 0xFF, count: 8)
        for signal in self.signals {
            if let value = values[signal.field.name] { signal.write(value, to: &data) }
        }
        return data
    }

    /// Returns the group with the number `pgn`; nil if the catalogue does not have it.
    package static func withPGN(_ pgn: PGN) -> ParameterGroup? {
        self.all.first { $0.pgn == pgn }
    }

    /// Returns the value that measures a parameter; nil if the catalogue does not have it.
    package static func signal(_ spn: SPN) -> Signal? {
        self.all.lazy.flatMap(\.signals).first { $0.spn == spn }
    }

    /// Returns the group that has the value with this name.
    package static func named(_ name: String) -> ParameterGroup? {
        self.all.first { $0.signals.contains { $0.field.name == name } }
    }
}

/// The coding of J1939 texts, whose fields end with an asterisk (SAE J1939-71, 5.2.5).
package enum J1939Text {
    /// Returns the VIN in the data of ``PGN/vehicleIdentification``.
    ///
    /// - Throws: `.notProgrammed`, `.invalidVIN`.
    package static func vin(_ data: [UInt8]) throws(DecodingError) -> VIN {
        let bytes = Self.fields(data).first ?? []
        guard !bytes.isEmpty else { throw .notProgrammed }
        guard let vin = VIN(bytes: bytes) else { throw .invalidVIN(bytes) }
        return vin
    }

    /// Returns up to four fields in the data of ``PGN/componentIdentification``: make, model, serial and unit number.
    package static func component(_ data: [UInt8]) -> [String] {
        Self.fields(data).prefix(4).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the data of a message with these texts.
    package static func encode(_ texts: [String]) -> [UInt8] {
        texts.flatMap { Array($0.utf8) + [UInt8(ascii: "*")] }
    }

    /// Returns the printable part of each field, without the padding around it.
    private static func fields(_ data: [UInt8]) -> [[UInt8]] {
        data.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Self.printable)
    }

    /// Returns a text without the padding around it, with a blank for each byte that is not printable.
    static func printable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = bytes.map { 0x21...0x7E ~= $0 ? $0 : UInt8(ascii: " ") }
        let start = text.drop { $0 == UInt8(ascii: " ") }
        return Array(start.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
    }
}
