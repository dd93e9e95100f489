// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The address of the ECU that sent a message.
package enum ECUAddress: Hashable, Sendable {
    /// An 11-bit CAN identifier; 7E8 to 7EF for answers to functional requests (ISO 15765-4).
    case can11(UInt16)
    /// The last byte of a 29-bit CAN identifier 18DAF1xx (ISO 15765-4).
    case can29(UInt8)
    /// Any other 29-bit CAN identifier.
    case can29Identifier(UInt32)
    /// The source byte of a J1850, ISO 9141-2 or ISO 14230-4 header.
    case legacy(UInt8)
    /// The source address of a J1939 identifier; 00 is the first engine.
    case j1939(UInt8)
}

extension ECUAddress: CustomStringConvertible {
    /// The address as scan tools print it: `7E8`, `18DAF110`, `10`.
    package var description: String {
        switch self {
        case .can11(let identifier):
            String(hexadecimal([UInt8(identifier >> 8), UInt8(identifier & 0xFF)]).dropFirst())
        case .can29(let address): "18DAF1" + hexadecimal(address)
        case .can29Identifier(let identifier):
            hexadecimal((0..<4).map { UInt8(truncatingIfNeeded: identifier >> (24 - 8 * $0)) })
        case .legacy(let address), .j1939(let address): hexadecimal(address)
        }
    }
}

extension ECUAddress: Comparable {
    package static func < (left: ECUAddress, right: ECUAddress) -> Bool {
        left.order < right.order
    }

    /// Hashes the number alone: this is fast, and addresses of different kinds rarely occur together.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.order)
    }

    private var order: UInt32 {
        switch self {
        case .can11(let identifier): UInt32(identifier)
        case .can29(let address): 0x18DA_F100 | UInt32(address)
        case .can29Identifier(let identifier): identifier
        case .legacy(let address), .j1939(let address): UInt32(address)
        }
    }
}
