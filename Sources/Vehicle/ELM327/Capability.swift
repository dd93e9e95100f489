// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A capability that an adapter may have, tested by its effect.
///
/// An `OK` proves nothing: some adapters answer `OK` to every command.
package enum Capability: String, CaseIterable, Hashable, Sendable {
    /// `AT Z` restarts the adapter.
    case reset
    /// `AT E0` ends the echo.
    case echoOff = "echo_off"
    /// `AT L0` ends the line feeds.
    case linefeedsOff = "linefeeds_off"
    /// `AT S0` ends the spaces between bytes.
    case spacesOff = "spaces_off"
    /// `AT H1` prints the header of each frame, and so its sender.
    case headers
    /// `AT SP 0` finds the vehicle's protocol.
    case protocolSearch = "protocol_search"
    /// `AT DPN` reports the protocol of the frames.
    case protocolReport = "protocol_report"
    /// `AT RV` reads a plausible supply voltage.
    case voltage
    /// The commands of an STN chip.
    case stn
    /// `AT AT` adapts the wait to the vehicle's answers.
    case adaptiveTiming = "adaptive_timing"
    /// `AT ST` sets the wait.
    case responseTimeout = "response_timeout"
    /// The digit behind a request, the number of frames of the answer, ends the wait.
    case responseCount = "response_count"
    /// More than one PID in a request (CAN only).
    case multiplePIDs = "multiple_pids"
    /// Messages of more than one frame arrive whole.
    case longMessages = "long_messages"
    /// `AT FC` sets the adapter's answer to a first frame.
    case flowControl = "flow_control"
    /// `AT CRA` passes one identifier only.
    case receiveFilter = "receive_filter"
    /// `AT CRA` without an argument passes all identifiers again.
    case filterReset = "filter_reset"
    /// `AT SH` addresses one ECU alone.
    case physicalAddressing = "physical_addressing"
}

/// The result of the test of a capability.
package enum Verdict: Hashable, Sendable {
    /// The effect was observed.
    case works
    /// The adapter accepts the command, and it has no effect or a wrong one.
    case ignored
    /// The adapter does not know the command: it answers `?`, or nothing.
    case refused
    /// The capability was not tested, for this reason.
    case notTested(String)
}

/// The verdict about a capability, with its evidence.
package struct Assessment: Hashable, Sendable {
    /// A request of a test, with its reply.
    package struct Evidence: Hashable, Sendable {
        package let request: String
        package let reply: [String]
        /// The time from the request to the end of its reply.
        package let duration: Duration

        /// Creates the evidence.
        ///
        /// Long replies are cut to 8 lines of 80 characters.
        package init(request: String, outcome: CommandOutcome, duration: Duration) {
            self.request = request
            self.duration = duration
            self.reply =
                switch outcome {
                case .reply(let lines): lines.prefix(8).map { String($0.prefix(80)) }
                case .silence(prompted: true): ["(no answer, but a prompt when interrupted)"]
                case .silence(prompted: false): ["(no answer)"]
                case .overflow: ["(no end)"]
                }
        }
    }

    package var verdict: Verdict
    package var evidence: [Evidence]
    /// A further finding: for example the digit of a response count.
    package var note: String?

    package init(_ verdict: Verdict, _ evidence: [Evidence] = [], note: String? = nil) {
        self.verdict = verdict
        self.evidence = evidence
        self.note = note
    }
}

/// Oddities in the bytes of a reply that are no longer visible in its lines.
package struct ReplyForm: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The reply began with the echo of the command.
    package static let echo = ReplyForm(rawValue: 1)
    package static let linefeeds = ReplyForm(rawValue: 2)
    package static let nulBytes = ReplyForm(rawValue: 4)
    /// The reply had bytes that are not text.
    package static let garbage = ReplyForm(rawValue: 8)
    /// A prompt arrived before the reply.
    package static let earlyPrompt = ReplyForm(rawValue: 16)
}
