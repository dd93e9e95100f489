// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// Decides when a capture begins and ends, and keeps the readings that belong to it.
///
/// At most one capture runs at a time. Its readings show all that happens meanwhile.
package struct CaptureWatch: Sendable {
    /// A capture that still collects readings.
    private struct Running: Sendable {
        var rule: String
        var cause: Capture.Cause
        var moment: MonotonicTime
        var end: MonotonicTime
        /// The other rules that have fired since it began.
        var skipped: Set<String> = []
    }

    /// A rule whose trigger has just come.
    private struct Fired {
        var rule: CaptureRule
        var cause: Capture.Cause
    }

    /// The time at which something happens.
    package struct Instant: Hashable, Sendable {
        package var time: MonotonicTime
        /// The number of the UTC day since 1970; nil if the date is unknown.
        package var date: Int64?

        package init(_ time: MonotonicTime, date: Int64? = nil) {
            self.time = time
            self.date = date
        }
    }

    package enum Action: Hashable, Sendable {
        /// Keep this for the case that the agent ends before the capture does.
        case keep(Capture)
        /// Record this in place of what was kept.
        case complete(Capture)
        /// Poll the parameters faster for a time, as far as the link allows.
        case hasten([ParameterKey], every: Duration, for: Duration)
        /// Keep the numbers of captures in this day.
        case remember(CaptureCounts)
        /// Log that a rule has fired and begins no capture, because that of another rule runs; once for each capture.
        case noteSkipped(rule: String, running: String)
    }

    /// The reason why a capture that was asked for does not begin.
    package enum Refusal: Error, Hashable, Sendable {
        /// Another capture runs, and ends at this time.
        case isRunning(until: MonotonicTime)
        /// Commands have asked for the largest number of captures in this day.
        case noneLeftToday
        /// The largest number of rules is reached.
        case tooManyRules
        /// The configuration has a rule of this name, or it is the built-in one.
        case nameIsTaken
    }

    /// The age up to which a value counts in a condition; slow parameters are read once a minute.
    private static let longestAge = Duration.seconds(90)

    /// The rules of the configuration.
    package let rules: [CaptureRule]
    /// The rules of commands, with the times at which they end.
    private var temporary: [(rule: CaptureRule, end: MonotonicTime)] = []
    private var ring: CaptureRing
    private var newest = NewestReadings(maximumAge: Self.longestAge)
    private var conditions = CaptureConditions()
    private var braking: BrakingWatch
    private var stall = EngineStallWatch()
    private var budget: CaptureBudget
    private var running: Running?

    /// - Parameters:
    ///   - rules: the rules of the configuration.
    ///   - earlier: the numbers of captures that an earlier process has kept.
    package init(
        rules: [CaptureRule] = [.builtIn],
        limits: CaptureRing.Limits = CaptureRing.Limits(),
        braking: BrakingWatch = BrakingWatch(),
        earlier: CaptureCounts? = nil
    ) {
        self.rules = Array(rules.prefix(CaptureRule.countLimit))
        self.ring = CaptureRing(limits)
        self.braking = braking
        self.budget = CaptureBudget(earlier: earlier)
    }

    /// The time at which the running capture ends; nil if none runs.
    package var end: MonotonicTime? { self.running?.end }

    // MARK: - Inputs

    /// Takes over the readings of one reply, in the order of their times.
    package mutating func readingsReceived(_ readings: [CaptureReading], at now: Instant) -> [Action] {
        let actions = self.timePassed(to: now)
        var causes: [Capture.Cause] = []
        for reading in readings {
            self.ring.append(reading)
            guard reading.source.isPrimary else { continue }
            let reading = reading.reading
            self.newest.receive([reading])
            switch reading.role {
            case .vehicleSpeed:
                let speed = reading.usualValue
                self.stall.vehicleSpeedReceived(speed, at: reading.time)
                if self.braking.vehicleSpeedReceived(speed, at: reading.time) { causes.append(.harshBraking) }
            case .engineSpeed:
                if self.stall.engineSpeedReceived(reading.value, at: reading.time) { causes.append(.engineStall) }
            default: break
            }
        }
        return actions + self.begin(self.fired(causes) + self.firedConditions(at: now), at: now)
    }

    /// Figures were measured that belong to no reply of the vehicle, as the supply voltage.
    ///
    /// Figures count in conditions, and are in no capture.
    package mutating func figuresMeasured(_ readings: [Reading], at now: Instant) -> [Action] {
        let actions = self.timePassed(to: now)
        self.newest.receive(readings)
        return actions + self.begin(self.firedConditions(at: now), at: now)
    }

    /// Trouble codes have appeared, or the malfunction indicator lamp has come on, at one reading of the codes.
    package mutating func codesChanged(_ causes: [Capture.Cause], at now: Instant) -> [Action] {
        let actions = self.timePassed(to: now)
        return actions + self.begin(self.fired(causes), at: now)
    }

    /// A command asks for a capture.
    ///
    /// - Parameters:
    ///   - issuer: the signer of the command; nil if it is unsigned.
    ///   - parameters: the parameters to read faster.
    package mutating func requested(
        by id: String,
        issuer: String?,
        after: Duration,
        parameters: [ParameterKey],
        at now: Instant
    ) throws(Refusal) -> [Action] {
        let actions = self.timePassed(to: now)
        if let running = self.running { throw .isRunning(until: running.end) }
        let rule = CaptureRule(
            CaptureBudget.commandRule,
            .occasions([]),
            parameters: parameters,
            after: after,
            perDay: CaptureBudget.commands
        )
        let begun = self.begin(rule, .command(id: id, issuer: issuer), at: now)
        guard !begun.isEmpty else { throw .noneLeftToday }
        return actions + begun
    }

    /// A command sets a rule for a time, in place of an earlier rule of a command with its name.
    package mutating func ruleSet(_ rule: CaptureRule, for duration: Duration, at now: Instant) throws(Refusal) {
        guard !self.rules.contains(where: { $0.name == rule.name }) else { throw .nameIsTaken }
        self.removeEndedRules(at: now.time)
        let others = self.temporary.filter { $0.rule.name != rule.name }
        guard self.rules.count + others.count < CaptureRule.countLimit else { throw .tooManyRules }
        self.temporary = others + [(rule, now.time + duration)]
        self.conditions.keep(only: Set(self.rules.map(\.name) + others.map(\.rule.name)))
    }

    /// The link to the adapter is lost.
    package mutating func linkLost(at now: Instant) -> [Action] {
        self.newest.clear()
        // The time for which a condition holds must have no gap.
        self.conditions = CaptureConditions()
        return self.finish(.linkLost, at: now.time)
    }

    /// The vehicle is parked, so that the power may be lost.
    package mutating func parked(at now: Instant) -> [Action] { self.finish(.parked, at: now.time) }

    /// Another vehicle follows; the rules of commands were meant for this one.
    package mutating func vehicleChanged(at now: Instant) -> [Action] {
        let actions = self.finish(.vehicleChanged, at: now.time)
        self.ring.clear()
        self.newest.clear()
        self.temporary = []
        self.conditions = CaptureConditions()
        self.stall = EngineStallWatch()
        return actions
    }

    /// The agent is about to end, or its machine to be switched off.
    package mutating func stopping(at now: Instant) -> [Action] { self.finish(.stopped, at: now.time) }

    /// Time has passed; a capture whose time is over ends.
    package mutating func timePassed(to now: Instant) -> [Action] {
        self.removeEndedRules(at: now.time)
        guard let running = self.running, now.time > running.end else { return [] }
        return self.finish(.complete, at: running.end)
    }

    // MARK: - Rules

    /// All rules; those of commands are the first.
    private var allRules: [CaptureRule] { self.temporary.map(\.rule) + self.rules }

    private mutating func removeEndedRules(at now: MonotonicTime) {
        guard self.temporary.contains(where: { $0.end <= now }) else { return }
        self.temporary.removeAll { $0.end <= now }
        self.conditions.keep(only: Set(self.allRules.map(\.name)))
    }

    private func fired(_ causes: [Capture.Cause]) -> [Fired] {
        causes.flatMap { cause in
            self.allRules.filter { $0.waits(for: cause) }.map { Fired(rule: $0, cause: cause) }
        }
    }

    private mutating func firedConditions(at now: Instant) -> [Fired] {
        self.allRules.compactMap { rule in
            guard case .condition(let condition, let duration) = rule.trigger else { return nil }
            let holds = condition.holds { self.newest.value($0, at: now.time) }
            guard self.conditions.judged(rule.name, holds, for: duration, at: now.time) else { return nil }
            return Fired(rule: rule, cause: .condition(condition.text))
        }
    }

    // MARK: - Begin and end

    /// Begins the capture of the first rule, in the order of their precedence, that may capture now.
    private mutating func begin(_ fired: [Fired], at now: Instant) -> [Action] {
        guard self.running == nil else { return self.skip(fired.map(\.rule)) }
        let ordered = fired.sorted { $0.rule.precedence < $1.rule.precedence }
        for (index, first) in ordered.enumerated() {
            let actions = self.begin(first.rule, first.cause, at: now)
            guard !actions.isEmpty else { continue }
            // The built-in rule has nothing to add to another one of the same moment.
            let others = ordered[index...].map(\.rule).filter { $0.precedence != .builtIn }
            return actions + self.skip(others)
        }
        return []
    }

    /// Notes the rules that have fired while the capture of another one runs.
    private mutating func skip(_ rules: [CaptureRule]) -> [Action] {
        guard let running = self.running else { return [] }
        return rules.map(\.name).compactMap { rule in
            guard rule != running.rule, self.running?.skipped.insert(rule).inserted == true else { return nil }
            return .noteSkipped(rule: rule, running: running.rule)
        }
    }

    /// Begins a capture, unless one runs or the rule has had all of its captures.
    private mutating func begin(_ rule: CaptureRule, _ cause: Capture.Cause, at now: Instant) -> [Action] {
        guard self.running == nil,
            self.budget.allows(rule.name, perDay: rule.perDay, at: now.time, on: now.date)
        else { return [] }
        let counts = self.budget.count(rule.name, at: now.time, on: now.date)
        let running = Running(rule: rule.name, cause: cause, moment: now.time, end: now.time + rule.after)
        self.running = running
        self.ring.pin(since: now.time - self.ring.limits.span)
        var actions: [Action] = [.keep(self.capture(running, through: now.time, .interrupted))]
        if let counts { actions.append(.remember(counts)) }
        if !rule.parameters.isEmpty, rule.after > .zero {
            actions.append(.hasten(rule.parameters, every: rule.interval, for: rule.after))
        }
        return actions
    }

    private mutating func finish(_ ending: Capture.Ending, at time: MonotonicTime) -> [Action] {
        guard let running = self.running else { return [] }
        self.running = nil
        let isOver = time >= running.end
        let end = min(time, running.end)
        let capture = self.capture(running, through: end, isOver ? .complete : ending)
        self.ring.pin(since: nil)
        self.budget.ended(running.rule, at: end)
        return [.complete(capture)]
    }

    private func capture(_ running: Running, through end: MonotonicTime, _ ending: Capture.Ending) -> Capture {
        let start = running.moment - self.ring.limits.span
        return Capture(
            rule: running.rule,
            running.cause,
            at: running.moment,
            after: end - running.moment,
            ending: ending,
            series: self.ring.series(in: start...max(start, end), around: running.moment)
        )
    }
}
