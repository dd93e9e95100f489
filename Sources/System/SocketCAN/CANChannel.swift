// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The addresses of one conversation of ISO 15765-2, for which the kernel has one socket.
package struct CANChannel: Hashable, Sendable {
    /// The address bytes in front of each frame, in requests and in replies: extended and mixed addressing.
    package struct Extension: Hashable, Sendable {
        package let request: UInt8
        package let reply: UInt8

        package init(request: UInt8, reply: UInt8) {
            self.request = request
            self.reply = reply
        }
    }

    package let transmit: CANIdentifier
    /// The identifier of the replies; nil for a broadcast, whose replies arrive on other channels.
    package let receive: CANIdentifier?
    package let addressExtension: Extension?

    package init(transmit: CANIdentifier, receive: CANIdentifier?, addressExtension: Extension? = nil) {
        self.transmit = transmit
        self.receive = receive
        self.addressExtension = addressExtension
    }
}

/// A set of identifiers: those that equal `identifier` in the bits of `mask`.
package struct CANFilter: Hashable, Sendable {
    package let identifier: CANIdentifier
    package let mask: UInt32

    package init(_ identifier: CANIdentifier, mask: UInt32) {
        self.identifier = identifier
        self.mask = mask
    }

    /// Both kinds of identifiers, all of them.
    package static let all = [
        CANFilter(CANIdentifier(0, isExtended: false), mask: 0), CANFilter(CANIdentifier(0, isExtended: true), mask: 0),
    ]
}
