// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The readings around the moment at which something happened.
package struct Capture: Hashable, Sendable {
    /// The thing that happened.
    package enum Cause: Hashable, Sendable {
        case codeAppeared(String, ecu: String)
        case milOn
        case condition(String)
        case harshBraking
        case engineStall
        case command(id: String, issuer: String?)

        /// The occasion of rules; nil for a condition and for a command.
        var occasion: CaptureRule.Occasion? {
            switch self {
            case .codeAppeared: .codeAppeared
            case .milOn: .milOn
            case .harshBraking: .harshBraking
            case .engineStall: .engineStall
            case .condition, .command: nil
            }
        }
    }

    /// The reason why a capture has no readings after its last one.
    package enum Ending: Hashable, Sendable {
        /// The time after the moment has passed.
        case complete
        case linkLost
        case parked
        case vehicleChanged
        /// The agent has stopped, or its machine is about to be switched off.
        case stopped
        /// The agent ended before the capture did, as by a power cut.
        case interrupted
    }

    /// The name of the rule; `command` for a capture that a command has asked for.
    package var rule: String
    package var cause: Cause
    /// The time at which the agent noticed what happened.
    package var moment: MonotonicTime
    /// The time to the last reading that belongs to the capture.
    package var after: Duration
    package var ending: Ending
    package var series: [CaptureSeries]

    package init(
        rule: String,
        _ cause: Cause,
        at moment: MonotonicTime,
        after: Duration,
        ending: Ending,
        series: [CaptureSeries]
    ) {
        self.rule = rule
        self.cause = cause
        self.moment = moment
        self.after = after
        self.ending = ending
        self.series = series
    }

    /// The time from the first reading to the moment.
    package var before: Duration {
        .milliseconds(-min(0, self.series.compactMap(\.milliseconds.first).min() ?? 0))
    }
}
