// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What an adapter or a bus can do wrong.
///
/// Each one befalls the next requests, one after the other.
package enum Fault: Hashable, Sendable {
    /// Bytes that no adapter should send, in the middle of the first line of data.
    case garbage
    /// Each line of data ends in the middle.
    case truncated
    /// The reply to an earlier request (its payload, such as `01 0D`) comes before the right one.
    case lateReply(to: [UInt8])
    /// The reply is right, and no prompt follows.
    case promptMissing
    /// Each line of data comes twice.
    case duplicatedLines
    /// The second frame of a long message is lost; J1939 only.
    case lostFrame
    /// No ECU answers.
    case noData
    /// Every ECU answers `7F`, the service and this code.
    case negative(UInt8)
    /// As if a byte had come during the request.
    case stopped
    /// The adapter's supply dropped: it forgets its settings.
    case lowVoltageReset
    /// The adapter answers nothing, not even `AT` commands.
    case silence
    /// The reply trickles in, a byte every 20 ms.
    case slowBytes
    /// The link breaks.
    case disconnect
}
