// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All hexadecimal digits of the value, upper case: `0C`, `00C0FFEE`.
    package var hexadecimal: String { self.hexadecimal(digits: Self.bitWidth / 4) }

    /// Returns the value in at least this number of hexadecimal digits.
    package func hexadecimal(digits count: Int, uppercase: Bool = true) -> String {
        let digits = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, count - digits.utf8.count)) + digits
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits with blanks between: `41 0C 1A F8`.
    package var hexadecimal: String { self.hexadecimal(separator: " ") }

    /// Returns two hexadecimal digits for each byte, with the separator between the bytes: `22F190`.
    package func hexadecimal(separator: String, uppercase: Bool = true) -> String {
        self.map { $0.hexadecimal(digits: 2, uppercase: uppercase) }.joined(separator: separator)
    }
}

extension [UInt8] {
    /// Parses two hexadecimal digits for each byte, in either case; nil if the text has anything else.
    package init?(hexadecimal text: some StringProtocol) {
        let values = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
