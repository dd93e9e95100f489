// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The outcome of an ``AdapterCommand``.
package enum CommandOutcome: Hashable, Sendable {
    /// The lines before the prompt, without the echo of the command. There may be none.
    case reply([String])
    /// No prompt arrived in time.
    ///
    /// `prompted` tells whether the interrupt that followed was answered with a prompt: such an adapter is alive.
    case silence(prompted: Bool)
    /// The reply was longer than any message can be, and was dropped.
    case overflow
}

extension CommandOutcome {
    /// The adapter's reaction to a command that changes one of its settings.
    package enum Acceptance: Hashable, Sendable {
        /// The last line is `OK`.
        case accepted
        /// The last line is `?`.
        ///
        /// Text of a Bluetooth module, or a late reply to another command, may precede it. Only a `?` that is alone
        /// proves that the command had no effect.
        case refused(isAlone: Bool)
        /// The last line is anything else. The command may have taken effect.
        case unclear
        /// No line arrived, or too many, but the adapter is alive. The command may have taken effect.
        case unanswered
        /// The adapter restarted: its settings are lost.
        case restarted
        /// The adapter stopped answering.
        case silent
    }

    /// The outcome, read as that of a command that changes a setting.
    package var acceptance: Acceptance {
        switch self {
        case .silence(prompted: false): return .silent
        case .silence, .overflow: return .unanswered
        case .reply(let lines):
            let read = lines.map { ReplyLine($0) }
            if read.contains(.notice(.restarted)) { return .restarted }
            switch read.last {
            case .ok: return .accepted
            case .notice(.notUnderstood): return .refused(isAlone: read.count == 1)
            case nil: return .unanswered
            default: return .unclear
            }
        }
    }

    /// Whether the adapter refused the command or did not answer it.
    package var isRefused: Bool {
        switch self.acceptance {
        case .refused, .unanswered, .silent: true
        case .accepted, .unclear, .restarted: false
        }
    }
}
