// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import ELM327
package import OBD2

// What the answers to polls mean.
extension SessionStateMachine {
    /// The question for what is due, which counts as asked; nil where nothing is.
    mutating func duePoll(at now: MonotonicTime) -> Question? {
        if self.batch.isEmpty {
            guard case .ask(let item) = self.schedule.next(at: now) else { return nil }
            self.batch = [item] + self.schedule.companions(of: item, at: now)
        }
        let item = self.batch.removeFirst()
        // An adapter that may still be turned to one ECU is asked for what proves where it is turned to.
        guard case .pid(let pid) = item, self.custom.unproven == nil else {
            self.schedule.asked(item, at: now)
            return .poll(item)
        }
        let pids = self.planner.group(pid, with: self.schedule.pids(besides: pid, at: now), at: now)
        for pid in pids { self.schedule.asked(.pid(pid), at: now) }
        return pids.count > 1 ? .pids(pids) : .poll(item)
    }

    /// How often each parameter is really read, as far as the requests so far tell; nil until there was one.
    package var achieved: [ParameterKey: Duration]? {
        guard let alone = self.planner.costs.mean, let shared = self.planner.share(isGrouped: self.joinsPIDs) else {
            return nil
        }
        let achieved = self.schedule.achieved { if case .pid = $0 { shared } else { alone } }
        return self.selection.intervals.keys.reduce(into: [:]) { intervals, key in
            intervals[key] = self.item(for: key).flatMap { achieved[$0] }
        }
    }

    mutating func polled(_ pid: PID, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let answer = self.learn(pid, result)
        let replies = answer.replies.sorted { $0.key < $1.key }
        let (samples, dropped) = Self.samples(replies.map { (pid, $0.key, $0.value.data) }, at: now)
        self.schedule.answered(.pid(pid), !samples.isEmpty || answer.dropped + dropped > 0)
        return Self.events(samples, dropped: answer.dropped + dropped)
    }

    private mutating func learn(_ pid: PID, _ result: BusResult) -> ErrandAnswer {
        let answer = ErrandAnswer(result, to: .currentData(pid), of: self.identity)
        self.planner.answered(pid, answer.replies.mapValues(\.data.count), result)
        return answer
    }

    /// How many frames the answer has that somebody reads besides the polls, where that is known well.
    func frameCount(of request: Request) -> Int? {
        request.onlyPID.flatMap { self.custom.unproven == nil ? self.planner.frameCount(of: [$0]) : nil }
    }

    /// Somebody has read this besides the polls, which teaches as much as a poll.
    ///
    /// - Returns: whether it is what it always is; where it is not, and frames were counted, somebody may be cut off.
    mutating func heard(_ result: BusResult, to request: Request) -> Bool {
        guard let pid = request.onlyPID else { return true }
        let known = self.planner.answers.lengths(of: pid)
        return self.learn(pid, result).replies.mapValues(\.data.count) == known
    }

    /// What does not come as it was asked for is asked for alone at once.
    ///
    /// That it does not come says nothing about whether an ECU has it.
    mutating func polled(_ pids: [PID], _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let answer = self.planner.answered(pids, result, at: now)
        for pid in answer.missing { self.schedule.askAgain(.pid(pid)) }
        for pid in pids where !answer.missing.contains(pid) { self.schedule.answered(.pid(pid), true) }
        let (samples, dropped) = Self.samples(answer.values.map { ($0.pid, $0.ecu, $0.data) }, at: now)
        return Self.events(samples, dropped: answer.dropped + dropped)
    }

    /// The values in what ECUs told, and how much of it is none.
    private static func samples(
        _ told: [(pid: PID, ecu: ECUAddress, data: [UInt8])],
        at now: MonotonicTime
    ) -> (samples: [Sample], dropped: Int) {
        var samples: [Sample] = []
        var dropped = 0
        for (pid, ecu, data) in told {
            let take = { samples.append(Sample(value: $0, ecu: ecu, time: now)) }
            guard let parameter = Parameter.withPID(pid), !parameter.isSentinel(data),
                (try? parameter.decode(data.span, take)) != nil
            else {
                dropped += 1
                continue
            }
        }
        return (samples, dropped)
    }

    private static func events(_ samples: [Sample], dropped: Int) -> [SessionEvent] {
        (samples.isEmpty ? [] : [.samples(samples)]) + (dropped == 0 ? [] : [.dropped(dropped)])
    }

