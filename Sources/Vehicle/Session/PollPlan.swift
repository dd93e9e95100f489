// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// The polled parameters of a vehicle: which are due, and in which requests.
///
/// The short list of a charge replaces the selection for a while. The requests to all ECUs, for standard parameters,
/// come first. Those to single ECUs are sent in visits between them.
struct PollPlan: Sendable {
    /// The custom parameters, and the settings of the adapter for them.
    var custom: CustomPolling
    private(set) var selection: Selection
    /// The short list that is polled instead of the selection; nil if the selection is polled.
    private(set) var short: Selection?
    /// The derived parameters and the watched values.
    private(set) var derived: DerivedPolling
    /// The intervals of the parameters that are polled now, with the sources of the derived ones.
    private(set) var polledIntervals: [ParameterKey: Duration] = [:]
    /// The selected parameters of frames, by name.
    private(set) var heard: [HeardParameter] = []
    /// The values that show whether the vehicle is in use, and that can be asked for.
    private(set) var signs: [UseSignPoll] = []
    var schedule = PollSchedule()
    var planner: RequestPlanner
    var visits = ECUVisits()

    init(
        _ selection: Selection,
        _ custom: CustomPolling,
        derived: DerivedPolling = DerivedPolling(),
        on bus: BusProtocol
    ) {
        self.selection = selection
        self.derived = derived
        self.custom = custom
        self.planner = RequestPlanner(on: bus)
    }

    // MARK: - Selections

    /// Polls another selection from now on.
    mutating func select(_ selection: Selection, of vehicle: VehicleIdentity) {
        self.selection = selection
        self.apply(to: vehicle)
    }

    /// Takes over the custom parameters that only this vehicle has, in place of those that were known.
    mutating func know(_ own: [CustomParameter], of vehicle: VehicleIdentity) {
        if self.custom.know(own) { self.apply(to: vehicle) }
    }

    /// Polls only these parameters; nil polls the selection again.
    mutating func limit(to short: Selection?, of vehicle: VehicleIdentity) {
        guard self.short != short else { return }
        self.short = short
        // Other ECUs are awake in a charge than in a drive.
        self.driveBegan()
        self.apply(to: vehicle)
    }

    /// Polls the items again that were put aside, because another drive begins.
    mutating func driveBegan() {
        self.schedule.driveBegan()
        self.visits.driveBegan()
    }

    /// Takes over the known facts about the vehicle.
    mutating func apply(to vehicle: VehicleIdentity) {
        var intervals: [PollItem: Duration] = [:]
        var derived = self.derived
        derived.choose { self.source(of: $0, in: vehicle) }
        let polled = derived.expand((self.short ?? self.selection).intervals, isWatching: self.short == nil)
        self.derived = derived
        self.polledIntervals = polled
        var heard: [HeardParameter] = []
        for (key, interval) in polled {
            guard let item = self.item(for: key, of: vehicle) else { continue }
            if case .frame = item {
                if let parameter = self.custom.parameters[key.name] { heard.append(.init(parameter, interval)) }
            } else {
                intervals[item] = min(interval, intervals[item] ?? interval)
            }
        }
        self.schedule.select(intervals)
        if vehicle.isMapped, vehicle.bus.isCAN, vehicle.dialect == .j1979 { self.planner.presume(vehicle) }
        self.heard = heard.sorted { $0.parameter.name < $1.parameter.name }
        self.signs = UseSignPoll.supported(
            { self.custom.keys(with: $0, on: vehicle.bus) },
            { self.item(for: $0, of: vehicle) }
        )
        .filter { if case .frame = $0.item { false } else { true } }
    }

    /// Returns the item to poll for a parameter; nil if this vehicle does not support it.
    func item(for key: ParameterKey, of vehicle: VehicleIdentity) -> PollItem? {
        switch key {
        case .pid where vehicle.dialect == .j1939: ParameterGroup.named(key.name).map { .group($0.pgn) }
        case .pid(let parameter): [vehicle.pid(of: parameter)].first(where: vehicle.supports).map { .pid($0) }
        case .custom(let name): self.custom.item(for: name, on: vehicle.bus)
        case .derived: nil
        }
    }

