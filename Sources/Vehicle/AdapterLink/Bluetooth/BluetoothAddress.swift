// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

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
        // UInt8.init would accept a sign.
        let bytes = parts.compactMap { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    package var description: String {
        self.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
