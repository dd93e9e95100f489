// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// The meaning of the answers to polls.
extension PollPlan {
    /// Returns the events of the answer to one PID.
    ///
    /// - Parameter awaitsMaxima: whether the bitmaps or the maxima that scale some values are still to be read.
    mutating func polled(
        _ pid: PID,
        _ result: BusResult,
        of vehicle: VehicleIdentity,
        awaitsMaxima: Bool,
        at now: MonotonicTime
    ) -> [SessionEvent] {
        let answer = self.learn(pid, result, of: vehicle)
        let replies = answer.replies.sorted { $0.key < $1.key }
        let values = Self.values(of: replies.map { (pid, $0.key, $0.value.data) }, of: vehicle, at: now)
        self.schedule.answered(.pid(pid), !values.samples.isEmpty || answer.dropped + values.dropped > 0)
        if awaitsMaxima { self.askAgain(values.unscaled) }
        return Self.events(values.samples, dropped: answer.dropped + values.dropped)
    }

    /// Requests at once the values whose scale may have been unknown until now, also those that were put aside.
    mutating func scalesChanged() {
        self.askAgain(Set(Parameter.catalogue.lazy.filter(\.dependsOnECU).map(\.pid)))
    }

    /// Requests at once what an ECU has answered before its scales were known.
    private mutating func askAgain(_ pids: Set<PID>) {
        for pid in pids {
            self.schedule.answered(.pid(pid), true)
            self.schedule.askAgain(.pid(pid))
        }
    }

