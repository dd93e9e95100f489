// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Something that an adapter may be able to do, tested by its effect.
///
/// An `OK` proves nothing: there are adapters that say it to everything.
package enum Capability: String, CaseIterable, Hashable, Sendable {
    /// `AT Z` starts it anew.
    case reset
    /// `AT E0` ends the echo.
    case echoOff = "echo_off"
    /// `AT L0` ends the line feeds.
    case linefeedsOff = "linefeeds_off"
    /// `AT S0` ends the spaces between bytes.
    case spacesOff = "spaces_off"
    /// `AT H1` shows who says what.
    case headers
    /// `AT SP 0` finds the vehicle's protocol.
    case protocolSearch = "protocol_search"
    /// `AT DPN` tells the protocol that the frames are of.
    case protocolReport = "protocol_report"
    /// `AT RV` reads a supply voltage that can be.
    case voltage
    /// The commands of an STN chip.
    case stn
    /// `AT AT` learns how long to wait.
    case adaptiveTiming = "adaptive_timing"
    /// `AT ST` sets how long to wait.
    case responseTimeout = "response_timeout"
    /// The digit behind a request ends the wait: the number of frames of the answer.
    case responseCount = "response_count"
    /// More than one PID in a request; CAN only.
    case multiplePIDs = "multiple_pids"
    /// Messages of more than one frame arrive whole.
    case longMessages = "long_messages"
    /// `AT FC` sets what the adapter answers to a first frame.
    case flowControl = "flow_control"
    /// `AT CRA` lets one identifier through.
    case receiveFilter = "receive_filter"
    /// `AT CRA` without an argument lets all through again.
    case filterReset = "filter_reset"
    /// `AT SH` asks one ECU alone.
    case physicalAddressing = "physical_addressing"
}

/// What a test of a capability found.
package enum Verdict: Hashable, Sendable {
    /// Its effect was seen.
    case works
    /// It is accepted, and has no effect or a wrong one.
    case ignored
    /// It is not known: `?`, or no answer.
    case refused
    /// It was not tested, and why.
    case notTested(String)
}

/// What is known of a capability, and from what.
package struct Assessment: Hashable, Sendable {
    /// One request of a test, and what came back.
    package struct Evidence: Hashable, Sendable {
        package let request: String
        package let reply: [String]
        package let took: Duration

        /// Of a reply without end its beginning is kept.
        init(request: String, outcome: CommandOutcome, took: Duration) {
            self.request = request
            self.took = took
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
    /// What else was learned: the digit of a response count, say.
    package var note: String?

    package init(_ verdict: Verdict, _ evidence: [Evidence] = [], note: String? = nil) {
        self.verdict = verdict
        self.evidence = evidence
        self.note = note
    }
}

/// Oddities in the bytes of a reply that its lines no longer show.
package struct ReplyForm: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The command stood in front of it.
    package static let echo = ReplyForm(rawValue: 1)
    package static let linefeeds = ReplyForm(rawValue: 2)
    package static let nulBytes = ReplyForm(rawValue: 4)
    /// Bytes that are no text.
    package static let garbage = ReplyForm(rawValue: 8)
    /// A prompt came before it.
    package static let earlyPrompt = ReplyForm(rawValue: 16)
}
