// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Logging
import OBD2
import Store

/// The signal sets of the vehicles' detected models: which is remembered for whom, and what is in it.
struct DetectedSets: Sendable {
    let source: DetectionSource
    let known: KnownParameters
    let store: Store
    let clock: any CalendarClock
    let logger: Logger

    /// - Returns: nil unless the configuration lets the agent choose the sets.
    init?(_ context: AgentContext, _ store: Store, _ known: KnownParameters) {
        guard context.configuration.detectsSets else { return nil }
        self.source = DetectionSource(paths: context.configuration.catalog, clock: context.clock)
        self.known = known
        self.store = store
        (self.clock, self.logger) = (context.clock, context.logger)
    }

    /// Returns the set that is remembered for a vehicle; nil if there is none, or if the catalog no longer has it.
    func set(of vehicle: String) async -> KnownParameters.SignalSet? {
        guard let remembered = await self.remembered(vehicle), let set = self.set(of: remembered) else { return nil }
        self.logger.notice("The signal set of \(remembered.set ?? ""), detected earlier, is polled")
        return set
    }

    /// Returns whether the model of a vehicle is still to be detected, or again, because the catalog has other models.
    func isDetectionDue(of vehicle: String) async -> Bool {
        guard let remembered = await self.remembered(vehicle) else { return true }
        return remembered.catalog != self.source.catalog.mark(of: remembered.makes)
    }

    /// Remembers the result of a detection.
    ///
    /// A result without a set replaces no set: the detection may have searched another make, or a busy ECU may have
    /// left requests unanswered.
    ///
    /// - Returns: whether other parameters are known of the vehicle whose topics are in use.
    func remember(_ course: DetectionCourse, of vehicle: String) async -> Bool {
        guard course.refusal == nil else { return false }
        let search = course.search
        var result = DetectedSet(
            share: 0,
            time: self.clock.quality == .synchronised ? self.clock.timestamp : nil,
            makes: search.makes,
            catalog: self.source.catalog.mark(of: search.makes)
        )
        let choice = course.detection.choice
        if case .set(let name, let proposal) = choice {
            (result.set, result.year, result.share) = (name, search.year, proposal.share)
        } else if var before = await self.remembered(vehicle), before.set != nil {
            self.log(choice, keeping: before.set)
            guard before.makes == result.makes, before.catalog != result.catalog else { return false }
            before.catalog = result.catalog
            await self.store.remember(StoredState(.detection, before.stored), of: vehicle)
            return false
        }
        self.log(choice, keeping: nil)
        await self.store.remember(StoredState(.detection, result.stored), of: vehicle)
        return self.known.replace(self.set(of: result), of: vehicle) && result.set != nil
    }

    private func remembered(_ vehicle: String) async -> DetectedSet? {
        await self.store.state(.detection, of: vehicle).flatMap(DetectedSet.init(stored:))
    }

    /// Reads the set of a model, without the parameters whose names the configuration has.
    private func set(of detected: DetectedSet) -> KnownParameters.SignalSet? {
        guard let name = detected.set else { return nil }
        guard let found = self.source.catalog.parameters(ofSet: name, year: detected.year) else {
            self.logger.warning(
                """
                The signal set of \(name) is not in the catalog any more, so it is not polled. Try: install the package \
                obd-signals, or set [parameters] catalog
                """
            )
            return nil
        }
        let configured = Set(self.known.configured.map(\.name))
        let room = max(0, Configuration.customLimit - configured.count)
        let own = found.filter { !configured.contains($0.parameter.name) }.prefix(room)
        return KnownParameters.SignalSet(
            detected: detected,
            parameters: own.map(\.parameter),
            intervals: own.reduce(into: [:]) { $0[.custom($1.parameter.name)] = $1.interval }
        )
    }

    private func log(_ choice: ModelChoice, keeping set: String?) {
        let result = set.map { "so the set of \($0) stays" } ?? "so no signal set is polled"
        switch choice {
        case .set(let name, let proposal):
            self.logger.notice(
                """
                The vehicle answers \(proposal.answered) of \(proposal.asked) requests of \(proposal.model), so the \
                signal set of \(name) is polled
                """
            )
        case .tooFewAnswers:
            self.logger.notice(
                """
                The vehicle answers too few requests of each model in the catalog, \(result). Try: obd-agent \
                parameters detect, which lists what it answers
                """
            )
        case .tie(let models):
            self.logger.notice(
                """
                Several models fit equally well, \(result): \(models.joined(separator: ", ")). Try: obd-agent \
                parameters import for one of them, and its file in [parameters] sets
                """
            )
        }
    }
}
