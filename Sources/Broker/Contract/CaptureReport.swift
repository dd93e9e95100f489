// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The member `capture` of an event: everything that was read around the moment at which something happened.
///
/// The moment is the time of the record. The first `dt` of each series counts from it, and is negative before it.
package struct CaptureReport: Encodable, Hashable, Sendable {
    /// The things that begin a capture.
    package enum Trigger: String, CaseIterable, Encodable, Hashable, Sendable {
        case codeAppeared = "code_appeared"
        case milOn = "mil_on"
        case condition
        case harshBraking = "harsh_braking"
        case engineStall = "engine_stall"
        case command
    }

    /// The reasons why no more readings follow.
    package enum Ending: String, CaseIterable, Encodable, Hashable, Sendable {
        case complete
        case linkLost = "link_lost"
        case parked
        case vehicleChanged = "vehicle_changed"
        case stopped
        case interrupted
    }

    /// The name of the rule; `command` for a capture that a command has asked for.
    package var rule: String
    package var trigger: Trigger
    /// For `code_appeared`: the code and its ECU.
    package var code: String?
    package var ecu: String?
    /// For `condition`: the condition that has held.
    package var condition: String?
    /// For `command`: the id of the command.
    package var commandID: String?
    /// The signer of that command; nil if it is unsigned.
    package var issuer: String?
    /// The seconds from the first reading to the moment.
    package var before: Double
    /// The seconds from the moment to the end of the capture.
    package var after: Double
    package var ended: Ending
    /// The series of which only every n-th reading is kept, so that the record is not too large.
    package var thinned: [String: Int]?
    package var series: [String: Telemetry.Series]

    private enum CodingKeys: String, CodingKey {
        case rule, trigger, code, ecu, condition, issuer, before, after, ended, thinned, series
        case commandID = "command_id"
    }

    package init(
        rule: String,
        trigger: Trigger,
        before: Double,
        after: Double,
        ended: Ending,
        series: [String: Telemetry.Series]
    ) {
        self.rule = rule
        self.trigger = trigger
        self.before = before
        self.after = after
        self.ended = ended
        self.series = series
    }

    /// Reads the encoded form; nil if `json` is not a capture.
    package init?(_ json: JSON) {
        guard case .object(let members) = json, case .string(let rule) = members["rule"],
            case .string(let trigger) = members["trigger"], let trigger = Trigger(rawValue: trigger),
            let before = members["before"]?.double, let after = members["after"]?.double,
            case .string(let ended) = members["ended"], let ended = Ending(rawValue: ended),
            let telemetry = Telemetry(json)
        else { return nil }
        self.init(
            rule: rule,
            trigger: trigger,
            before: before,
            after: after,
            ended: ended,
            series: telemetry.series
        )
        func text(_ name: String) -> String? { if case .string(let text) = members[name] { text } else { nil } }
        (self.code, self.ecu, self.condition) = (text("code"), text("ecu"), text("condition"))
        (self.commandID, self.issuer) = (text("command_id"), text("issuer"))
        if case .object(let steps) = members["thinned"] {
            self.thinned = steps.compactMapValues {
                if case .integer(let step) = $0 { Int(exactly: step) } else { nil }
            }
        }
    }

    /// The number of readings.
    package var count: Int { self.series.values.reduce(0) { $0 + $1.dt.count } }

    /// A sentence part about what has happened: `P0301 appeared in 7E8`.
    package var summary: String {
        switch self.trigger {
        case .codeAppeared: "\(self.code ?? "a code") appeared in \(self.ecu ?? "an ECU")"
        case .milOn: "the MIL came on"
        case .condition: self.condition ?? "a condition held"
        case .harshBraking: "harsh braking"
        case .engineStall: "the engine stalled"
        case .command: "command \(self.commandID ?? "")\(self.issuer.map { " of \($0)" } ?? "")"
        }
    }
}
