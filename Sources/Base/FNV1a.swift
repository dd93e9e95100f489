// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The hash of Fowler, Noll and Vo in its 64-bit form: tells apart what differs by chance, not what somebody forged.
package enum FNV1a {
    /// The hash of `bytes`.
    package static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The upper 48 bits in twelve hexadecimal digits: enough to tell the machines, or the vehicles, of a fleet apart.
    package static func text(of text: String) -> String {
        let digits = String(self.hash(of: text.utf8) >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
