// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// A rule that decides when a capture begins, and what is read faster after that.
package struct CaptureRule: Hashable, Sendable {
    /// The things that happen to a vehicle for which a rule may wait.
    package enum Occasion: String, CaseIterable, Hashable, Sendable {
        /// A trouble code has appeared that was not there at the reading before.
        case codeAppeared = "code_appeared"
        /// The malfunction indicator lamp has come on.
        case milOn = "mil_on"
        case harshBraking = "harsh_braking"
        /// The engine speed has fallen to zero while the vehicle moves.
        case engineStall = "engine_stall"
    }

    package enum Trigger: Hashable, Sendable {
        /// Any of the occasions; of the codes that appear only those that match a pattern, or all without patterns.
        case occasions(Set<Occasion>, codes: [CodePattern] = [])
        /// The condition has held for a time, without a gap.
        case condition(Condition, for: Duration)
    }

    /// The order in which rules are tried that fire at the same moment.
    package enum Precedence: Int, Comparable, Sendable {
        /// The rule waits for certain codes.
        case codes
        case other
        /// The rule of every agent, which waits for any code.
        case builtIn

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The largest number of rules, those of commands included.
    package static let countLimit = 32
    /// The largest number of characters in a rule's name.
    package static let nameLimit = 64
    /// The largest number of parameters that a rule reads faster.
    package static let parameterLimit = 32
    /// The valid times after the moment, in seconds.
    package static let afterRange = 0.0...120.0
    /// The valid times for which a condition has to hold, in seconds.
    package static let holdingRange = 0.0...3600.0
    /// The valid intervals after the moment, in seconds.
    package static let intervalRange = 0.05...60.0
    /// The valid numbers of captures in a day.
    package static let perDayRange: ClosedRange<Int64> = 1...20

    package var name: String
    package var trigger: Trigger
    /// The parameters that are read faster after the moment, also if they are not selected.
    package var parameters: [ParameterKey]
    /// The interval at which they are read then, as far as the link allows.
    package var interval: Duration
    /// The time after the moment that belongs to the capture.
    package var after: Duration
    /// The largest number of captures in a day.
    package var perDay: Int

    package init(
        _ name: String,
        _ trigger: Trigger,
        parameters: [ParameterKey] = [],
        interval: Duration = .milliseconds(200),
        after: Duration = .seconds(30),
        perDay: Int = 10
    ) {
        self.name = name
        self.trigger = trigger
        self.parameters = parameters
        self.interval = interval
        self.after = after
        self.perDay = perDay
    }

    /// The values that the rule needs, selected or not, with the intervals at which they are read.
    package var watched: [String: Duration] {
        switch self.trigger {
        case .condition(let condition, _):
            Dictionary(condition.names.map { ($0, LimitRule.pollInterval) }) { first, _ in first }
        case .occasions(let occasions, _):
            if occasions.contains(.engineStall) {
                ["vehicle_speed": Self.motionInterval, "engine_speed": Self.motionInterval]
            } else if occasions.contains(.harshBraking) {
                ["vehicle_speed": Self.motionInterval]
            } else {
                [:]
            }
        }
    }

    /// The precedence of the rule.
    var precedence: Precedence {
        guard self.name != Self.builtIn.name else { return .builtIn }
        guard case .occasions(_, let codes) = self.trigger, !codes.isEmpty else { return .other }
        return .codes
    }

    /// Returns whether the rule waits for this to happen; a condition is judged elsewhere.
    func waits(for cause: Capture.Cause) -> Bool {
        guard case .occasions(let occasions, let codes) = self.trigger,
            cause.occasion.map(occasions.contains) == true
        else { return false }
        guard case .codeAppeared(let code, _) = cause, !codes.isEmpty else { return true }
        return codes.contains { $0.matches(code) }
    }

    /// The interval at which a maneuver is visible.
    private static let motionInterval = Duration.seconds(1)

    /// The rule of an agent without configured rules: a code appears, or the lamp comes on.
    package static let builtIn = CaptureRule("code", .occasions([.codeAppeared, .milOn]))

    /// Returns whether `name` can be the name of a rule: 1 to 64 characters of a-z, 0-9 and _, a letter first.
    package static func isName(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return 1...Self.nameLimit ~= name.utf8.count && name.utf8.first.map { letters ~= $0 } == true
            && name.utf8.allSatisfy { letters ~= $0 || digits ~= $0 || $0 == UInt8(ascii: "_") }
    }
}
