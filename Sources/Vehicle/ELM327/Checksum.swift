// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The checksums of the buses older than CAN: the last byte of each frame.
package enum Checksum {
    /// Returns the sum of all bytes modulo 256 (ISO 9141-2, ISO 14230-2).
    package static func sum(_ bytes: some Sequence<UInt8>) -> UInt8 {
        bytes.reduce(0, &+)
    }

    /// Returns the cyclic redundancy check of SAE J1850: polynomial 1D, start FF, complemented.
    package static func j1850(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var check: UInt8 = 0xFF
        for byte in bytes {
            check ^= byte
            for _ in 0..<8 {
                check = check & 0x80 == 0 ? check << 1 : (check << 1) ^ 0x1D
            }
        }
        return ~check
    }
}
