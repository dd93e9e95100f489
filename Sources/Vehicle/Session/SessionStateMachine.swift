// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// What a connected vehicle is asked, in which order, and what its answers mean.
///
/// The VIN comes first and then one poll, so that there is something to see at once; then what else identifies the
/// vehicle, the codes, and the polling. Vehicle information that takes an ECU long is asked when nothing else is due. A
/// machine: times and answers in, requests and events out.
package struct SessionStateMachine: Sendable {
    /// After so many requests in a row without any answer PID 01 is asked, and the vehicle is gone if it is silent too.
    static let silenceLimit = 4
    /// How many polls may go before what is asked at leisure, on a link that never has any.
    static let leisureLimit = 25
    /// How many go before what makes them faster, on such a link.
    static let payingTrialLimit = 5

    var identification: Identification
    private var codes = CodeWatch()
    private var frames = FreezeFrameReader()
    /// Whether somebody waits for the freeze frames.
    private var framesAreUrgent = false
    private var tests = MonitorReader()
    /// What the tests came to when they were read last.
    package private(set) var lastTests: MonitorReading?
    /// Custom parameters, and how far the adapter was turned for them.
    var custom: CustomPolling
    var selection: Selection
    var schedule = PollSchedule()
    var planner: RequestPlanner
    /// Asked before anything is polled.
    var urgent: [Errand] = []
    /// Asked before anything else is polled, once something was.
    private var afterFirstPoll: [Errand] = []
    /// Asked when nothing is due.
    private var leisure: [Errand] = []
    /// Custom requests that follow the one before, to the same destination.
    var batch: [PollItem] = []
    private var silences = 0
    /// Whether the vehicle is still the one that was identified.
    var identityWatch = IdentityWatch()
    private var pollsSinceLeisure = 0
    /// Whether there is something to find out about the adapter when there is time.
    package var hasTrials = false
    /// Whether what there is to find out makes the polling faster.
    package var trialsPay = false

    /// The vehicle as far as it is known.
    package var identity: VehicleIdentity { self.identification.identity }
    /// Whether the VIN was asked, so that it is known which vehicle this is, or that it does not tell.
    package var isIdentified: Bool { self.identification.isIdentified }
    /// Whether it is also known what it supports, so that others can ask it.
    package var isReady: Bool { self.isIdentified && self.identity.isMapped }
    /// Whether nothing may be asked before the vehicle has proved its identity.
    var isInDoubt: Bool { self.identityWatch.isInDoubt && self.silences < Self.silenceLimit && self.canProve }

    /// - Parameters:
    ///   - report: what start-up found; its ECUs have answered PID 00.
    ///   - custom: the custom parameters, by name.
    ///   - refusals: whom this adapter can't ask, as was seen before.
    package init(
        _ report: AdapterReport,
        selection: Selection,
        custom: [String: CustomParameter] = [:],
        refusals: Set<Destination> = []
    ) {
        self.identification = Identification(report)
        self.custom = CustomPolling(custom, refusals: refusals)
        self.planner = RequestPlanner(on: report.bus)
        self.selection = selection
        self.urgent = [.vin]
        self.afterFirstPoll = [.monitorStatus] + CodeState.allCases.map(Errand.codes)
        if self.identity.dialect == .j1939 {
            self.leisure = [.information(.ecuName)]
        } else {
            // PID 00 once more: an ECU whose answer was damaged during start-up would not be missed otherwise.
            self.afterFirstPoll.insert(.supportedPIDs(0x00), at: 0)
            self.leisure = [.information(.supported)]
        }
        self.applySelection()
    }

    // MARK: - Asking

    package enum NextAction: Hashable, Sendable {
        case ask(Question)
        /// Try out what the adapter can do.
        case tryAdapter
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
    }

    /// What to do now.
    package mutating func next(at now: MonotonicTime) -> NextAction {
        let action = self.nextWish(at: now)
        // A poll proves the adapter's settings by itself; nothing else waits, or is found out, before they are proved.
        switch action {
        case .ask(.poll), .ask(.pids): return action
        case .ask, .tryAdapter, .wait: break
        }
        return self.custom.unproven == nil ? action : .ask(.errand(.settingsProof))
    }

    private mutating func nextWish(at now: MonotonicTime) -> NextAction {
        if self.isInDoubt { return .ask(.errand(self.identity.proofErrand)) }
        if let errand = self.urgent.first ?? (self.framesAreUrgent ? self.frames.next : nil) ?? self.tests.next {
            return .ask(.errand(errand))
        }
        if !self.batch.isEmpty, let question = self.duePoll(at: now) { return .ask(question) }
        if !self.afterFirstPoll.isEmpty {
            self.urgent = self.afterFirstPoll
            self.afterFirstPoll = []
            return self.duePoll(at: now).map(NextAction.ask) ?? self.nextWish(at: now)
        }
        let nextProof = self.nextProof(at: now)
        if nextProof <= now { return .ask(.errand(self.identity.proofErrand)) }
        let nextLook = min(self.codes.nextLook(at: now), nextProof)
        if nextLook <= now { return .ask(.errand(.monitorStatus)) }
        let next = self.schedule.next(at: now)
        let hasLeisure = self.atLeisure != nil || self.hasTrials
        let triesNow = self.hasTrials && self.trialsPay
        let limit = triesNow ? Self.payingTrialLimit : Self.leisureLimit
        if case .ask = next, !hasLeisure || self.pollsSinceLeisure < limit, let question = self.duePoll(at: now) {
            self.pollsSinceLeisure += 1
            return .ask(question)
        }
        if case .ask = next, triesNow {
            self.pollsSinceLeisure = 0
            return .tryAdapter
        }
        if let errand = self.atLeisure {
            self.pollsSinceLeisure = 0
            return .ask(.errand(errand))
        }
        if self.hasTrials {
            self.pollsSinceLeisure = 0
            return .tryAdapter
        }
        guard case .wait(let due) = next else { return .wait(until: nextLook) }
        return .wait(until: min(due, nextLook))
    }

    // MARK: - Answers

    package enum AnsweredAction: Sendable {
        case proceed([SessionEvent])
        /// The session is over, and a new one has to be begun.
        case startOver(SessionError, [SessionEvent])
    }

    /// `question` ended with `result`.
    package mutating func answered(
        _ question: Question,
        _ result: BusResult,
        at now: MonotonicTime
    ) -> AnsweredAction {
        var events: [SessionEvent] = []
        if result.dropped > 0 { events.append(.dropped(result.dropped)) }
        switch result.outcome {
        case .adapterRestarted: return self.lost(.adapterRestarted, question, events)
        case .adapterSilent: return self.lost(.adapterSilent, question, events)
        case .adapterUnsettled: return self.lost(.adapterUnsettled, question, events)
        case .answered(let answers):
            self.silences = 0
            // Who answers only when asked alone is no ECU of OBD's.
            if question.destination == nil, case .ask(let errand) = self.identification.met(answers),
                !self.urgent.contains(errand)
            {
                self.urgent.append(errand)
                self.identityWatch.doubt()
            }
        case .noData, .busUnavailable, .unusable, .refused, .withdrawn:
            self.noteSilence(question, result.outcome)
            guard !self.isGone(question) else { return .startOver(.vehicleSilent, events) }
        }
        switch question {
        case .poll(.pid(let pid)): events += self.polled(pid, result, at: now)
        case .pids(let pids): events += self.polled(pids, result, at: now)
        case .poll(.group(let pgn)): events += self.polled(pgn, result, at: now)
        case .poll(.custom(let request)): events += self.polled(request, result.outcome, at: now)
        case .errand(let errand): events += self.ran(errand, result, at: now)
        }
        self.lookForMoves(events, at: now)
        guard !self.identityWatch.isLost else { return .startOver(.vehicleChanged, []) }
        guard self.isSettled(question, result.outcome) else { return .startOver(.adapterUnsettled, events) }
        return self.identification.isHopeless ? .startOver(.vehicleUnidentified, events) : .proceed(events)
    }

    private mutating func lost(
        _ error: SessionError,
        _ question: Question,
        _ events: [SessionEvent]
    ) -> AnsweredAction {
        self.custom.lost(question.destination)
        return .startOver(error, events)
    }

    /// A request without an answer: of one parameter it says little, of many in a row and PID 01 it says all.
    private mutating func isGone(_ question: Question) -> Bool {
        switch question {
        case .errand(.monitorStatus):
            self.silences += 1
            return self.silences > Self.silenceLimit
        case .poll(let item):
            // One ECU that is asked alone says nothing about the vehicle.
            guard item.destination == nil else { return false }
            return self.countSilence()
        case .pids:
            return self.countSilence()
        case .errand(.identityProof) where self.identityWatch.isInDoubt:
            return self.countSilence()
        case .errand:
            // What a vehicle need not have.
            return false
        }
    }

    private mutating func countSilence() -> Bool {
        self.silences += 1
        if self.silences == Self.silenceLimit { self.urgent.insert(.monitorStatus, at: 0) }
        return false
    }

    private mutating func ran(_ errand: Errand, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let wasUrgent = self.urgent.first == errand
        if wasUrgent {
            self.urgent.removeFirst()
        } else if self.leisure.first == errand {
            self.leisure.removeFirst()
        }
        let answer = ErrandAnswer(result, to: errand.request, of: self.identity)
        let replies = answer.replies
        var events: [SessionEvent] = []
        switch errand {
        case .supportedPIDs(let base):
            let action = self.identification.merge(base: base, replies)
            self.applySelection()
            switch action {
            case .ask(let next): self.urgent.insert(next, at: 0)
            case .complete: if self.isIdentified { events.append(.identified(self.identity)) }
            }
        case .identityProof:
            self.proved(result, at: now)
        case .vin where self.isIdentified && self.identity.proof(by: result) == .other:
            // Asked again, and another one: what it says is not taken for this vehicle's.
            self.identityWatch.doubt()
        case .vin:
            switch self.identification.told(vin: replies, isDamaged: answer.isDamaged || answer.isUnusable) {
            case .askAgain: self.urgent.insert(.vin, at: 0)
            case .ask(let other):
                // All of its ECUs are needed to tell it from others.
                self.urgent += self.afterFirstPoll.filter(\.isBitmap) + [other]
                self.afterFirstPoll.removeAll(where: \.isBitmap)
            case .identified(let asksLater):
                if asksLater { self.leisure.append(.vin) }
                events.append(.identified(self.identity))
            }
        case .monitorStatus:
            if case .heard(let monitors, let isNews, let readsCodes) = self.codes.looked(replies, at: now) {
                // ECUs answer this, and not the question who they are.
                if self.identityWatch.isInDoubt { self.identityWatch.failed(at: now) }
                if readsCodes, self.urgent.isEmpty { self.askCodes() }
                if isNews { events.append(.monitors(monitors)) }
            }
        case .codes where self.identity.dialect == .j1979Part2 && self.identity.knowsGroups && replies.isEmpty:
            self.identification.knowsNoGroups()
            self.urgent.insert(errand, at: 0)
        case .codes(let state):
            switch self.codes.read(state, answer, from: self.identity, at: now) {
            case .askAgain: self.urgent.insert(errand, at: 0)
            case .incomplete: break
            case .complete(let reading): events += self.begin(reading).map { [.codes($0)] } ?? []
            }
        case .freezeFrame:
            if case .complete(let frames) = self.frames.answered(answer, from: self.identity),
                let reading = self.codes.complete(frames)
            {
                self.framesAreUrgent = false
                events.append(.codes(reading))
            }
        case .settingsProof:
            break
        case .information(let type):
            switch self.identification.told(type, answer) {
            case .askAgain:
                if wasUrgent { self.urgent.insert(errand, at: 0) } else { self.leisure.insert(errand, at: 0) }
            case .ask(let errands): if wasUrgent { self.urgent += errands } else { self.leisure += errands }
            case .proceed: break
            case .identified:
                self.leisure.append(.vin)
                events.append(.identified(self.identity))
            }
            if !self.isReadingInformation { events.append(.identified(self.identity)) }
        case .tests:
            if case .complete(let inCycle, let tests) = self.tests.answered(answer, from: self.identity) {
                let reading = MonitorReading(
                    sinceClear: self.codes.presentMonitors,
                    inCycle: inCycle,
                    tests: tests,
                    time: now
                )
                self.lastTests = reading
                events.append(.tests(reading))
            }
        }
        return events + (answer.dropped == 0 ? [] : [.dropped(answer.dropped)])
    }

    // MARK: - Codes

    /// Begins a reading of all codes and freeze frames now, before anything else.
    package mutating func readCodes() {
        let others = self.urgent.filter(\.isBitmap)
        self.askCodes()
        self.urgent = [.monitorStatus] + self.urgent + others
        self.framesAreUrgent = true
    }

    /// The codes and freeze frames that were read last; nil while a reading is going on.
    package var lastReading: CodeReading? {
        let isGoingOn = self.urgent.contains { if case .codes = $0 { true } else { false } } || self.frames.next != nil
        return isGoingOn ? nil : self.codes.reading
    }

    private mutating func askCodes() {
        self.codes.begin()
        self.urgent = CodeState.allCases.map(Errand.codes)
    }

    /// The codes were read: now it is the turn of the freeze frames, where there can be some.
    ///
    /// - Returns: what to tell at once; nil where somebody waits for the whole.
    private mutating func begin(_ reading: CodeReading) -> CodeReading? {
        // Freeze frames of other dialects are not read.
        let stored = self.identity.dialect == .j1979 ? reading.stored : [:]
        switch self.frames.begin(stored, isThorough: self.framesAreUrgent) {
        case .reading(let known): return self.framesAreUrgent ? nil : self.codes.complete(known)
        case .nothingToRead:
            self.framesAreUrgent = false
            return reading
        }
    }

    /// What is asked when nothing is due.
    private var atLeisure: Errand? { self.leisure.first ?? self.frames.next }

    // MARK: - On demand

    /// Begins a reading of readiness and of all tests now, before anything else.
    package mutating func readMonitors() {
        self.lastTests = nil
        self.urgent.append(.monitorStatus)
        self.tests.begin(self.identity)
    }

    /// Begins a reading of all that service 09 tells now, before anything else.
    package mutating func readInformation() {
        self.leisure.removeAll(where: Self.isInformation)
        self.urgent += [.vin, .information(.supported)]
    }

    /// Whether something of service 09 is still to be asked.
    package var isReadingInformation: Bool { (self.urgent + self.leisure).contains(where: Self.isInformation) }

    private static func isInformation(_ errand: Errand) -> Bool {
        switch errand {
        case .vin, .information: true
        default: false
        }
    }
}
