// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
///
/// The hash detects accidental differences only, because anyone can forge a collision.
package enum FNV1a {
    /// Returns the hash of `bytes`.
    package static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Returns the upper 48 bits of the hash of `text`, in twelve hexadecimal digits.
    ///
    /// They are enough to distinguish the machines, or the vehicles, of a fleet.
    package static func shortHash(of text: String) -> String {
        (self.hash(of: text.utf8) >> 16).hexadecimal(digits: 12, uppercase: false)
    }
}