    /// Whether more than one PID may go into a request: on CAN, in the words of SAE J1979.
    var joinsPIDs: Bool { self.identity.bus.isCAN && self.identity.dialect == .j1979 }

    /// What the adapter was seen to do.
    package mutating func learn(_ report: AdapterReport) {
        self.planner.abilities = RequestPlanner.Abilities(
            groups: self.joinsPIDs && report.works(.multiplePIDs),
            counts: self.identity.dialect == .j1979 && report.works(.responseCount)
        )
    }

    /// How many PIDs this vehicle took in one request before; nil where nobody knows.
    mutating func learn(_ limit: GroupLimit?) {
        if let limit { self.planner.learn(limit) }
    }

    /// A question took `time`; told before its answer is.
    package mutating func took(_ time: Duration, _ question: Question) {
        switch question {
        case .poll(.pid(let pid)): self.planner.took(time, [pid])
        case .pids(let pids): self.planner.took(time, pids)
        case .poll: self.planner.took(time, [])
        case .errand: break
        }
    }

    /// What asks `question` of this vehicle; nil where its dialect has no such question.
    package func busRequest(_ question: Question) -> BusRequest? {
        var request = self.identity.busRequest(question)
        switch question {
        case .poll(.pid(let pid)) where self.custom.unproven == nil:
            request?.frameCount = self.planner.frameCount(of: [pid])
        case .pids(let pids): request?.frameCount = self.planner.frameCount(of: pids)
        case .errand(.vin) where self.identification.asksVINQuickly: request?.isSlow = false
        case .errand(.identityProof): request?.isSlow = self.identityWatch.isPatient
        case .poll, .errand: break
        }
        return request
    }

    /// Whether `question` is one of the few that have to be answered before there is something to see.
    ///
    /// Each fits into one frame, or is asked again where it does not arrive whole.
    func comesFirst(_ question: Question) -> Bool {
        switch question {
        case .errand(.vin): self.identification.asksVINQuickly
        case .poll(.pid): !self.isReady
        default: false
        }
    }

    mutating func polled(_ pgn: PGN, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        var samples: [Sample] = []
        var isNews = false
        for (ecu, values) in self.values(of: pgn, result.outcome).sorted(by: { $0.key < $1.key }) {
            if case .news = self.identification.heard(values, from: ecu) { isNews = true }
            samples += values.map { Sample(value: $0, ecu: ecu, time: now) }
        }
        self.schedule.answered(.group(pgn), !samples.isEmpty)
        return (samples.isEmpty ? [] : [.samples(samples)])
            + (isNews && self.isIdentified ? [.identified(self.identity)] : [])
    }

    /// What each ECU told of a parameter group.
    func values(of pgn: PGN, _ outcome: BusOutcome) -> [ECUAddress: [FieldValue]] {
        guard let group = ParameterGroup.withPGN(pgn), case .answered(let answers) = outcome else { return [:] }
        return answers.compactMapValues { answer in
            guard case .positive(let messages) = answer, let message = messages.last else { return nil }
            return group.decode(Array(message.dropFirst(pgn.bytes.count)))
        }
    }

    mutating func polled(
        _ request: CustomRequest,
        _ outcome: BusOutcome,
        at now: MonotonicTime
    ) -> [SessionEvent] {
        let refusals = self.custom.refusals
        let (events, isAnswered) = self.custom.polled(request, self.selection, outcome, at: now)
        self.schedule.answered(.custom(request), isAnswered)
        if self.custom.refusals != refusals { self.applySelection() }
        return events
    }

    /// Whether the adapter asks everybody, as far as the answer to `question` can tell.
    mutating func isSettled(_ question: Question, _ outcome: BusOutcome) -> Bool {
        switch self.custom.heard(question, outcome, of: self.identity.ecus) {
        case .settled: return true
        case .ask:
            if self.urgent.first != .settingsProof { self.urgent.insert(.settingsProof, at: 0) }
            return true
        case .lost: return false
        }
    }
}

extension Request {
    /// The PID where it asks for live data of one.
    fileprivate var onlyPID: PID? {
        self.service == .currentData && self.data.count == 1 ? PID(rawValue: self.data[0]) : nil
    }
}
