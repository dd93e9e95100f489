// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The settings and the state of a CAN controller, as far as its driver tells them.
package struct CANDetails: Hashable, Sendable {
    /// The state of a controller by its error counters (ISO 11898-1).
    package enum State: String, Hashable, Sendable {
        case active = "error_active"
        case warning = "error_warning"
        case passive = "error_passive"
        case busOff = "bus_off"
        case stopped, sleeping
    }

    /// In bits a second; nil for a virtual interface.
    package var bitRate: UInt32?
    package var state: State?
    /// Whether the controller sends nothing, not even an acknowledgment.
    package var isListenOnly: Bool
    /// Whether the controller sends each frame once, also without an acknowledgment.
    package var isOneShot: Bool
    package var transmitErrors: UInt16?
    package var receiveErrors: UInt16?

    package init(
        bitRate: UInt32? = nil,
        state: State? = nil,
        isListenOnly: Bool = false,
        isOneShot: Bool = false,
        transmitErrors: UInt16? = nil,
        receiveErrors: UInt16? = nil
    ) {
        self.bitRate = bitRate
        self.state = state
        self.isListenOnly = isListenOnly
        self.isOneShot = isOneShot
        self.transmitErrors = transmitErrors
        self.receiveErrors = receiveErrors
    }
}

/// The content of an error frame, which a driver makes up: no node has sent it.
package struct CANErrorReport: Hashable, Sendable {
    /// The kinds of errors; the values are the bits of the error frame's identifier.
    package struct Kinds: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let transmitTimeout = Kinds(rawValue: 1)
        package static let lostArbitration = Kinds(rawValue: 2)
        package static let controller = Kinds(rawValue: 4)
        /// A frame violates the rules of the bus: the usual sign of another bit rate.
        package static let violation = Kinds(rawValue: 8)
        package static let transceiver = Kinds(rawValue: 0x10)
        package static let notAcknowledged = Kinds(rawValue: 0x20)
        package static let busOff = Kinds(rawValue: 0x40)
        package static let bus = Kinds(rawValue: 0x80)
        package static let restarted = Kinds(rawValue: 0x100)
        /// The report has the counters.
        package static let counters = Kinds(rawValue: 0x200)
    }

    package let kinds: Kinds
    /// Whether a counter has passed the limit above which the controller sends no active error.
    package let isPassive: Bool
    package let transmitErrors: UInt8?
    package let receiveErrors: UInt8?

    package init(kinds: Kinds, isPassive: Bool = false, transmitErrors: UInt8? = nil, receiveErrors: UInt8? = nil) {
        self.kinds = kinds
        self.isPassive = isPassive
        self.transmitErrors = transmitErrors
        self.receiveErrors = receiveErrors
    }

    /// Reads an error frame.
    ///
    /// - Parameters:
    ///   - bits: the identifier without its flags.
    ///   - data: the eight bytes of the frame; byte 1 has the controller's state, bytes 6 and 7 the counters.
    package init(bits: UInt32, data: [UInt8]) {
        self.kinds = Kinds(rawValue: bits)
        self.isPassive = data.count > 1 && bits & Kinds.controller.rawValue != 0 && data[1] & 0x30 != 0
        let hasCounters = data.count > 7 && bits & Kinds.counters.rawValue != 0
        self.transmitErrors = hasCounters ? data[6] : nil
        self.receiveErrors = hasCounters ? data[7] : nil
    }
}
