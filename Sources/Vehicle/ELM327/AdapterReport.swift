// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The findings of start-up about an adapter and the bus behind it.
package struct AdapterReport: Hashable, Sendable {
    /// The name that the adapter prints (`ELM327 v1.5`).
    ///
    /// The name proves nothing: clones print any name.
    package var identity = ""
    /// The supply voltage that the adapter measured, in volts.
    package var voltage: Double?
    /// The protocol on which an ECU answered.
    package var bus = BusProtocol.can11at500
    /// The result for each capability that was tested.
    package var assessments: [Capability: Assessment] = [:]
    /// The oddities seen in the adapter's replies.
    package var forms: ReplyForm = []
    /// The commands that the adapter answered with `?` or not at all.
    package var unsupported: [String] = []
    /// The settings that a reset usually restores.
    ///
    /// They are sent later, before a request depends on them.
    package var postponedSettings: [String] = []
    /// Each ECU's answer to the first request.
    ///
    /// The request is service 01 PID 00; with J1979-2, identifier F400 (service 22). On J1939 the entry is the received
    /// parameter group, with its number in front. For a vehicle without any standard service the entry is the answer to
    /// a request to that ECU, which may be negative (`7F`).
    package var ecus: [ECUAddress: [[UInt8]]] = [:]

    /// Creates the report of an unknown adapter.
    package init() {}

    /// The reply of an STN chip to `STI`; nil for any other chip, and before the trial.
    package var firmware: String? {
        self.works(.stn) ? self.assessments[.stn]?.evidence.last?.reply.last : nil
    }

    /// Whether the effect of `capability` was seen.
    package func works(_ capability: Capability) -> Bool {
        self.assessments[capability]?.verdict == .works
    }
}

/// The reason why start-up ended without an ECU's answer.
package enum StartUpError: Error, Hashable, Sendable {
    /// No device answered `AT Z` or `AT I` with a prompt.
    case notAnAdapter
    /// The adapter stopped answering.
    case adapterSilent
    /// The adapter prints no headers, so ECUs cannot be distinguished.
    case headersIgnored
    /// No ECU answered. The ignition may be off, the vehicle may have no OBD, or it uses another protocol.
    case noVehicle(Notice)
    /// The adapter does not support the configured protocol.
    case protocolNotSupported(BusProtocol)
    /// The reply to the first request could not be interpreted.
    case unusableReply([String])
}

extension StartUpError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnAdapter: "the device does not answer ATZ or ATI like an ELM327 adapter"
        case .adapterSilent: "the adapter stopped answering"
        case .headersIgnored: "the adapter does not print headers (AT H1), so ECUs cannot be distinguished"
        case .noVehicle(let notice): "no ECU answers (\(notice)); the ignition may be off"
        case .protocolNotSupported(let bus): "the adapter does not support \(bus.title)"
        case .unusableReply(let lines): "the adapter's reply to the first request is not valid: \(lines.prefix(3))"
        }
    }
}
