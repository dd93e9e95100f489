// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// The requests to a connected vehicle, their order, and the meaning of the answers.
///
/// The VIN comes first, and then one poll, so that a first value is published at once. The bitmaps of the ECUs follow, unless
/// they are known from an earlier session, then the codes and the polling. Vehicle information takes an ECU long, so it
/// is requested when no other request is due. `SessionAgenda` is pure: times and answers go in, requests and events come
/// out.
package struct SessionAgenda: Sendable {
    var identification: Identification
    private var codes = CodeWatch()
    private var frames = FreezeFrameReader()
    private var tests = MonitorReader()
    /// The polled parameters.
    var polling: PollPlan
    var errands: ErrandQueue
    private var silence: SilenceWatch
    /// The watch on the identity of the vehicle.
    var identityWatch = IdentityWatch()
    /// The time for idle errands and trials on a link that is never idle.
    private var idleTime = IdleTime()
    /// The bitmaps of the vehicle before, which may be this one.
    let known: KnownVehicle?
    /// The poll that comes before the survey; nil before it, and once it is answered.
    private(set) var firstPoll: Question?
    /// The trials of the adapter.
    package var trials = TrialSchedule()

    /// The known facts about the vehicle.
    package var identity: VehicleIdentity { self.identification.identity }
    /// Whether the vehicle is identified, or is known not to identify itself.
    package var isIdentified: Bool { self.identification.isIdentified }
    /// Whether the supported parameters and their scales are known too, so that leases and commands are possible.
    package var isReady: Bool {
        self.isIdentified && self.identity.isMapped && self.identification.mapping.maximaErrands.isEmpty
    }
    /// Whether the vehicle may be another one, and has not proved its identity yet.
    var mayBeAnother: Bool { self.identityWatch.isInDoubt && self.identity.canProve }
    /// Whether the vehicle has to prove its identity before any other request.
    var isInDoubt: Bool { self.mayBeAnother && !self.silence.isLong }

    /// - Parameters:
    ///   - report: the result of start-up; its ECUs have answered PID 00.
    ///   - custom: the custom parameters, by name.
    ///   - derived: the derived parameters and the watched values.
    ///   - searched: the parameters whose ECUs may be asked for the VIN, besides those with a role; nil: all.
    ///   - refusals: the destinations that this adapter has been unable to reach.
    ///   - vinRequest: the request that the last vehicle has answered with its VIN.
    ///   - needsVIN: whether a vehicle without a VIN counts as silent, because the last vehicle has one.
    ///   - hasSettings: whether a request to one ECU changes settings of an adapter, which must then be proved.
    ///   - hearsFrames: whether the frames that nodes send by themselves can be received.
    ///   - known: the bitmaps of the vehicle before, for which the first poll does not wait if this is the same one.
    package init(
        _ report: AdapterReport,
        selection: Selection,
        custom: [String: CustomParameter] = [:],
        derived: DerivedPolling = DerivedPolling(),
        searched: Set<ParameterKey>? = nil,
        refusals: Set<Destination> = [],
        vinRequest: VINRequest? = nil,
        needsVIN: Bool = false,
        hasSettings: Bool = true,
        hearsFrames: Bool = false,
        known: KnownVehicle? = nil
    ) {
        let dialect = report.dialect
        self.known = known
        let search = SearchRequests(custom.values, searched: searched, refusals: refusals)
        let others = search.vinRequests(on: report.bus).filter { $0 != vinRequest }
        self.identification = Identification(report, (vinRequest.map { [$0] } ?? []) + others, needsVIN: needsVIN)
        self.silence = SilenceWatch(dialect)
        let provesSettings = hasSettings && dialect.hasStandardServices
        self.polling = PollPlan(
            selection,
            CustomPolling(custom, refusals: refusals, provesSettings: provesSettings, hearsFrames: hearsFrames),
            derived: derived,
            on: report.bus
        )
        self.errands = ErrandQueue(dialect)
        self.polling.apply(to: self.identity)
    }

    // MARK: - The next action

    package enum NextAction: Hashable, Sendable {
        case ask(Question)
        /// Try a capability of the adapter.
        case tryAdapter
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
    }

    /// Returns the next action.
    package mutating func next(at now: MonotonicTime) -> NextAction {
        self.idleTime.endWork(at: now)
        let before = (self.idleTime, self.trials)
        let action = self.nextUnproven(at: now)
        // A poll proves the adapter's settings by itself, and a request to one ECU does not need the proof. Every other
        // action waits for it.
        switch action {
        case .ask(.poll), .ask(.pids): return action
        case .ask(let question) where question.destination != nil: return action
        case .ask, .tryAdapter, .wait: break
        }
        guard self.polling.custom.unproven != nil else { return action }
        // What the proof displaces comes right after it.
        (self.idleTime, self.trials) = before
        return .ask(.errand(.settingsProof))
    }

    /// Returns the next action, provided that the adapter addresses all ECUs.
    private mutating func nextUnproven(at now: MonotonicTime) -> NextAction {
        if self.isInDoubt { return .ask(.errand(self.identity.proofErrand)) }
        if let errand = self.errands.urgent.first ?? (self.frames.isUrgent ? self.frames.next : nil) ?? self.tests.next
        {
            return .ask(.errand(errand))
        }
        if self.polling.isVisiting(at: now), let question = self.polling.duePoll(at: now) { return .ask(question) }
        // The parameters that the vehicle supports have to be known first.
        if self.polling.short != nil, self.isReady { return self.nextLimited(at: now) }
        if self.errands.beginSurvey() {
            self.firstPoll = self.polling.duePoll(at: now)
            self.trials.pollingBegan(at: now)
            return self.firstPoll.map(NextAction.ask) ?? self.nextUnproven(at: now)
        }
        let nextProof = self.identityWatch.nextProof(of: self.identity, at: now)
        if nextProof <= now { return .ask(.errand(self.identity.proofErrand)) }
        let hasCodes = self.identity.dialect.hasStandardServices
        let nextRequest = hasCodes ? min(self.codes.status.nextRequest(at: now), nextProof) : nextProof
        if nextRequest <= now { return .ask(.errand(.monitorStatus)) }
        let next = self.polling.next(at: now)
        let isBusy = if case .ask = next { true } else { false }
        if self.trials.isPending, self.trials.pays {
            if self.trials.takeTurn(isBusy: isBusy) { return .tryAdapter }
        } else if let errand = self.nextIdleErrand(at: now, isBusy: isBusy) {
            self.idleTime.begin(errand.idleKind, at: now)
            return .ask(.errand(errand))
        } else if self.trials.isPending, self.trials.isOpen(at: now), self.idleTime.isOpen(.usual, at: now) {
            self.idleTime.begin(.usual, at: now)
            return .tryAdapter
        }
        if isBusy, let question = self.polling.duePoll(at: now) { return .ask(question) }
        let end = min(nextRequest, self.identification.mapping.next?.time ?? nextRequest)
        guard case .wait(let due) = next else { return .wait(until: end) }
        return .wait(until: min(due, end))
    }

    /// Returns the next action while only the short list is polled: no codes, no trials, and no idle errands.
    private mutating func nextLimited(at now: MonotonicTime) -> NextAction {
        let nextProof = self.identityWatch.nextProof(of: self.identity, at: now)
        if nextProof <= now { return .ask(.errand(self.identity.proofErrand)) }
        switch self.polling.next(at: now) {
        // A proof that is due soon comes first, so that one settings proof serves both.
        case .ask
        where self.isIdentified && self.identity.canProve && nextProof <= now + IdentityWatch.interval.usual / 2:
            return .ask(.errand(self.identity.proofErrand))
        case .ask: return self.polling.duePoll(at: now).map(NextAction.ask) ?? .wait(until: nextProof)
        case .wait(let due): return .wait(until: min(due, nextProof))
        default: return .wait(until: nextProof)
        }
    }

    // MARK: - Answers

    package enum AnsweredAction: Sendable {
        case proceed([SessionEvent])
        /// The session is over. A new one has to begin.
        case startOver(SessionError, [SessionEvent])
    }

    /// Returns the action after the result of a question.
    package mutating func answered(
        _ question: Question,
        _ result: BusResult,
        at now: MonotonicTime
    ) -> AnsweredAction {
        var events: [SessionEvent] = []
        self.firstPoll = nil
        if result.dropped > 0 { events.append(.dropped(result.dropped)) }
        switch result.outcome {
        case .adapterRestarted: return self.lost(.adapterRestarted, question, events)
        case .adapterSilent: return self.lost(.adapterSilent, question, events)
        case .settingsNotRestored: return self.lost(.settingsNotRestored, question, events)
        case .answered(let answers):
            self.silence.ended()
            self.identityWatch.proofMissed(besides: question, of: self.identity, at: now)
            // An ECU that answers only requests to itself is no OBD ECU.
            if question.destination == nil, case .ask(let errand) = self.identification.ecusAnswered(answers),
                self.errands.appendUrgent(errand)
            {
                self.identityWatch.doubt()
            }
        // A request that the dialect does not have was not sent.
        case .noData where self.identity.busRequest(question) == nil: break
        case .noData, .busUnavailable, .unusable, .refused, .withdrawn:
            self.identityWatch.silent(question, result.outcome, of: self.identity, self.polling.planner.answers.knows)
            switch self.silence.noAnswer(to: question, isInDoubt: self.identityWatch.isInDoubt) {
            case .proceed: break
            case .askMonitorStatus: self.errands.insertUrgent(.monitorStatus)
            case .vehicleGone: return .startOver(.vehicleSilent, events)
            }
        }
        events += self.polled(question, result, at: now)
        if self.isIdentified { self.identityWatch.identified(at: now) }
        self.identityWatch.eventsReceived(events, of: self.identity)
        guard !self.identityWatch.isLost else {
            // Of a vehicle without standard services only the ECU with the VIN may be asleep.
            return .startOver(self.identity.dialect.hasStandardServices ? .vehicleChanged : .vehicleSilent, [])
        }
        guard self.addressesAllECUs(after: question, result.outcome) else {
            return .startOver(.settingsNotRestored, events)
        }
        guard !self.identification.lacksNeededVIN else { return .startOver(.vehicleSilent, events) }
        return self.identification.isHopeless ? .startOver(.vehicleUnidentified, events) : .proceed(events)
    }

    private mutating func lost(
        _ error: SessionError,
        _ question: Question,
        _ events: [SessionEvent]
    ) -> AnsweredAction {
        self.polling.custom.lost(question.destination)
        return .startOver(error, events)
    }

    mutating func errandEnded(_ errand: Errand, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let line = self.errands.remove(errand)
        if case .addressedVIN(let request) = errand { return self.vinReceived(result, to: request, at: now) }
        let answer = ErrandAnswer(result, to: errand.request, of: self.identity)
        let replies = answer.replies
        var events: [SessionEvent] = []
        switch errand {
        case .supportedPIDs(let base):
            let wasReady = self.isReady
            let action = self.identification.bitmapReceived(base, answer, at: now)
            self.polling.apply(to: self.identity)
            switch action {
            case .ask(let next): self.errands.insertUrgent(next)
            case .complete(let isNews):
                // Without the maxima some values have no scale.
                for maxima in self.identification.mapping.maximaErrands.reversed() { self.errands.insertUrgent(maxima) }
                if isNews, wasReady { self.polling.scalesChanged() }
                if isNews, self.isIdentified { events.append(.identified(self.identity)) }
            }
        case .maxima(let pid):
            switch self.identification.maximaReceived(pid, replies, at: now) {
            case .askAgain: self.errands.insertUrgent(errand)
            case .complete: if line == .idle { self.polling.scalesChanged() }
            case .lacking(let ecus, let isFirst):
                if line == .idle, !replies.isEmpty { self.polling.scalesChanged() }
                if isFirst { events.append(.unscaled(pid, ecus)) }
            }
        case .identityProof, .addressedVIN:
            self.identityWatch.proved(result, of: self.identity, at: now)
        case .vin where self.isIdentified && self.identity.proof(by: result) == .other:
            // The second VIN differs from the first, so it does not belong to this vehicle.
            self.identityWatch.doubt()
        case .vin:
            let isDamaged = answer.isDamaged || answer.isUnusable
            events += self.proceed(self.identification.vinReceived(replies, isDamaged: isDamaged), after: .vin)
        case .monitorStatus:
            if self.identity.requestsReadiness, answer.isUndamaged,
                self.identification.readinessReceived(isAnswered: !replies.isEmpty)
            {
                self.errands.insertUrgent(.monitorStatus)
            } else {
                switch self.codes.monitorsReceived(answer, from: self.identity, at: now) {
                case .none: break
                case .askAgain: self.errands.insertUrgent(.monitorStatus)
                case .answered(let news, let readsCodes):
                    // ECUs answer this request, but not the one for their identity, so the proof counts as failed.
                    if self.identityWatch.isInDoubt { self.identityWatch.failed(at: now) }
                    if readsCodes, self.errands.urgent.isEmpty { self.beginCodes() }
                    if let news { events.append(.monitors(news)) }
                    let isDue = self.identity.dialect == .j1939 && self.codes.status.readiness.isDue(at: now)
                    if isDue { self.errands.appendIdle(.readiness) }
                }
            }
        case .readiness:
            if let news = self.codes.readinessReceived(replies, at: now) { events.append(.monitors(news)) }
        case .codes(let state), .ungroupedCodes(let state):
            switch self.codes.read(state, answer, from: self.identity, at: now) {
            case .askAgain: self.errands.insertUrgent(errand)
            case .askUngrouped: self.errands.insertUrgent(.ungroupedCodes(state))
            case .lacksGroups:
                self.identification.knowsNoGroups()
                self.codes.begin()
                self.errands.insertUrgent(.codes(state))
            case .incomplete: break
            case .complete(let reading): events += self.begin(reading).map { [.codes($0)] } ?? []
            }
        case .freezeFrame:
            if case .complete(let frames) = self.frames.answered(answer, from: self.identity),
                let reading = self.codes.complete(frames)
            {
                self.frames.isUrgent = false
                events.append(.codes(reading))
            }
        case .settingsProof:
            break
        case .information(let type):
            switch self.identification.informationReceived(type, answer) {
            case .askAgain:
                self.errands.insert(errand, in: line)
            case .ask(let errands): self.errands.append(errands, in: line)
            case .proceed: break
            case .identified:
                self.errands.append([.vin], in: .idle)
                events.append(.identified(self.identity))
            }
            if !self.isReadingInformation { events.append(.identified(self.identity)) }
        case .tests:
            if case .complete(let inCycle, let tests) = self.tests.answered(answer, from: self.identity) {
                let reading = MonitorReading(
                    sinceClear: self.codes.status.latestComplete ?? [:],
                    inCycle: inCycle,
                    tests: tests,
                    time: now
                )
                self.tests.reading = reading
                events.append(.tests(reading))
            }
        }
        return events + (answer.dropped == 0 ? [] : [.dropped(answer.dropped)])
    }

    // MARK: - Codes

    /// Begins a reading of all codes and freeze frames now, before anything else.
    package mutating func readCodes() {
        self.codes.begin()
        self.errands.replaceUrgentWithCodes(isComplete: true)
        self.frames.isUrgent = true
    }

    /// The last reading of codes and freeze frames; nil during a reading.
    package var lastReading: CodeReading? {
        self.errands.hasCodes || self.frames.next != nil ? nil : self.codes.reading
    }

    private mutating func beginCodes() {
        self.codes.begin()
        self.errands.replaceUrgentWithCodes(isComplete: false)
    }

    /// Begins to read the freeze frames after the codes, if the dialect has them.
    ///
    /// - Returns: the reading to report at once; nil if a caller waits for the freeze frames too.
    private mutating func begin(_ reading: CodeReading) -> CodeReading? {
        // Freeze frames of other dialects are not read.
        let stored = self.identity.dialect == .j1979 ? reading.stored : [:]
        switch self.frames.begin(stored, isThorough: self.frames.isUrgent) {
        case .reading(let known): return self.frames.isUrgent ? nil : self.codes.complete(known)
        case .nothingToRead:
            self.frames.isUrgent = false
            return reading
        }
    }

    /// Returns the next errand that is not urgent; nil if none may be sent now.
    private func nextIdleErrand(at now: MonotonicTime, isBusy: Bool) -> Errand? {
        let bitmap = self.identification.mapping.next.flatMap { $0.time <= now ? $0.errand : nil }
        return [bitmap, self.frames.next, self.errands.idle.first].lazy.compactMap(\.self)
            .first { !isBusy || self.idleTime.isOpen($0.idleKind, at: now) }
    }

    // MARK: - On demand

    /// The last reading of the tests; nil during a reading.
    package var lastTests: MonitorReading? { self.tests.reading }

    /// Begins a reading of readiness and of all tests now, before anything else.
    package mutating func readMonitors() {
        self.errands.append([.monitorStatus] + (self.identity.dialect == .j1939 ? [.readiness] : []), in: .urgent)
        self.tests.begin(self.identity)
    }

    /// Begins a reading of all vehicle information (service 09) now, before anything else.
    package mutating func readInformation() {
        self.errands.makeInformationUrgent()
    }

    /// Whether requests of service 09 are still to be sent.
    package var isReadingInformation: Bool { self.errands.hasInformation }
}
