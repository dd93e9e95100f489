// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Plans the requests for parameters: the number of PIDs in each, and its frame count.
///
/// The trials must have shown that the adapter sends several PIDs and stops at a frame count. A PID joins a group with the
/// length that the standard gives to its data, where that is one length. A group with another answer ends this
/// presumption: from then on a PID must have been answered alone before it joins a group. A PID that a group does not
/// answer exactly as requested is requested alone.
struct RequestPlanner: Sendable {
    /// The observed capabilities of the adapter.
    struct Abilities: Hashable, Sendable {
        /// Whether the adapter sends requests with several PIDs.
        var groups = false
        /// Whether the adapter accepts a frame count behind a request.
        var counts = false
    }

    /// The number of requests in a row that failed with a frame count, after which no more counts are sent.
    private static let miscountLimit = 8
    /// The number of groups after which one is as large as allowed, even if smaller ones are faster.
    private static let trialInterval = 64

    var abilities = Abilities()
    private(set) var limit = GroupLimit()
    private(set) var answers: KnownAnswers
    private(set) var costs = RequestCosts()
    private var miscounts = 0
    private var groups = 0

    /// Takes over the limit of an earlier session, unless this session has sent a group already.
    mutating func learn(_ limit: GroupLimit) {
        if self.groups == 0 { self.limit = limit }
    }

    init(on bus: BusProtocol) { self.answers = KnownAnswers(on: bus) }

    /// Takes over the PIDs that the ECUs of a mapped vehicle support, with the lengths of the standard.
    mutating func presume(_ vehicle: VehicleIdentity) {
        for parameter in Parameter.catalogue {
            guard let length = parameter.length, length.lowerBound == length.upperBound else { continue }
            let ecus = vehicle.ecus.filter { $0.value.supported.contains(parameter.pid) }
            self.answers.presume(parameter.pid, ecus.mapValues { _ in length.lowerBound })
        }
    }

    // MARK: - Requests

    /// Returns the PIDs for one request: `first`, and as many of `others` as make the best use of the link.
    ///
    /// - Parameter others: the PIDs that are due now or soon, in their order.
    func group(_ first: PID, with others: [PID], at now: MonotonicTime) -> [PID] {
        guard self.abilities.groups, self.limit.current > 1, self.answers.joins(first, at: now) else { return [first] }
        let pids = [first] + others.lazy.filter { self.answers.joins($0, at: now) }.prefix(self.limit.current - 1)
        guard pids.count > 1, !self.groups.isMultiple(of: Self.trialInterval) else { return pids }
        var best = (count: 1, rate: 0.0)
        var expectation = KnownAnswers.Expectation()
        for (count, pid) in zip(1..., pids) {
            self.answers.add(pid, to: &expectation)
            guard let time = self.costs.time(of: self.kind(of: expectation)) else { return pids }
            let rate = Double(count) / time.seconds
            if rate >= best.rate { best = (count, rate) }
        }
        return Array(pids.prefix(best.count))
    }

    /// Returns the number of frames that the adapter has to wait for; nil to send no frame count.
    func frameCount(of pids: [PID]) -> Int? { self.frameCount(of: self.answers.expectation(of: pids)) }

    private func frameCount(of expectation: KnownAnswers.Expectation) -> Int? {
        guard self.abilities.counts, self.miscounts < Self.miscountLimit else { return nil }
        return self.answers.frameCount(of: expectation)
    }

    private func kind(of expectation: KnownAnswers.Expectation) -> RequestCosts.Class {
        RequestCosts.class(
            length: self.answers.printedLength(of: expectation),
            isCounted: self.frameCount(of: expectation) != nil
        )
    }

    /// Returns the time on the link for one parameter; nil before the first measurement.
    func share(isGrouped: Bool) -> Duration? {
        self.costs.share(limit: self.abilities.groups && isGrouped ? self.limit.current : 1)
    }

    // MARK: - Answers

    /// Records the duration of a request for `pids`; empty for a request of another kind.
    ///
    /// To be called before the answer is recorded.
    mutating func requestEnded(after time: Duration, _ pids: [PID]) {
        let isKnown = !pids.isEmpty && pids.allSatisfy(self.answers.knows)
        let kind = isKnown ? self.kind(of: self.answers.expectation(of: pids)) : nil
        self.costs.requestEnded(after: time, count: max(1, pids.count), kind)
    }

    /// Records the answers to a request for one PID, by their lengths.
    mutating func answered(_ pid: PID, _ lengths: KnownAnswers.Lengths, _ result: BusResult) {
        let isCounted = self.wasCounted([pid], result)
        let isWhole = result.dropped == 0 && !lengths.isEmpty
        let isFirst = !self.answers.knows(pid)
        if isWhole, !isFirst, lengths == self.answers.lengths(of: pid) {
            self.answers.matched([pid], isCounted: isCounted)
        } else if isCounted {
            self.answers.mismatched([pid])
        }
        if isWhole {
            self.answers.pidAnswered(pid, lengths, isCounted: isCounted)
            // The first answer had no expected shape. Without a frame count it shows the complete number of frames.
            if isFirst, !isCounted { self.answers.matched([pid], isCounted: false) }
            self.limit.succeeded(1)
        } else {
            self.answers.doubt(pid)
        }
    }

    /// Records the answer to a request for several PIDs, and returns it by ECU and PID.
    ///
    /// - Returns: the values of the ECUs that answered exactly as requested, the PIDs to request alone, and the number
    ///   of unusable messages.
    mutating func answered(_ pids: [PID], _ result: BusResult, at now: MonotonicTime) -> GroupAnswer {
        self.groups += 1
        let isCounted = self.wasCounted(pids, result)
        let answer = GroupAnswer(result, to: pids, self.answers)
        guard !answer.missing.isEmpty || answer.isStrange || result.dropped > 0 else {
            self.answers.matched(pids, isCounted: isCounted)
            self.answers.groupAnswered(pids, isCounted: isCounted)
            self.limit.succeeded(pids.count)
            return answer
        }
        guard !self.answers.withdrawPresumptions(after: pids) else { return answer }
        self.answers.mismatched(pids)
        if answer.isStrange {
            // An ECU answers that did not before, so the answers to expect have to be observed again.
            self.answers.forgetShapes()
            for pid in pids { self.answers.doubt(pid) }
        }
        for pid in answer.missing { self.answers.strike(pid, at: now) }
        if !answer.missing.isEmpty { self.limit.refused(pids.count, taken: answer.taken) }
        return answer
    }

    /// Whether the request had a frame count, and was not repeated without it.
    private mutating func wasCounted(_ pids: [PID], _ result: BusResult) -> Bool {
        guard self.frameCount(of: pids) != nil else { return false }
        guard result.isMiscounted else {
            self.miscounts = 0
            return true
        }
        self.miscounts += 1
        self.answers.mismatched(pids)
        return false
    }
}