    /// Returns the items to poll for a parameter; nil if this vehicle does not support it.
    private func items(
        for key: ParameterKey,
        of vehicle: VehicleIdentity,
        withSlow: Bool = true
    ) -> [PollItem]? {
        guard case .derived(let name) = key else { return self.item(for: key, of: vehicle).map { [$0] } }
        return self.derived.keys(of: name, withSlow: withSlow)?.compactMap { self.item(for: $0, of: vehicle) }
    }

    /// Returns the value that a name of a formula stands for; nil if this vehicle does not have it.
    ///
    /// A value with the name counts before the values that have it as their role.
    private func source(of name: String, in vehicle: VehicleIdentity) -> DerivedPolling.Source? {
        if SupplyValue(rawValue: name) != nil { return .init(value: name, key: nil) }
        let own =
            self.custom.parameters[name] == nil ? Parameter.named(name).map { .pid($0.pid) } : ParameterKey.custom(name)
        if let own, self.item(for: own, of: vehicle) != nil { return .init(value: name, key: own) }
        guard let role = ParameterRole(rawValue: name) else { return nil }
        let standard = Parameter.catalogue.flatMap { parameter in
            parameter.fields.filter { $0.role == role }.map { ($0.name, ParameterKey.pid(parameter.pid)) }
        }
        let custom = self.custom.keys(with: role, on: vehicle.bus).map { ($0.name, $0) }
        let found = (custom + standard).first { self.item(for: $0.1, of: vehicle) != nil }
        return found.map { .init(value: $0.0, key: $0.1) }
    }

    /// Returns the selected parameters that are not polled because the vehicle does not support or answer them.
    func unsupported(by vehicle: VehicleIdentity) -> [ParameterKey] {
        self.selection.intervals.keys.filter { self.isLacking(self.items(for: $0, of: vehicle)) }.sorted()
    }

    /// Returns the names of the watched values that the vehicle does not support or answer.
    func lackedValues(of vehicle: VehicleIdentity) -> Set<String> {
        Set(
            self.derived.watched.keys.filter { name in
                let keys = self.derived.watchedKeys(of: name)
                return self.isLacking(keys?.compactMap { self.item(for: $0, of: vehicle) })
            }
        )
    }

    /// Returns the parameters that are polled now and that a vehicle supports, and the derived ones that are computed.
    func polledParameters(of vehicle: VehicleIdentity) -> Set<ParameterKey> {
        let computed = self.derived.derivations.filter { $0.value.interval != nil }.keys
        return Set(self.polledIntervals.keys.filter { self.item(for: $0, of: vehicle) != nil })
            .union(computed.map { .derived($0) })
    }

    /// Whether the vehicle does not support what these items are polled for, or does not answer one of them.
    private func isLacking(_ items: [PollItem]?) -> Bool {
        guard let items else { return true }
        return items.contains {
            self.schedule.dead.contains($0) || $0.destination.map(self.visits.aside.contains) ?? false
        }
    }

    /// Returns the parameters that a vehicle supports.
    func pollable(of vehicle: VehicleIdentity) -> Set<ParameterKey> {
        let keys = Parameter.catalogue.filter { !$0.pid.isBitmap }.map { ParameterKey.pid($0.pid) }
        return Set(
            (keys + self.custom.parameters.keys.map(ParameterKey.custom)
                + self.derived.ways.keys.map(ParameterKey.derived))
                .filter { self.items(for: $0, of: vehicle) != nil }
        )
    }

    // MARK: - Requests

    /// Whether a visit to an ECU goes on.
    func isVisiting(at now: MonotonicTime) -> Bool { self.visited(at: now) != nil }

    /// Returns the next action.
    func next(at now: MonotonicTime) -> PollSchedule.NextAction {
        if let item = self.visited(at: now) { return .ask(item) }
        let standard = self.nextStandard(at: now)
        guard self.schedule.hasVisits else { return standard }
        if case .ask = standard, !self.visits.isDue(at: now) { return standard }
        let limits = self.schedule.standardLimits
        let due = self.schedule.dueCounts(at: now)
        let single = self.schedule.next(at: now) { destination in
            destination.flatMap { self.visits.opening(of: $0, requests: due[$0] ?? 1, at: now, limits) }
        }
        if case .ask = single { return single }
        if case .ask = standard { return standard }
        let waiting = self.schedule.next(at: now) { $0.flatMap(self.visits.opening) }
        guard let limits, case .ask(let item) = waiting, let destination = item.destination,
            self.visits.need(of: destination) <= limits.shortest
        else { return standard.earlier(single) }
        // A standard parameter that would soon interrupt the visit is requested before it.
        guard limits.earliest > now else { return .ask(limits.item) }
        return standard.earlier(single).earlier(.wait(until: limits.earliest))
    }

