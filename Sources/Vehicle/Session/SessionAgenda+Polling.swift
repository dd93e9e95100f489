// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import ELM327
package import OBD2

// The polls, and the meaning of their answers.
extension SessionAgenda {
    /// Returns the question for the most overdue poll, and records its request; nil if no poll is due.
    mutating func duePoll(at now: MonotonicTime) -> Question? {
        if self.batch.isEmpty {
            guard case .ask(let item) = self.schedule.next(at: now) else { return nil }
            self.batch = [item] + self.schedule.companions(of: item, at: now)
        }
        let item = self.batch.removeFirst()
        // An adapter that may still address a single ECU gets a request whose answer shows which ECUs it addresses.
        guard case .pid(let pid) = item, self.custom.unproven == nil else {
            self.schedule.asked(item, at: now)
            return .poll(item)
        }
        let pids = self.planner.group(pid, with: self.schedule.pids(besides: pid, at: now), at: now)
        for pid in pids { self.schedule.asked(.pid(pid), at: now) }
        return pids.count > 1 ? .pids(pids) : .poll(item)
    }

    /// The measured interval of each parameter; nil before the first request.
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

    /// Returns the number of frames in the answer to a request under a lease; nil if it is not known.
    func frameCount(of request: Request) -> Int? {
        request.onlyPID.flatMap { self.custom.unproven == nil ? self.planner.frameCount(of: [$0]) : nil }
    }

    /// Learns from the result of a request under a lease as from that of a poll.
    ///
    /// - Returns: whether the answer is as usual. If it is not, a limit on the frames may have cut off an ECU.
    mutating func resultReceived(_ result: BusResult, to request: Request) -> Bool {
        guard let pid = request.onlyPID else { return true }
        let known = self.planner.answers.lengths(of: pid)
        return self.learn(pid, result).replies.mapValues(\.data.count) == known
    }

    /// Returns the events of the answers to several PIDs.
    ///
    /// A missing answer does not show that no ECU has the PID. So the PID is requested alone at once.
    mutating func polled(_ pids: [PID], _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let answer = self.planner.answered(pids, result, at: now)
        for pid in answer.missing { self.schedule.askAgain(.pid(pid)) }
        for pid in pids where !answer.missing.contains(pid) { self.schedule.answered(.pid(pid), true) }
        let (samples, dropped) = Self.samples(answer.values.map { ($0.pid, $0.ecu, $0.data) }, at: now)
        return Self.events(samples, dropped: answer.dropped + dropped)
    }

    /// Returns the values in the answers, and the number of unusable answers.
    private static func samples(
        _ answers: [(pid: PID, ecu: ECUAddress, data: [UInt8])],
        at now: MonotonicTime
    ) -> (samples: [Sample], dropped: Int) {
        var samples: [Sample] = []
        var dropped = 0
        for (pid, ecu, data) in answers {
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

    /// Whether a request may have several PIDs: on CAN, in the dialect of SAE J1979.
    var joinsPIDs: Bool { self.identity.bus.isCAN && self.identity.dialect == .j1979 }

    /// Takes over the results of the capability trials.
    package mutating func learn(_ report: AdapterReport) {
        self.planner.abilities = RequestPlanner.Abilities(
            groups: self.joinsPIDs && report.works(.multiplePIDs),
            counts: self.identity.dialect == .j1979 && report.works(.responseCount)
        )
    }

    /// Takes over the number of PIDs that this vehicle has accepted in one request before; nil: it is not known.
    mutating func learn(_ limit: GroupLimit?) {
        if let limit { self.planner.learn(limit) }
    }

    /// Records the time that a question has taken.
    ///
    /// To be called before ``answered(_:_:at:)``.
    package mutating func ended(_ question: Question, after time: Duration) {
        switch question {
        case .poll(.pid(let pid)): self.planner.requestEnded(after: time, [pid])
        case .pids(let pids): self.planner.requestEnded(after: time, pids)
        case .poll: self.planner.requestEnded(after: time, [])
        case .errand: break
        }
    }

    /// Returns the request for a question; nil if the dialect of the vehicle has none.
    package func busRequest(_ question: Question) -> BusRequest? {
        var request = self.identity.busRequest(question)
        switch question {
        case .poll(.pid(let pid)) where self.custom.unproven == nil:
            request?.frameCount = self.planner.frameCount(of: [pid])
        case .pids(let pids): request?.frameCount = self.planner.frameCount(of: pids)
        case .errand(.vin) where self.identification.asksVINQuickly: request?.isSlow = false
        case .errand(.identityProof), .errand(.addressedVIN): request?.isSlow = self.identityWatch.usesLongTimeout
        case .poll, .errand: break
        }
        return request
    }

    /// Whether the question comes before the postponed settings of the adapter, so that the first value arrives soon.
    ///
    /// Each answer fits into one frame, or is requested again if it does not arrive whole.
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
            if case .news = self.identification.valuesReceived(values, from: ecu) { isNews = true }
            samples += values.map { Sample(value: $0, ecu: ecu, time: now) }
        }
        self.schedule.answered(.group(pgn), !samples.isEmpty)
        return (samples.isEmpty ? [] : [.samples(samples)])
            + (isNews && self.isIdentified ? [.identified(self.identity)] : [])
    }

    /// Returns each ECU's values of a parameter group.
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
        let (events, isAnswered) = self.custom.polled(
            request,
            [self.selection, self.short].compactMap(\.self),
            outcome,
            at: now
        )
        self.schedule.answered(.custom(request), isAnswered)
        if self.custom.refusals != refusals { self.applySelection() }
        return events
    }

    /// Returns whether the adapter addresses all ECUs, as far as the answer to `question` shows.
    mutating func addressesAllECUs(after question: Question, _ outcome: BusOutcome) -> Bool {
        switch self.custom.questionEnded(question, outcome, of: self.identity.ecus) {
        case .proceed: return true
        case .ask:
            if self.errands.urgent.first != .settingsProof { self.errands.insertUrgent(.settingsProof) }
            return true
        case .lost: return false
        }
    }
}

extension Request {
    /// The PID, if the request is for the live data of one.
    fileprivate var onlyPID: PID? {
        self.service == .currentData && self.data.count == 1 ? PID(rawValue: self.data[0]) : nil
    }
}
