// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The limits of the arguments of commands, for those who send commands and for the agent.
package enum CommandLimits {
    /// The poll intervals of parameters, in seconds.
    package static let pollIntervals = 0.05...86_400.0
    /// The time for which a selection or a capture rule counts, in seconds.
    package static let durations = 1.0...86_400.0
    /// The largest dead band; no parameter has a greater range.
    package static let deadBand = 1e12
    /// The largest number of parameters in a selection.
    package static let selectedParameters = 512
    /// The largest number of parameters to read or boost with a command.
    package static let parameters = 256
    /// The time for which parameters are boosted, in seconds.
    package static let boostDurations = 1.0...600.0
    /// The time for which a vehicle is held awake, in seconds.
    package static let wakeDurations = 1.0...900.0
    /// The time for which the press of a button holds a vehicle awake, in seconds.
    package static let buttonWakeSeconds = 300
    /// The time for which polling is suspended after raw requests, in seconds.
    package static let holds = 0.0...300.0
    /// The largest number of raw requests in a command.
    package static let rawRequests = 32
    /// The largest number of characters in a finding.
    package static let findingText = 4000
    /// The largest number of codes in a finding.
    package static let findingCodes = 100
}