    private func nextStandard(at now: MonotonicTime) -> PollSchedule.NextAction {
        self.schedule.next(at: now) { $0 == nil ? .zero : nil }
    }

    private func visited(at now: MonotonicTime) -> PollItem? {
        guard self.visits.mayStay(at: now) else { return nil }
        guard let destination = self.visits.destination else { return nil }
        if let item = self.schedule.next(to: destination, at: now) { return item }
        if case .ask = self.schedule.next(at: now, { $0.map(self.visits.opening) ?? .zero }) { return nil }
        return self.schedule.next(to: destination, at: now, isEarly: true)
    }

    /// Returns the question for the most overdue poll, and records its request; nil if no poll is due.
    ///
    /// - Parameter isStandard: whether only a request to all ECUs may be sent.
    mutating func duePoll(at now: MonotonicTime, isStandard: Bool = false) -> SessionAgenda.Question? {
        guard case .ask(let item) = isStandard ? self.nextStandard(at: now) : self.next(at: now) else { return nil }
        self.visits.asked(item.destination, at: now, self.schedule.standardLimits)
        // An adapter that may still address a single ECU gets a request whose answer shows which ECUs it addresses.
        guard case .pid(let pid) = item, self.custom.unproven == nil else {
            self.schedule.asked(item, at: now)
            return .poll(item)
        }
        let pids = self.planner.group(pid, with: self.schedule.pids(besides: pid, at: now), at: now)
        for pid in pids { self.schedule.asked(.pid(pid), at: now) }
        return pids.count > 1 ? .pids(pids) : .poll(item)
    }

    /// Records the time that a question has taken.
    mutating func ended(_ question: SessionAgenda.Question, after time: Duration) {
        let takesUsualTime = question.destination == nil && !self.visits.isAway
        self.visits.requestEnded(to: question.destination, after: time)
        guard takesUsualTime else { return }
        switch question {
        case .poll(.pid(let pid)): self.planner.requestEnded(after: time, [pid])
        case .pids(let pids): self.planner.requestEnded(after: time, pids)
        case .poll: self.planner.requestEnded(after: time, [])
        case .errand: break
        }
    }

    /// Returns the interval of each selected parameter that the link sustains; nil before the first request.
    ///
    /// - Parameter isGrouped: whether a request may have several PIDs.
    func achieved(of vehicle: VehicleIdentity, isGrouped: Bool) -> [ParameterKey: Duration]? {
        guard let alone = self.planner.costs.mean ?? self.visits.mean else { return nil }
        let shared = self.planner.share(isGrouped: isGrouped) ?? alone
        let time = { (item: PollItem) -> Duration in if case .pid = item { shared } else { alone } }
        let aside = self.visits.aside
        let load = self.schedule.load { $0.destination == nil ? time($0) : nil }
        let limits = self.schedule.standardLimits
        let visits = self.visits.forecast(self.schedule.periods, beside: load, limits?.shortest, unknown: alone)
        let achieved = self.schedule.stretched { item, interval in
            guard item.destination == nil else { return max(1, visits.load) }
            // Every visit that does not fit costs the parameters with shorter intervals some of their requests.
            let isInterrupted = interval < ECUVisits.tightLimit
            return max(1, (isInterrupted ? max(1, load) : load) / (1 - visits.loss))
        }
        return self.selection.intervals.keys.reduce(into: [:]) { intervals, key in
            // A derived parameter is as fast as the slowest of its sources, except for those that hardly change.
            guard let items = self.items(for: key, of: vehicle, withSlow: false),
                !items.contains(where: { $0.destination.map(aside.contains) ?? false })
            else { return }
            // Frames come without a request.
            intervals[key] =
                items.compactMap { if case .frame = $0 { self.polledIntervals[key] } else { achieved[$0] } }.max()
        }
    }
}

extension PollSchedule.NextAction {
    /// Returns the earlier of two actions that are no requests.
    fileprivate func earlier(_ other: Self) -> Self {
        switch (self, other) {
        case (.wait(let time), .wait(let other)): .wait(until: min(time, other))
        case (.idle, _): other
        default: self
        }
    }
}
