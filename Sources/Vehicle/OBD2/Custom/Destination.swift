// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The addresses of a custom request and of its reply.
package struct Destination: Hashable, Sendable {
    /// The header of a message on the bus.
    package enum Header: Hashable, Sendable {
        /// An 11-bit CAN identifier.
        case can11(UInt16)
        /// A 29-bit CAN identifier.
        case can29(UInt32)
        /// The format, target and source bytes of the buses before CAN.
        case legacy(UInt8, UInt8, UInt8)
    }

    /// The address of a diagnostic tester (ISO 15765-4, ISO 14230-4).
    package static let tester: UInt8 = 0xF1

    package let header: Header
    /// The header of the reply; nil if it follows from the header of the request.
    ///
    /// On the older buses the reply comes from the target. On CAN with 29 bits, a reply to a request with another
    /// priority than 18 may come with any priority: what is certain are its last two bytes, the source and the target
    /// of the request.
    package let responder: Header?
    /// The address byte before the data of each frame (ISO 15765-2, extended addressing); only on CAN.
    package let extendedAddress: UInt8?
    /// The address byte before the data of each frame of the reply; only with an extended address.
    package let testerAddress: UInt8
    /// Whether the agent configures the adapter's flow control frame, because the adapter cannot derive its header.
    package let setsFlowControl: Bool
    /// The adapter's timeout for the reply; nil for the default.
    package let timeout: Duration?

    /// Creates a destination; nil if the header of the reply does not follow, or is of another kind than `header`.
    ///
    /// - Parameters:
    ///   - header: the header of the request.
    ///   - responder: the header of the reply; nil to derive it from `header`.
    ///   - extendedAddress: the address byte of the request; nil for none.
    ///   - testerAddress: the address byte of the reply; nil to derive it from `header`. An 11-bit header that ends
    ///     in F1 names the tester, and so does the reply (extended addressing). With any other header the byte is the
    ///     same both ways (mixed addressing).
    ///   - setsFlowControl: whether the agent configures the adapter's flow control frame.
    ///   - timeout: the adapter's timeout for the reply; nil for the default.
    package init?(
        header: Header,
        responder: Header? = nil,
        extendedAddress: UInt8? = nil,
        testerAddress: UInt8? = nil,
        setsFlowControl: Bool = false,
        timeout: Duration? = nil
    ) {
        self.header = header
        self.extendedAddress = extendedAddress
        let namesTester = if case .can11(let identifier) = header { identifier & 0xFF == Self.tester } else { false }
        self.testerAddress = testerAddress ?? (namesTester ? Self.tester : extendedAddress ?? Self.tester)
        self.setsFlowControl = setsFlowControl
        self.timeout = timeout
        switch (header, responder) {
        case (.can11(let identifier), nil) where namesTester && extendedAddress != nil:
            // Extended addressing (ISO 15765-2): the identifier ends in the address of the sender.
            self.responder = .can11(identifier & 0x700 | UInt16(extendedAddress ?? 0))
        case (.can11(let identifier), nil):
            guard identifier <= 0x7F7 else { return nil }
            self.responder = .can11(identifier + 8)
        case (.can29(let identifier), nil):
            // Normal fixed addressing (ISO 15765-2): source and target are exchanged in the reply.
            guard identifier >> 16 & 0xFF == 0xDA else { return nil }
            let exchanged = identifier & 0xFFFF_0000 | identifier << 8 & 0xFF00 | identifier >> 8 & 0xFF
            self.responder = identifier >> 24 == 0x18 ? .can29(exchanged) : nil
        case (.can11, .can11), (.can29, .can29): self.responder = responder
        case (.legacy, nil): self.responder = nil
        default: return nil
        }
    }

    /// Whether the header is of the kind that the vehicle's bus uses.
    ///
    /// - Parameters:
    ///   - isCAN: whether the bus is CAN, and not one of the older buses.
    ///   - hasExtendedIdentifiers: whether CAN identifiers have 29 bits instead of 11.
    package func fits(isCAN: Bool, hasExtendedIdentifiers: Bool) -> Bool {
        switch self.header {
        case .can11: isCAN && !hasExtendedIdentifiers
        case .can29: isCAN && hasExtendedIdentifiers
        case .legacy: !isCAN
        }
    }
}

extension Destination.Header: CustomStringConvertible {
    /// The header in the configuration's form: `7E4`, `18DA10F1`, `8210F1`.
    package var description: String {
        switch self {
        case .can11(let identifier): String(identifier.hexadecimal.suffix(3))
        case .can29(let identifier): identifier.hexadecimal
        case .legacy(let format, let target, let source):
            format.hexadecimal + target.hexadecimal + source.hexadecimal
        }
    }

    /// Parses 3, 6 or 8 hexadecimal digits.
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

    /// Whether the header is the broadcast of the standard: 7DF, 18DB33F1, or target 6A or 33 on the older buses.
    package var isFunctional: Bool {
        switch self {
        case .can11(let identifier): identifier == 0x7DF
        case .can29(let identifier): identifier == 0x18DB_33F1
        case .legacy(_, let target, _): target == 0x6A || target == 0x33
        }
    }
}
