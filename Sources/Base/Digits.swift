// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// As hexadecimal digits, without blanks: `22F190`.
    package var digits: String {
        self.map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }.joined()
    }
}
