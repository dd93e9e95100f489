// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// A message of a J1939 bus, with the frames in which a truck sends it.
struct GroupMessage {
    /// The identifier of the message: priority, group, destination or group extension, source.
    let identifier: UInt32
    let data: [UInt8]

    /// Parses a line of a recording: the time, the identifier, the number of bytes, the bytes.
    init?(line: String) {
        let words = line.split(separator: " ")
        guard words.count > 3, let identifier = UInt32(words[1], radix: 16),
            let data = [UInt8](hexadecimal: words[3...].joined())
        else { return nil }
        self.init(identifier, data)
    }

    init(_ identifier: UInt32, _ data: [UInt8]) {
        self.identifier = identifier
        self.data = data
    }

    var source: UInt8 { UInt8(truncatingIfNeeded: self.identifier) }

    /// The parameter group, without a destination.
    var group: PGN {
        let group = self.identifier >> 8 & 0x3_FFFF
        return PGN(rawValue: group >> 8 & 0xFF < 0xF0 ? group & 0x3_FF00 : group)
    }

    /// The frames as digits: one, or a broadcast in several (SAE J1939-21, 5.10).
    var lines: [String] {
        guard self.data.count > 8 else { return [Self.line(self.identifier, self.data)] }
        let source = UInt32(self.source)
        let count = (self.data.count + 6) / 7
        let announcement =
            [0x20, UInt8(self.data.count & 0xFF), UInt8(self.data.count >> 8), UInt8(count), 0xFF]
            + self.group.bytes.reversed()
        return [Self.line(0x1CEC_FF00 | source, announcement)]
            + (0..<count).map { number in
                let part = Array(self.data[(7 * number)..<min(7 * number + 7, self.data.count)])
                let padding = [UInt8](repeating: 0xFF, count: 7 - part.count)
                return Self.line(0x1CEB_FF00 | source, [UInt8(number + 1)] + part + padding)
            }
    }

    private static func line(_ identifier: UInt32, _ data: [UInt8]) -> String {
        identifier.hexadecimal + data.hexadecimal(separator: "")
    }
}
