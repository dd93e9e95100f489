// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// An input of a ``CANPort``.
package enum CANInput: Hashable, Sendable {
    /// A frame that a filter lets through, with its up to eight bytes, and the time at which it arrived; nil: not known.
    case frame(CANIdentifier, [UInt8], at: MonotonicTime?)
    /// A whole message of ISO 15765-2.
    case message([UInt8], CANChannel)
    /// A message was lost, or a request did not leave.
    case failure(CANError, CANChannel)
    /// The controller reports errors.
    case errors(CANErrorReport)
    /// ``CANPort/interruptReceive()`` was called.
    case interrupted
    /// The deadline passed without an input.
    case deadline
}

/// A CAN interface of this machine, with the kernel's ISO 15765-2.
///
/// A single task at a time uses a port; any task may call ``interruptReceive()``. A port is open from its creation to
/// ``close()``.
package protocol CANPort: AnyObject, Sendable {
    /// The name of the interface: `can0`.
    var interface: String { get }

    /// Reads the settings and the state of the controller.
    func details() throws(CANError) -> CANDetails

    /// Has frames received that match one of the filters, besides the messages of the open channels.
    func receiveFrames(_ filters: [CANFilter]) throws(CANError)

    /// Opens a channel, so that its messages are received. An open channel stays open.
    func open(_ channel: CANChannel) throws(CANError)

    func close(_ channel: CANChannel)

    /// Sends a message over an open channel.
    ///
    /// - Throws: `.queueFull` if the message may be sent later, or the reason for which the interface cannot be used.
    func send(_ message: [UInt8], over channel: CANChannel) throws(CANError)

    /// Sends one frame with up to eight bytes, beside the channels.
    ///
    /// - Throws: `.queueFull` if it may be sent later, or the reason for which the interface cannot be used.
    func sendFrame(_ data: [UInt8], _ identifier: CANIdentifier) throws(CANError)

    /// Returns an input that is there already, without a wait.
    func receiveAvailable() throws(CANError) -> CANInput?

    /// Waits for an input, for ``interruptReceive()``, or for `deadline`, whichever comes first.
    ///
    /// Frames come before the messages that they are part of.
    func receive(until deadline: MonotonicTime) async throws(CANError) -> CANInput

    /// Makes the present or the next ``receive(until:)`` return `.interrupted`.
    func interruptReceive()

    /// Closes all sockets. A waiting ``receive(until:)`` throws ``CANError/closed``. Closing twice is harmless.
    func close()
}
