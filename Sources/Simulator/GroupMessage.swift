// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A message on a J1939 bus.
package struct GroupMessage: Hashable, Sendable {
    package let group: PGN
    /// The address of its sender.
    package let source: UInt8
    package let data: [UInt8]
    package let time: MonotonicTime

    /// The time between two frames of a long message (SAE J1939-21, 5.10.2.3).
    private static let gap = Duration.milliseconds(50)

    /// The frames of the message: the 29-bit identifier, the data and the time of each.
    ///
    /// A message of more than 8 bytes is broadcast in several frames (SAE J1939-21, BAM).
    package var frames: [(identifier: UInt32, data: [UInt8], time: MonotonicTime)] {
        let isFast = self.group == 0xF003 || self.group == 0xF004
        guard self.data.count > 8 else {
            return [(self.identifier(self.group.rawValue, priority: isFast ? 3 : 6), self.data, self.time)]
        }
        let count = (self.data.count + 6) / 7
        let size = [UInt8(truncatingIfNeeded: self.data.count), UInt8(truncatingIfNeeded: self.data.count >> 8)]
        let control = [0x20] + size + [UInt8(truncatingIfNeeded: count), 0xFF] + self.group.bytes.reversed()
        let transfers = (0..<count).map { index in
            let part = self.data.dropFirst(index * 7).prefix(7)
            let data = [UInt8(truncatingIfNeeded: index + 1)] + part + [UInt8](repeating: 0xFF, count: 7 - part.count)
            return (self.identifier(0xEBFF, priority: 7), data, self.time + Self.gap * (index + 1))
        }
        return [(self.identifier(0xECFF, priority: 7), control, self.time)] + transfers
    }

    /// Returns the identifier; below F0 the lower byte of the group is the destination, here all (SAE J1939-21, PDU1).
    private func identifier(_ group: UInt32, priority: UInt32) -> UInt32 {
        let destination: UInt32 = group >> 8 & 0xFF < 0xF0 ? 0xFF : 0
        return priority << 26 | (group | destination) << 8 | UInt32(self.source)
    }
}
