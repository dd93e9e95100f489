// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a CAN interface cannot be used, or a message was not sent or not received.
package enum CANError: Error, Hashable, Sendable {
    /// The kernel has no CAN, or the service may not open sockets of this family.
    case noSupport
    /// The kernel has no ISO 15765-2.
    case noTransport
    /// No interface has this name.
    case noInterface(String)
    /// The interface with this name is not one of CAN.
    case notCAN(String)
    /// The interface with this name is down.
    case down(String)
    /// The controller is set to listen only, so it sends no request.
    case listenOnly(String)
    /// The interface runs at this bit rate, which on-board diagnostics does not have.
    case bitRate(String, UInt32)
    /// The controller has left the bus because of too many errors.
    case busOff(String)
    /// The controller receives damaged frames only, so the bus has another bit rate.
    case otherBitRate(String, UInt32?)
    /// The queue of the interface is full, or the frame before is not sent yet.
    case queueFull
    /// No node of the bus has acknowledged the frame.
    case notAcknowledged
    /// A message was received in part: a frame was missing, out of order, or not valid.
    case damaged
    /// The port is closed.
    case closed
    /// Another failure of the system: the call, and the system's text.
    case system(String, String)
}

extension CANError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSupport:
            """
            the kernel has no CAN, or the service may not use it. Try: modprobe can-raw, and for the service the \
            drop-in can.conf
            """
        case .noTransport: "the kernel has no can-isotp module. Try: modprobe can-isotp"
        case .noInterface(let name):
            "there is no interface \(name). Try: ip -brief link show type can, and check the overlay of the CAN board"
        case .notCAN(let name): "\(name) is not a CAN interface. Try: ip -brief link show type can"
        case .down(let name): "\(name) is down. Try: ip link set \(name) up type can bitrate 500000"
        case .listenOnly(let name):
            """
            \(name) is set to listen only, so no request can be sent. Try: ip link set \(name) down, then ip link set \
            \(name) up type can listen-only off
            """
        case .bitRate(let name, let rate):
            """
            \(name) runs at \(rate) bit/s, but on-board diagnostics runs at 500000 or 250000. Try: ip link set \
            \(name) down, then ip link set \(name) up type can bitrate 500000
            """
        case .busOff(let name):
            """
            \(name) has left the bus after too many errors (bus-off). Try: check the wiring and the bit rate, then ip \
            link set \(name) type can restart
            """
        case .otherBitRate(let name, let rate):
            """
            \(name) receives only damaged frames\(rate.map { " at \($0) bit/s" } ?? ""), so nothing was sent. Try: ip \
            link set \(name) down, then ip link set \(name) up type can bitrate \(rate == 500_000 ? 250_000 : 500_000)
            """
        case .queueFull: "the queue of the CAN interface is full: no frame leaves it"
        case .notAcknowledged: "no node on the CAN bus acknowledged the frame"
        case .damaged: "a message arrived in part"
        case .closed: "the CAN interface was closed"
        case .system(let call, let text): "\(call) failed: \(text)"
        }
    }
}
