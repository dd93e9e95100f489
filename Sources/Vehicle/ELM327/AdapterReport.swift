// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What start-up found out about an adapter and the bus behind it.
package struct AdapterReport: Hashable, Sendable {
    /// What the adapter calls itself (`ELM327 v1.5`).
    ///
    /// Proves nothing: clones print what they like.
    package var identity = ""
    /// The supply voltage as the adapter reads it, in volts.
    package var voltage: Double?
    /// The protocol that was answered on.
    package var bus = BusProtocol.can11at500
    /// What it can do, as far as that was tested.
    package var assessments: [Capability: Assessment] = [:]
    /// What was odd about its replies.
    package var forms: ReplyForm = []
    /// Commands that were answered with `?` or not at all.
    package var unsupported: [String] = []
    /// Settings that a reset makes by itself, as a rule: they are to be sent before anything hangs on them.
    package var postponed: [String] = []
    /// Each ECU's answer to the first question: service 01 PID 00, of J1979-2 identifier F400 (service 22), or the parameter
    /// group of J1939 that was heard, with its number in front.
    package var ecus: [ECUAddress: [[UInt8]]] = [:]

    /// An adapter of which nothing is known.
    package init() {}

    /// What an STN chip answers to `STI`; nil for every other, and until that was tried.
    package var firmware: String? {
        self.works(.stn) ? self.assessments[.stn]?.evidence.last?.reply.last : nil
    }

    /// Whether the effect of `capability` was seen.
    package func works(_ capability: Capability) -> Bool {
        self.assessments[capability]?.verdict == .works
    }
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
    /// The adapter does not know the protocol that is configured.
    case protocolNotSupported(BusProtocol)
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
        case .protocolNotSupported(let bus): "the adapter does not support \(bus.title)"
        case .unusableReply(let lines): "the adapter's answer makes no sense: \(lines.prefix(3))"
        }
    }
}
