// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The address of a Bluetooth device: `AA:BB:CC:DD:EE:FF`.
package struct BluetoothAddress: Hashable, Sendable {
    /// The six bytes, in the order in which they are written.
    package let bytes: [UInt8]

    /// The bytes in the kernel's order: the last byte first.
    var kernelBytes: [UInt8] { self.bytes.reversed() }
}

extension BluetoothAddress: LosslessStringConvertible {
    /// Reads six pairs of hexadecimal digits with colons between, in either case.
    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }),
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.bytes = bytes
    }

    package var description: String {
        self.bytes.hexadecimal(separator: ":")
    }
}
