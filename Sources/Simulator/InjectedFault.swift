// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A temporary fault of an adapter or a bus.
///
/// Injected faults affect the next requests, one fault a request, in the order of injection.
package enum InjectedFault: Hashable, Sendable {
    /// The first line of data has invalid bytes in its middle.
    case garbage
    /// Each line of data is cut in half.
    case truncated
    /// The reply to an earlier request (its payload, such as `01 0D`) comes before the right one.
    case lateReply(to: [UInt8])
    /// The right reply is not followed by a prompt.
    case promptMissing
    /// Each line of data is printed twice.
    case duplicatedLines
    /// On J1939, the third frame of a reply is lost: the second data frame of a long message.
    case lostFrame
    /// No ECU answers.
    case noData
    /// Every ECU answers `7F`, the service and this code.
    case negative(UInt8)
    /// The adapter stops the request, as after a byte from the client.
    case stopped
    /// The supply voltage drops, and the adapter loses its settings.
    case lowVoltageReset
    /// The adapter does not answer, not even to an `AT` command.
    case silence
    /// The reply arrives slowly, one byte every 20 ms.
    case slowBytes
    /// The link is lost.
    case disconnect
}