    private mutating func learn(_ pid: PID, _ result: BusResult, of vehicle: VehicleIdentity) -> ErrandAnswer {
        let answer = ErrandAnswer(result, to: .currentData(pid), of: vehicle)
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
    mutating func resultReceived(_ result: BusResult, to request: Request, of vehicle: VehicleIdentity) -> Bool {
        guard let pid = request.onlyPID else { return true }
        let known = self.planner.answers.lengths(of: pid)
        return self.learn(pid, result, of: vehicle).replies.mapValues(\.data.count) == known
    }

    /// Returns the events of the answers to several PIDs.
    ///
    /// A missing answer does not show that no ECU has the PID. So the PID is requested alone at once.
    ///
    /// - Parameter awaitsMaxima: whether the bitmaps or the maxima that scale some values are still to be read.
    mutating func polled(
        _ pids: [PID],
        _ result: BusResult,
        of vehicle: VehicleIdentity,
        awaitsMaxima: Bool,
        at now: MonotonicTime
    ) -> [SessionEvent] {
        let answer = self.planner.answered(pids, result, at: now)
        for pid in answer.missing { self.schedule.askAgain(.pid(pid)) }
        for pid in pids where !answer.missing.contains(pid) { self.schedule.answered(.pid(pid), true) }
        let values = Self.values(of: answer.values.map { ($0.pid, $0.ecu, $0.data) }, of: vehicle, at: now)
        if awaitsMaxima { self.askAgain(values.unscaled) }
        return Self.events(values.samples, dropped: answer.dropped + values.dropped)
    }

    /// Returns the values in the answers, the number of unusable answers, and the PIDs whose scale is not known.
    private static func values(
        of answers: [(pid: PID, ecu: ECUAddress, data: [UInt8])],
        of vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> (samples: [Sample], dropped: Int, unscaled: Set<PID>) {
        var samples: [Sample] = []
        var dropped = 0
        var unscaled: Set<PID> = []
        for (pid, ecu, data) in answers {
            let take = { samples.append(Sample(value: $0, ecu: ecu, time: now)) }
            let count = samples.count
            guard let parameter = Parameter.withPID(pid), !parameter.isSentinel(data),
                (try? Self.decode(data, parameter, vehicle, ecu, take)) != nil
            else {
                dropped += 1
                continue
            }
            if parameter.dependsOnECU, samples.count == count { unscaled.insert(pid) }
        }
        return (samples, dropped, unscaled)
    }

    private static func decode(
        _ data: [UInt8],
        _ parameter: Parameter,
        _ vehicle: VehicleIdentity,
        _ ecu: ECUAddress,
        _ take: (FieldValue) -> Void
    ) throws(DecodingError) {
        // Most data mean the same in every ECU.
        guard parameter.dependsOnECU else { return try parameter.decode(data.span, take) }
        let conventions = vehicle.conventions(of: ecu)
        try (conventions.parameter(of: parameter.pid) ?? parameter)
            .decode(data.span, scaling: conventions.scaling, take)
    }

    private static func events(_ samples: [Sample], dropped: Int) -> [SessionEvent] {
        (samples.isEmpty ? [] : [.samples(samples)]) + (dropped == 0 ? [] : [.dropped(dropped)])
    }

    /// Returns each ECU's values of a parameter group.
    static func values(of pgn: PGN, _ outcome: BusOutcome) -> [ECUAddress: [FieldValue]] {
        guard let group = ParameterGroup.withPGN(pgn), case .answered(let answers) = outcome else { return [:] }
        return answers.compactMapValues { answer in
            guard case .positive(let messages) = answer, let message = messages.last else { return nil }
            return group.decode(Array(message.dropFirst(pgn.bytes.count)))
        }
    }

    /// Returns the events of the answer to a custom request.
    ///
    /// A request that no ECU answers, or whose data the ECUs do not have, is put aside for the drive. A vehicle without
    /// standard services shows by the silence of its ECUs that it is gone, so nothing is put aside there.
    mutating func polled(
        _ request: CustomRequest,
        _ outcome: BusOutcome,
        of vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> [SessionEvent] {
        let refusals = self.custom.refusals
        let (events, isAnswered) = self.custom.polled(
            request,
            Set(self.polledIntervals.keys).union(self.selection.intervals.keys),
            outcome,
            at: now
        )
        let item = PollItem.custom(request)
        switch outcome {
        case _ where isAnswered: self.schedule.answered(item, true)
        case .answered(let answers) where answers.values.allSatisfy(\.isBusy): break
        case .answered(let answers) where answers.values.allSatisfy(\.lacksData) && vehicle.dialect.hasStandardServices:
            self.schedule.refused(item)
        case .noData where vehicle.dialect.hasStandardServices: self.schedule.answered(item, false)
        default: self.schedule.postponed(item)
        }
        if self.custom.refusals != refusals { self.apply(to: vehicle) }
        return events
    }

    /// Takes over the outcome of a question for the visits to ECUs.
    ///
    /// - Returns: the ECU that has just been put aside because it is silent, and the selected parameters that it should
    ///   have; nil if there is none.
    mutating func questionEnded(
        _ question: SessionAgenda.Question,
        _ outcome: BusOutcome,
        of vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> (destination: Destination, parameters: [String])? {
        let isSilence = outcome == .noData
        // The VIN is requested from ECUs that need not have it.
        let isPoll = if case .poll = question { true } else { false }
        let isTold = !isSilence || isPoll && vehicle.dialect.hasStandardServices
        guard self.visits.ended(question.destination, isTold ? outcome : nil, at: now),
            let destination = question.destination
        else { return nil }
        let names = self.selection.intervals.keys.map(\.name).filter {
            self.custom.parameters[$0]?.request?.destination == destination
        }
        return (destination, names.sorted())
    }
}

extension ECUReply {
    /// Whether the ECU does not have the data.
    fileprivate var lacksData: Bool {
        if case .negative(let code) = self { ErrandAnswer.notSupported.contains(code) } else { false }
    }
}

extension Request {
    /// The PID, if the request is for the live data of one.
    fileprivate var onlyPID: PID? {
        self.service == .currentData && self.data.count == 1 ? PID(rawValue: self.data[0]) : nil
    }
}
