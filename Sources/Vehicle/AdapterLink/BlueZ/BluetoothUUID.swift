// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A Bluetooth UUID in its long form; a short UUID stands for `0000xxxx-0000-1000-8000-00805f9b34fb`.
package struct BluetoothUUID: Hashable, Sendable {
    private let text: String

    /// Reads 4, 8 or 32 hexadecimal digits, with or without hyphens, in either case.
    package init?(_ text: String) {
        let digits = text.lowercased().filter { $0 != "-" }
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        switch digits.count {
        case 4: self.text = "0000\(digits)-0000-1000-8000-00805f9b34fb"
        case 8: self.text = "\(digits)-0000-1000-8000-00805f9b34fb"
        case 32:
            var long = ""
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) { long.append("-") }
                long.append(digit)
            }
            self.text = long
        default: return nil
        }
    }

    /// Creates a 16-bit UUID, as the Bluetooth SIG assigns them.
    init(short: UInt16) {
        self.text = "0000\(short.hexadecimal(digits: 4, uppercase: false))-0000-1000-8000-00805f9b34fb"
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The long form in lower case, as BlueZ writes it.
    package var description: String { self.text }
}
