// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import ELM327
package import OBD2

// The polled parameters.
extension SessionAgenda {
    /// Polls another selection from now on.
    package mutating func select(_ selection: Selection) { self.polling.select(selection, of: self.identity) }

    /// Takes over the custom parameters that only this vehicle has, in place of those that were known.
    package mutating func know(_ own: [CustomParameter]) { self.polling.know(own, of: self.identity) }

    /// Polls only these parameters, besides the requests that identify the vehicle; nil polls the selection again.
    package mutating func limit(to short: Selection?) { self.polling.limit(to: short, of: self.identity) }

    /// The selected parameters that are not polled because the vehicle does not support or does not answer them.
    package var unsupported: [ParameterKey] { self.polling.unsupported(by: self.identity) }

    /// The names of the values that are watched for limits, captures or trips, and that this vehicle does not have.
    package var lackedValues: Set<String> { self.polling.lackedValues(of: self.identity) }

    /// The parameters that this vehicle supports.
    package var pollable: Set<ParameterKey> { self.polling.pollable(of: self.identity) }

    /// The ways to compute the derived parameters that this vehicle supports, by their names.
    package var derivations: [String: Derivation] { self.polling.derived.derivations }

    /// The intervals of the parameters that are polled now, with the sources of the derived ones.
    package var polledIntervals: [ParameterKey: Duration] { self.polling.polledIntervals }

    /// The parameters that are polled now and that the vehicle supports, and the derived ones that are computed.
    package var polledParameters: Set<ParameterKey> { self.polling.polledParameters(of: self.identity) }

    /// The interval of each selected parameter that the link sustains; nil before the first request.
    package var achieved: [ParameterKey: Duration]? {
        self.polling.achieved(of: self.identity, isGrouped: self.joinsPIDs)
    }

    /// Returns the item to poll for a parameter; nil if this vehicle does not support it.
    func item(for key: ParameterKey) -> PollItem? { self.polling.item(for: key, of: self.identity) }

    /// Returns the custom parameters that have a role, and whose address is on the bus of the vehicle.
    ///
    /// The adapter may be unable to reach some of them.
    func customKeys(with role: ParameterRole) -> [ParameterKey] {
        self.polling.custom.keys(with: role, on: self.identity.bus)
    }

    /// Whether a request may have several PIDs: on CAN, in the dialect of SAE J1979.
    private var joinsPIDs: Bool { self.identity.bus.isCAN && self.identity.dialect == .j1979 }

    /// Takes over the results of the capability trials.
    package mutating func learn(_ report: AdapterReport) {
        self.polling.planner.abilities = RequestPlanner.Abilities(
            groups: self.joinsPIDs && report.works(.multiplePIDs),
            counts: self.identity.dialect == .j1979 && report.works(.responseCount)
        )
    }

    /// Takes over the number of PIDs that this vehicle has accepted in one request before; nil: it is not known.
    mutating func learn(_ limit: GroupLimit?) {
        if let limit { self.polling.planner.learn(limit) }
    }

    /// Records the time that a question has taken.
    ///
    /// To be called before ``answered(_:_:at:)``.
    package mutating func ended(_ question: Question, after time: Duration) {
        self.polling.ended(question, after: time)
    }

    /// Returns the request for a question; nil if the dialect of the vehicle has none.
    package func busRequest(_ question: Question) -> BusRequest? {
        var request = self.identity.busRequest(question)
        switch question {
        case .poll(.pid(let pid)) where self.polling.custom.unproven == nil:
            request?.frameCount = self.polling.planner.frameCount(of: [pid])
        case .pids(let pids): request?.frameCount = self.polling.planner.frameCount(of: pids)
        case .errand(.vin) where self.identification.asksVINQuickly: request?.isSlow = false
        case .errand(.identityProof), .errand(.addressedVIN): request?.isSlow = self.identityWatch.usesLongTimeout
        case .poll, .errand: break
        }
        return request
    }

    /// Whether the question comes before the postponed settings of the adapter, so that the first value arrives soon.
    ///
    /// An answer that does not arrive whole is requested again.
    func comesFirst(_ question: Question) -> Bool {
        switch question {
        case .errand(.vin): self.identification.asksVINQuickly
        case .poll(.pid), .pids: question == self.firstPoll
        default: false
        }
    }

    /// The vehicle with its bitmaps, for the next session; nil while it may be another one, or a bitmap is missing.
    package var knowable: KnownVehicle? {
        self.isIdentified && !self.mayBeAnother ? KnownVehicle(self.identity) : nil
    }

    /// Returns the events of the answer to a question.
    mutating func polled(_ question: Question, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        var events: [SessionEvent] = []
        let awaitsMaxima = !self.identity.isMapped || !self.identification.mapping.maximaErrands.isEmpty
        switch question {
        case .poll(.pid(let pid)):
            events = self.polling.polled(pid, result, of: self.identity, awaitsMaxima: awaitsMaxima, at: now)
        case .pids(let pids):
            events = self.polling.polled(pids, result, of: self.identity, awaitsMaxima: awaitsMaxima, at: now)
        case .poll(.group(let pgn)): events = self.polled(pgn, result.outcome, at: now)
        case .poll(.frame): break
        case .poll(.custom(let request)):
            events = self.polling.polled(request, result.outcome, of: self.identity, at: now)
        case .errand(let errand): events = self.errandEnded(errand, result, at: now)
        }
        if let silent = self.polling.questionEnded(question, result.outcome, of: self.identity, at: now),
            !silent.parameters.isEmpty
        {
            events.append(.silent(silent.destination, parameters: silent.parameters))
        }
        return events
    }

    private mutating func polled(_ pgn: PGN, _ outcome: BusOutcome, at now: MonotonicTime) -> [SessionEvent] {
        var samples: [Sample] = []
        var isNews = false
        for (ecu, values) in PollPlan.values(of: pgn, outcome).sorted(by: { $0.key < $1.key }) {
            if case .news = self.identification.valuesReceived(values, from: ecu) { isNews = true }
            samples += values.map { Sample(value: $0, ecu: ecu, time: now) }
        }
        self.polling.schedule.answered(.group(pgn), !samples.isEmpty)
        return (samples.isEmpty ? [] : [.samples(samples)])
            + (isNews && self.isIdentified ? [.identified(self.identity)] : [])
    }

    /// Returns whether the adapter addresses all ECUs, as far as the answer to `question` shows.
    mutating func addressesAllECUs(after question: Question, _ outcome: BusOutcome) -> Bool {
        switch self.polling.custom.questionEnded(question, outcome, of: self.identity.ecus) {
        case .proceed: return true
        case .ask:
            if self.errands.urgent.first != .settingsProof { self.errands.insertUrgent(.settingsProof) }
            return true
        case .lost: return false
        }
    }
}
