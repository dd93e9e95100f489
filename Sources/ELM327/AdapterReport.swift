// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What start-up found out about an adapter and the bus behind it.
package struct AdapterReport: Hashable, Sendable {
    /// What the adapter calls itself (`ELM327 v1.5`).
    ///
    /// Proves nothing: clones print what they like.
    package var identity = ""
    /// What an STN chip answers to `STI`; nil for every other.
    package var firmware: String?
    /// The supply voltage as the adapter reads it, in volts.
    package var voltage: Double?
    /// The protocol that was answered on.
    package var bus = BusProtocol.can11at500
    /// Commands that were answered with `?` or not at all.
    package var unsupported: [String] = []
    /// Each ECU's answer to service 01 PID 00.
    package var ecus: [ECUAddress: [[UInt8]]] = [:]
}

/// Why start-up did not end with an ECU's answer.
package enum StartUpError: Error, Hashable, Sendable {
    /// Nothing that answers `AT Z` or `AT I` with a prompt.
    case notAnAdapter
    /// The adapter stopped answering.
    case adapterSilent
    /// It answers, but does not print headers, so that ECUs can't be told apart.
    case headersIgnored
    /// No ECU answered: ignition off, no OBD, or another protocol.
    case noVehicle(Notice)
    /// The reply to the first request made no sense.
    case unusableReply([String])
}

extension StartUpError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnAdapter: "nothing there answers like an ELM327 adapter"
        case .adapterSilent: "the adapter stopped answering"
        case .headersIgnored: "the adapter does not print headers (AT H1), so ECUs can't be told apart"
        case .noVehicle(let notice): "no ECU answers (\(notice)): is the ignition on?"
        case .unusableReply(let lines): "the adapter's answer makes no sense: \(lines.prefix(3))"
        }
    }
}
