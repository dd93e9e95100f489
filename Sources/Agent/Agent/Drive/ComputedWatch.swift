// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Session
import Store
import Uplink

/// Computes the derived parameters of the connected vehicle, and watches the limits.
struct ComputedWatch: Sendable {
    private let mapping: ContractMapping
    /// The id of the machine's boot.
    private let boot: String
    private let parameters: [String: DerivedParameter]
    private var computation: DerivedComputation
    private var limits: LimitWatch
    /// The limits that are exceeded, as they are stored.
    private var memory = LimitMemory()
    private var selection = Selection(intervals: [:])
    private var derivations: [String: Derivation] = [:]
    /// Whether the states of the limits are published for this vehicle.
    private var isPublished = false

    init(_ computed: Configuration.Computed, _ mapping: ContractMapping, boot: String) {
        self.mapping = mapping
        self.boot = boot
        self.parameters = Dictionary(computed.derived.map { ($0.name, $0) }) { first, _ in first }
        self.computation = DerivedComputation(computed.derived)
        self.limits = LimitWatch(computed.limits)
    }

    /// Takes over the samples of one reply.
    ///
    /// - Returns: the computed values, for consumers and as readings, and the actions for them and for the limits.
    mutating func samplesReceived(
        _ samples: [Sample],
        primary: ECUAddress?
    ) -> (computed: [Uplink.Sample], readings: [Reading], actions: [DriveAction]) {
        let readings = samples.filter { $0.isAddressed || $0.ecu == primary }
            .compactMap { Reading($0.value, at: $0.time) }
        guard !readings.isEmpty else { return ([], [], []) }
        let values = self.computation.receive(readings)
        let computed = values.compactMap { self.sample($0) }
        let published = computed.filter { self.selection.intervals[.derived($0.name)] != nil }
        let actions = published.isEmpty ? [] : [DriveAction.ingest(published)]
        let changes = self.limits.receive(readings + values)
        return (computed, values, actions + self.act(on: changes))
    }

    /// Figures were measured that belong to no reply of the vehicle, as the supply voltage.
    mutating func figuresMeasured(_ readings: [Reading]) -> [DriveAction] {
        let changes = self.limits.receive(readings)
        return self.act(on: changes)
    }

    /// Takes over the selection, and the ways to compute the derived parameters that the vehicle supports.
    ///
    /// To be called only once the topics of the vehicle are in use.
    mutating func planChanged(_ selection: Selection, _ derivations: [String: Derivation]) -> [DriveAction] {
        (self.selection, self.derivations) = (selection, derivations)
        self.computation.derivationsChanged(to: derivations)
        guard !self.isPublished, !self.limits.rules.isEmpty else { return [] }
        self.isPublished = true
        return [self.report]
    }

    /// Another vehicle follows.
    mutating func vehicleChanged() {
        self.computation.vehicleChanged()
        self.limits.vehicleChanged()
        (self.memory, self.derivations, self.isPublished) = (LimitMemory(), [:], false)
    }

    /// Takes over the stored state of the limits of the vehicle whose topics are in use.
    mutating func restore(_ body: [UInt8]?) -> [DriveAction] {
        guard let body else { return [] }
        let stored = LimitMemory(JSON(payload: body))
        self.memory = stored
        self.memory.keep(self.limits.rules)
        self.limits.restore(self.memory)
        // A limit that is no longer configured begins anew if it is configured again.
        return self.memory == stored ? [] : [.remember(self.stored)]
    }

    /// Time has passed without an input.
    mutating func timePassed(to now: MonotonicTime) -> [DriveAction] {
        let changes = self.limits.timePassed(to: now)
        return self.act(on: changes) + self.dateLimits()
    }

    /// Stores the dates of the exceeded limits, if the clock has been synchronized since then.
    private mutating func dateLimits() -> [DriveAction] {
        let (before, boot) = (self.memory, self.present)
        if boot.isSynchronised { self.memory.clockSynchronised(boot) }
        return self.memory == before ? [] : [.remember(self.stored), self.report]
    }

    /// The ways in which derived parameters are computed now, by their names; nil if none is.
    var reports: [String: DerivedReport]? {
        var reports: [String: DerivedReport] = [:]
        for (name, derivation) in self.derivations where derivation.interval != nil {
            guard let parameter = self.parameters[name], parameter.ways.indices.contains(derivation.way) else {
                continue
            }
            let way = parameter.ways[derivation.way]
            reports[name] = DerivedReport(
                formula: way.formula.text,
                sources: Set(derivation.values.values).sorted(),
                unit: parameter.field.symbol,
                assumes: way.assumes
            )
        }
        return reports.isEmpty ? nil : reports
    }

    // MARK: - Mapping

    private func sample(_ reading: Reading) -> Uplink.Sample? {
        guard let field = self.parameters[reading.name]?.field else { return nil }
        // A computed value has more digits than its sources justify.
        let rounded = (reading.value / field.resolution).rounded() * field.resolution
        return self.mapping.derived(
            FieldValue(field: field, value: .number(rounded)),
            at: reading.time,
            deadBand: self.selection.deadBands[reading.name]
        )
    }

    private mutating func act(on changes: [LimitWatch.Change]) -> [DriveAction] {
        guard !changes.isEmpty else { return [] }
        var actions: [DriveAction] = []
        // Each event comes with the state right after it: a power cut between two events loses and repeats none.
        for change in changes {
            switch change {
            case .exceeded(let rule, let values, let since):
                self.memory.limitExceeded(rule, at: since, self.present)
                actions.append(.recordChange(AgentEvent(.limitExceeded, rule, values), to: self.stored))
            case .cleared(let rule, let values):
                self.memory.limitCleared(rule)
                actions.append(.recordChange(AgentEvent(.limitCleared, rule, values), to: self.stored))
            case .known: break
            }
        }
        return actions + [self.report]
    }

    private var present: MachineBoot { MachineBoot(self.boot, self.mapping.clock) }

    private var stored: StoredState { StoredState(.limits, Array(self.memory.json.text.utf8)) }

    /// The states of all limits.
    private var report: DriveAction {
        let boot = self.present
        let limits = zip(self.limits.rules, self.limits.states).map { rule, state in
            let since = self.memory.since(rule, boot)
            return (rule.name, LimitsReport.Limit(when: rule.condition.text, exceeded: state.isExceeded, since: since))
        }
        let report = LimitsReport(
            time: self.mapping.clock.timestamp,
            limits: Dictionary(limits) { first, _ in first }
        )
        return .update(.limits, .limits(report))
    }
}

extension ContractMapping {
    /// The source of values that the agent computes, in place of an ECU.
    private static let agent = "agent"

    /// Returns a sample of a computed value for the live plane and for the records.
    func derived(_ value: FieldValue, at time: MonotonicTime, deadBand: Double?) -> Uplink.Sample {
        var sample = self.sample(value, of: Self.agent, isPrimary: true, at: time, deadBand: deadBand)
        if sample.report.quality == .good { sample.report.quality = .derived }
        return sample
    }
}

extension AgentEvent {
    fileprivate init(_ kind: Kind, _ rule: LimitRule, _ values: [String: Double]) {
        self.init(kind)
        self.limit = LimitEvent(
            name: rule.name,
            when: rule.condition.text,
            values: values.mapValues(ShownValue.rounded)
        )
    }
}
