// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// How parameters are asked for: how many at once, and with what count of frames.
///
/// Nothing is assumed. An adapter must have been seen to ask for several PIDs and to stop at a count; a PID must have
/// been answered alone before it is asked together with others; what does not come back exactly as it was asked for is
/// asked for alone.
struct RequestPlanner: Sendable {
    /// What the adapter was seen to do.
    struct Abilities: Hashable, Sendable {
        /// More than one PID in a request.
        var groups = false
        /// The count of frames behind a request.
        var counts = false
    }

    /// How often in a row the adapter may not do with a count before it is told none any more.
    private static let miscountLimit = 8
    /// One of so many requests is as large as it may be, whatever smaller ones cost.
    private static let trialInterval = 64

    var abilities = Abilities()
    private(set) var limit = GroupLimit()
    private(set) var answers: KnownAnswers
    private(set) var costs = RequestCosts()
    private var miscounts = 0
    private var groups = 0

    /// What an earlier session found out; what this one has found out is newer.
    mutating func learn(_ limit: GroupLimit) {
        if self.groups == 0 { self.limit = limit }
    }

    init(on bus: BusProtocol) { self.answers = KnownAnswers(on: bus) }

    // MARK: - Asking

    /// The PIDs to ask for in one request: `first`, and of `others` as many as make the best use of the link.
    ///
    /// - Parameter others: those that are due now or soon, in their order.
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

    /// How many frames to tell the adapter to wait for; nil to let it find out.
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

    /// What one parameter takes of the link's time; nil until one was read.
    func share(isGrouped: Bool) -> Duration? {
        self.costs.share(limit: self.abilities.groups && isGrouped ? self.limit.current : 1)
    }

    // MARK: - Answers

    /// A request for `pids`, or for something else where there are none, took `time`; told before its answer is.
    mutating func took(_ time: Duration, _ pids: [PID]) {
        let isKnown = !pids.isEmpty && pids.allSatisfy(self.answers.knows)
        let kind = isKnown ? self.kind(of: self.answers.expectation(of: pids)) : nil
        self.costs.took(time, count: max(1, pids.count), kind)
    }

    /// One PID was asked for, and answered with so many bytes.
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
            self.answers.saw(pid, lengths, isCounted: isCounted)
            // Nothing was expected of it, but it shows how many frames these ECUs answer when they are not cut off.
            if isFirst, !isCounted { self.answers.matched([pid], isCounted: false) }
            self.limit.succeeded(1)
        } else {
            self.answers.doubt(pid)
        }
    }

    /// Several PIDs were asked for.
    ///
    /// - Returns: what each ECU told, of those that told exactly what they were asked for; the PIDs that are to be asked
    ///   for alone; and how many messages are of no use.
    mutating func answered(_ pids: [PID], _ result: BusResult, at now: MonotonicTime) -> GroupAnswer {
        self.groups += 1
        let isCounted = self.wasCounted(pids, result)
        let answer = GroupAnswer(result, to: pids, self.answers)
        guard !answer.missing.isEmpty || answer.isStrange || result.dropped > 0 else {
            self.answers.matched(pids, isCounted: isCounted)
            self.answers.saw(pids, isCounted: isCounted)
            self.limit.succeeded(pids.count)
            return answer
        }
        self.answers.mismatched(pids)
        if answer.isStrange {
            // Somebody answers who did not before: who answers what is found out anew.
            self.answers.forgetShapes()
            for pid in pids { self.answers.doubt(pid) }
        }
        for pid in answer.missing { self.answers.strike(pid, at: now) }
        if !answer.missing.isEmpty { self.limit.refused(pids.count, taken: answer.taken) }
        return answer
    }

    /// Whether the adapter was told a count, and did with it.
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
