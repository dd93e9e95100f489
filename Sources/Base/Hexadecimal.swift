// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All hexadecimal digits of the value, upper case: `0C`, `00C0FFEE`.
    package var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits with blanks between: `41 0C 1A F8`.
    package var hexadecimal: String {
        self.map(\.hexadecimal).joined(separator: " ")
    }
}
