// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327

/// The identifiers of a request on CAN, and the ECUs that may answer it.
package struct CANRoute: Hashable, Sendable {
    /// The identifier of the request.
    package let transmit: UInt32
    /// Whether the identifiers have 29 bits.
    package let isExtended: Bool
    /// The only ECU that may answer; nil for every ECU of on-board diagnostics.
    package let responder: Responder?
    package let addressExtension: Addressing.Extension?
    /// Whether the request is a broadcast.
    package let isFunctional: Bool
    /// The wait for a reply if it is longer than usual.
    package let wait: Duration?

    /// An ECU with the identifier of its replies.
    package struct Responder: Hashable, Sendable {
        package let ecu: ECUAddress
        package let identifier: UInt32
    }

    private static let functional11: UInt32 = 0x7DF
    private static let functional29: UInt32 = 0x18DB_33F1

    /// Creates the route of a request on a bus; nil if the bus has no such address.
    package init?(_ addressing: Addressing?, on bus: BusProtocol) {
        guard bus.isCAN else { return nil }
        self.isExtended = bus.hasExtendedIdentifiers
        guard let addressing else {
            self.transmit = self.isExtended ? Self.functional29 : Self.functional11
            (self.responder, self.addressExtension, self.isFunctional, self.wait) = (nil, nil, true, nil)
            return
        }
        let responder: UInt32?
        switch (addressing.header, addressing.responder) {
        case (.can11(let header), .can11(let reply)) where !self.isExtended:
            (self.transmit, responder) = (UInt32(header), UInt32(reply))
        case (.can29(let header), .can29(let address)) where self.isExtended:
            (self.transmit, responder) = (header, 0x18DA_F100 | UInt32(address))
        case (.can29(let header), .can29Identifier(let reply)) where self.isExtended:
            (self.transmit, responder) = (header, reply)
        case (.can29(let header), nil) where self.isExtended:
            // The reply has the source and the target of the request exchanged.
            (self.transmit, responder) = (header, Self.exchanged(header))
        default: return nil
        }
        self.responder = responder.map {
            Responder(ecu: Self.address(of: $0, isExtended: bus.hasExtendedIdentifiers), identifier: $0)
        }
        self.addressExtension = addressing.addressExtension
        self.isFunctional =
            self.isExtended ? self.transmit & 0xFF_0000 == 0xDB_0000 : self.transmit == Self.functional11
        // The unit of an adapter's wait is 4.096 ms.
        self.wait = addressing.wait.map { .microseconds(4096 * Int($0)) }
    }

    /// Returns the address of the ECU that replies with an identifier.
    package static func address(of identifier: UInt32, isExtended: Bool) -> ECUAddress {
        guard isExtended else { return .can11(UInt16(truncatingIfNeeded: identifier)) }
        return identifier & 0xFFFF_FF00 == 0x18DA_F100 ? .can29(UInt8(identifier & 0xFF)) : .can29Identifier(identifier)
    }

    /// Returns the ECU of on-board diagnostics that replies with an identifier; nil for any other identifier.
    package static func ecu(of identifier: UInt32, isExtended: Bool) -> ECUAddress? {
        let isOne = isExtended ? identifier & 0x1FFF_FF00 == 0x18DA_F100 : 0x7E8...0x7EF ~= identifier
        return isOne ? Self.address(of: identifier, isExtended: isExtended) : nil
    }

    /// Returns the identifier to which the flow control of a reply goes.
    package static func request(to reply: UInt32, isExtended: Bool) -> UInt32 {
        isExtended ? Self.exchanged(reply) : reply &- 8 & 0x7FF
    }

    private static func exchanged(_ identifier: UInt32) -> UInt32 {
        identifier & 0x1FFF_0000 | identifier << 8 & 0xFF00 | identifier >> 8 & 0xFF
    }

    /// Returns whether an ECU may answer.
    func accepts(_ ecu: ECUAddress) -> Bool {
        if let responder = self.responder { return responder.ecu == ecu }
        return switch ecu {
        case .can11(let identifier): !self.isExtended && 0x7E8...0x7EF ~= identifier
        case .can29: self.isExtended
        case .can29Identifier, .legacy, .j1939: false
        }
    }
}
