// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Whom a custom request goes to, and who answers it.
package struct Destination: Hashable, Sendable {
    /// What a request starts with on the bus, and a reply likewise.
    package enum Header: Hashable, Sendable {
        /// An 11-bit CAN identifier.
        case can11(UInt16)
        /// A 29-bit CAN identifier.
        case can29(UInt32)
        /// Format, target and source of the buses that came before CAN.
        case legacy(UInt8, UInt8, UInt8)
    }

    /// The address of a diagnostic tester (ISO 15765-4, ISO 14230-4).
    package static let tester: UInt8 = 0xF1

    package let header: Header
    /// What the reply starts with; of the older buses the header of the request says it.
    package let responder: Header?
    /// The address byte before the data of each frame (ISO 15765-2, extended addressing); only on CAN.
    package let extendedAddress: UInt8?
    /// The address byte before the data of each frame of the reply; only with an extended address.
    package let testerAddress: UInt8
    /// Whether the adapter is told how to answer the first frame of a long reply, where it does not know by itself.
    package let setsFlowControl: Bool
    /// How long the adapter waits for the reply; nil as long as always.
    package let timeout: Duration?

    /// - Parameter responder: nil for the one that follows from the header.
    /// - Returns: nil where it does not follow, or is of another kind than the header.
    package init?(
        header: Header,
        responder: Header? = nil,
        extendedAddress: UInt8? = nil,
        testerAddress: UInt8 = Self.tester,
        setsFlowControl: Bool = false,
        timeout: Duration? = nil
    ) {
        self.header = header
        self.extendedAddress = extendedAddress
        self.testerAddress = testerAddress
        self.setsFlowControl = setsFlowControl
        self.timeout = timeout
        switch (header, responder) {
        case (.can11(let identifier), nil):
            guard identifier <= 0x7F7 else { return nil }
            self.responder = .can11(identifier + 8)
        case (.can29(let identifier), nil):
            // Normal fixed addressing (ISO 15765-2): the reply has source and target the other way round.
            guard identifier >> 16 & 0xFF == 0xDA else { return nil }
            self.responder = .can29(identifier & 0xFFFF_0000 | identifier << 8 & 0xFF00 | identifier >> 8 & 0xFF)
        case (.can11, .can11), (.can29, .can29): self.responder = responder
        case (.legacy, nil): self.responder = nil
        default: return nil
        }
    }

    /// Whether it can be asked on CAN with identifiers of 29 bits, on CAN with 11, or on neither.
    package func fits(isCAN: Bool, hasExtendedIdentifiers: Bool) -> Bool {
        switch self.header {
        case .can11: isCAN && !hasExtendedIdentifiers
        case .can29: isCAN && hasExtendedIdentifiers
        case .legacy: !isCAN
        }
    }
}

extension Destination.Header: CustomStringConvertible {
    /// As it is written in the configuration: `7E4`, `18DA10F1`, `8210F1`.
    package var description: String {
        switch self {
        case .can11(let identifier): String(identifier.hexadecimal.suffix(3))
        case .can29(let identifier): identifier.hexadecimal
        case .legacy(let format, let target, let source):
            format.hexadecimal + target.hexadecimal + source.hexadecimal
        }
    }

    /// Reads 3, 6 or 8 hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }),
            let value = UInt32(text, radix: 16)
        else { return nil }
        switch text.utf8.count {
        case 3 where value <= 0x7FF: self = .can11(UInt16(value))
        case 6: self = .legacy(UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
        case 8 where value <= 0x1FFF_FFFF: self = .can29(value)
        default: return nil
        }
    }

    /// Whether it is the header with which all ECUs are asked anyway.
    package var isFunctional: Bool {
        switch self {
        case .can11(let identifier): identifier == 0x7DF
        case .can29(let identifier): identifier == 0x18DB_33F1
        case .legacy(_, let target, _): target == 0x6A || target == 0x33
        }
    }
}
