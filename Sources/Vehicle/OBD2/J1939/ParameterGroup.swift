// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Values that travel together on a J1939 bus: one row of the catalogue (SAE J1939-71, J1939-DA).
package struct ParameterGroup: Sendable {
    /// Its number.
    package let pgn: PGN
    /// Its name for people: `Electronic engine controller 1`.
    package let title: String
    /// How often it is broadcast, at the slowest; nil where it has to be asked for.
    package let interval: Duration?
    /// Its values.
    package let signals: [Signal]

    /// One value, and where it is in the data.
    package struct Signal: Sendable {
        /// What it is about.
        package let spn: SPN
        /// Its name, unit and scale; Field/byte is the first of its bytes, least significant first.
        package let field: Field

        /// The value in `data`; nil where there is none.
        ///
        /// The upper twentieth of every range says "not available", "error" or something else that is no value
        /// (SAE J1939-71, 5.1.4).
        func decode(_ data: [UInt8]) -> Value? {
            let bytes = self.field.bitLength / 8
            guard data.count >= self.field.byte + bytes else { return nil }
            let raw = data[self.field.byte..<self.field.byte + bytes].reversed().reduce(0) { $0 << 8 | Int($1) }
            return raw <= self.highest ? .number(self.field.scaled(raw)) : nil
        }

        /// The highest raw number that is a value.
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

    /// The values in the data of one message; those that the sender does not have are left out.
    package func decode(_ data: [UInt8]) -> [FieldValue] {
        self.signals.compactMap { signal in
            signal.decode(data).map { FieldValue(field: signal.field, value: $0) }
        }
    }

    /// The data of a message with these values, by Field/name; all others are "not available".
    package func encode(_ values: [String: Double]) -> [UInt8] {
        var data = [UInt8](repeating: 0xFF, count: 8)
        for signal in self.signals {
            if let value = values[signal.field.name] { signal.write(value, to: &data) }
        }
        return data
    }

    /// The group with the number `pgn`.
    package static func withPGN(_ pgn: PGN) -> ParameterGroup? {
        self.all.first { $0.pgn == pgn }
    }

    /// The group that holds the value with this name.
    package static func named(_ name: String) -> ParameterGroup? {
        self.all.first { $0.signals.contains { $0.field.name == name } }
    }
}

/// Texts of a J1939 vehicle: fields that end with an asterisk (SAE J1939-71, 5.2.5).
package enum J1939Text {
    /// The VIN in the data of PGN/vehicleIdentification.
    ///
    /// - Throws: `.notProgrammed`, `.invalidVIN`.
    package static func vin(_ data: [UInt8]) throws(DecodingError) -> VIN {
        let bytes = Self.fields(data).first ?? []
        guard !bytes.isEmpty else { throw .notProgrammed }
        guard let vin = VIN(bytes: bytes) else { throw .invalidVIN(bytes) }
        return vin
    }

    /// Make, model and serial number in the data of PGN/componentIdentification, as far as they are told.
    package static func component(_ data: [UInt8]) -> [String] {
        Self.fields(data).prefix(4).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The data of a message with these texts.
    package static func encode(_ texts: [String]) -> [UInt8] {
        texts.flatMap { Array($0.utf8) + [UInt8(ascii: "*")] }
    }

    /// The printable part of each field, without the padding around it.
    private static func fields(_ data: [UInt8]) -> [[UInt8]] {
        data.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { field in
            let text = field.map { 0x21...0x7E ~= $0 ? $0 : UInt8(ascii: " ") }
            let start = text.drop { $0 == UInt8(ascii: " ") }
            return Array(start.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
        }
    }
}
