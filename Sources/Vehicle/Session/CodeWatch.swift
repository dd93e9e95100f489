// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Reads the lists of codes, again after each change of a MIL or a code count.
///
/// A list counts as read only if the answers prove that it is complete.
struct CodeWatch: Sendable {
    /// The time after which codes that could not be read are read again.
    static let rereadInterval = Duration.seconds(60)

    private(set) var reading: CodeReading?
    /// The answers to PID 01.
    private(set) var status = StatusWatch()
    /// The ECUs that have answered the request for a list before; on CAN they always answer it.
    private var responders: [CodeState: Set<ECUAddress>] = [:]
    /// The codes by their groups, and by their state alone, of ECUs of J1979-2.
    private(set) var groups = CodeGroups()
    /// The ECUs that did not answer two requests in a row for a list.
    private var silentECUs: [CodeState: Set<ECUAddress>] = [:]
    /// The first answer to the request that is repeated; nil if none is repeated.
    private var firstAnswer: ErrandAnswer?

    // MARK: - PID 01

    enum MonitorsAction: Hashable, Sendable {
        /// No ECU answered.
        case none
        /// The answer of an ECU is missing, so PID 01 is requested once more.
        case askAgain
        /// ECUs answered: the monitors of all of them if they are news, and whether codes have to be read.
        case answered(news: [ECUAddress: MonitorStatus]?, readsCodes: Bool)
    }

    /// Judges the answer to a request of PID 01.
    mutating func monitorsReceived(
        _ answer: ErrandAnswer,
        from vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> MonitorsAction {
        switch self.status.answered(answer, from: vehicle, at: now) {
        case .none: return .none
        case .askAgain: return .askAgain
        case .answered(let news, let isChanged):
            let isUnread = self.reading.map { reading in
                let isOpen = reading.lists.values.contains(where: \.isOpen) || reading.lists[.stored] == .notSupported
                // No count shows that the codes of such an ECU have changed.
                let isUncounted = !self.groups.ungrouped.isSubset(of: self.status.latest.keys)
                return (isOpen || isUncounted) && now - reading.time >= Self.rereadInterval
            }
            return .answered(news: news, readsCodes: isChanged || isUnread == true)
        }
    }

    /// Takes over the replies to the request for the readiness of the ECUs on J1939.
    ///
    /// - Returns: the monitors of all ECUs if they are news.
    mutating func readinessReceived(
        _ replies: [ECUAddress: Reply],
        at now: MonotonicTime
    ) -> [ECUAddress: MonitorStatus]? {
        self.status.readinessReceived(replies, at: now)
    }

    // MARK: - Lists

    enum ReadAction: Hashable, Sendable {
        /// The request has to be repeated, because its answer is missing, damaged, or doubtful.
        case askAgain
        /// Some ECU did not report its codes by their group, so the list has to be requested by the state alone.
        case askUngrouped
        /// All ECUs refuse to report codes by their group, so all lists have to be requested by the state alone.
        case lacksGroups
        /// More lists follow.
        case incomplete
        /// All lists were requested.
        case complete(CodeReading)
    }

    /// Judges the answer to the request for a list of codes.
    mutating func read(
        _ state: CodeState,
        _ answer: ErrandAnswer,
        from vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> ReadAction {
        let results = self.groups.merge(self.results(state, answer, vehicle))
        let isPartial = self.groups.arePartial(results, of: state, vehicle)
        let list = self.list(state, results, vehicle)
        let isOpen = isPartial ? results.values.contains(where: \.isFailed) : list.isOpen
        if self.firstAnswer == nil, isOpen || self.isDoubtful(state, results, vehicle) {
            self.firstAnswer = answer
            return .askAgain
        }
        self.firstAnswer = nil
        self.remember(state, results)
        if isPartial {
            // A busy ECU, or one whose answer was lost, may know the groups.
            if !self.groups.areKnown, results.values.allSatisfy(\.isNotSupported) { return .lacksGroups }
            self.groups.keep(results)
            return .askUngrouped
        }
        self.groups.end(results, of: state, vehicle)
        if state == .stored {
            self.reading = CodeReading(lists: [:], monitors: self.status.latest, time: now)
            // The lamp is off only if no ECU that reports it is missing.
            let counters = vehicle.ecus.filter { $0.value.supported.contains(0x01) }.keys
            if counters.contains(where: { self.status.latest[$0] == nil }) { self.reading?.hasUnknownLamp = true }
        }
        self.reading?.lists[state] = list
        if vehicle.dialect == .j1979Part2 {
            self.reading?.add(results.compactMapValues { $0.records(vehicle) }, of: state, vehicle)
        }
        guard state == CodeState.allCases.last, let reading = self.reading else { return .incomplete }
        return .complete(reading)
    }

    /// Begins a new reading of all lists.
    mutating func begin() {
        self.firstAnswer = nil
        self.groups.reset()
    }

    /// Adds freeze frames to the last reading, and returns it; nil if there is no reading.
    mutating func complete(_ frames: [ECUAddress: FreezeFrameReading]) -> CodeReading? {
        self.reading?.freezeFrames = frames
        return self.reading
    }

    /// Returns each ECU's result from the first and the second answer.
    private func results(
        _ state: CodeState,
        _ answer: ErrandAnswer,
        _ vehicle: VehicleIdentity
    ) -> [ECUAddress: ErrandAnswer.ECUResult] {
        let ecus = answer.ecus.union(vehicle.ecus.keys)
        return Dictionary(
            uniqueKeysWithValues: ecus.map { ecu in
                let result = answer.result(of: ecu)
                switch (result, self.firstAnswer?.result(of: ecu)) {
                case (.silent, .some(let first)), (.unreadable, .some(let first)): return (ecu, first)
                case (.reply(let reply), .reply(let first)) where vehicle.layout == .legacy:
                    // The number of messages is unknown there. If the two answers differ, one has lost a message.
                    return (ecu, Set(reply.messages) == Set(first.messages) ? result : .unreadable)
                default: return (ecu, result)
                }
            }
        )
    }

    /// Whether messages of the answer may be lost although nothing in the answer shows a loss.
    private func isDoubtful(
        _ state: CodeState,
        _ results: [ECUAddress: ErrandAnswer.ECUResult],
        _ vehicle: VehicleIdentity
    ) -> Bool {
        results.contains { ecu, result in
            switch result {
            case .silent: vehicle.layout == .can && self.silentECUs[state]?.contains(ecu) != true
            case .reply(let reply) where state == .stored && vehicle.layout == .legacy:
                ((try? CodeReply.decode(reply, layout: .legacy))?.count ?? 0) < self.status.latest[ecu]?.codeCount
                    ?? 0
            default: false
            }
        }
    }

    private mutating func remember(_ state: CodeState, _ results: [ECUAddress: ErrandAnswer.ECUResult]) {
        for (ecu, result) in results {
            switch result {
            case .reply: self.responders[state, default: []].insert(ecu)
            case .silent: self.silentECUs[state, default: []].insert(ecu)
            case .notSupported, .refused, .unreadable: break
            }
        }
    }

    private func list(
        _ state: CodeState,
        _ results: [ECUAddress: ErrandAnswer.ECUResult],
        _ vehicle: VehicleIdentity
    ) -> CodeList {
        let codes = results.compactMapValues { $0.records(vehicle)?.codes }
        let isComplete = results.allSatisfy { ecu, result in
            switch result {
            case .reply: codes[ecu] != nil
            // An ECU that has codes, or has reported this list, is only unable to do so now.
            case .notSupported: !self.hasReported(ecu, state, vehicle)
            case .silent: !self.mustAnswer(ecu, state, vehicle)
            case .refused, .unreadable: false
            }
        }
        guard isComplete else { return codes.values.allSatisfy(\.isEmpty) ? .failed : .incomplete(codes) }
        guard codes.isEmpty else { return .read(codes) }
        // The list is not supported if all ECUs say so. In the newer dialects silence may mean the same.
        let isRefused = !results.isEmpty && results.values.allSatisfy(\.isNotSupported)
        guard state == .stored, !isRefused, vehicle.dialect == .j1979 else { return .notSupported }
        // On the older buses ECUs without codes may stay silent. Elsewhere they must answer.
        let counters = vehicle.ecus.filter { $0.value.supported.contains(0x01) }.keys
        let countNone = counters.allSatisfy { self.status.latest[$0]?.codeCount == 0 }
        return vehicle.layout == .legacy && !counters.isEmpty && countNone ? .read([:]) : .failed
    }

    /// Whether a list without an answer of this ECU is incomplete.
    ///
    /// A missing answer does not show that the ECU has no codes.
    private func mustAnswer(_ ecu: ECUAddress, _ state: CodeState, _ vehicle: VehicleIdentity) -> Bool {
        if self.hasReported(ecu, state, vehicle) { return true }
        // J1979-2 demands these lists of every ECU. An ECU without the permanent codes may be silent.
        return vehicle.dialect == .j1979Part2 && state != .permanent && vehicle.ecus[ecu] != nil
    }

    /// Whether an ECU has answered the request for this list before, or counts stored codes.
    private func hasReported(_ ecu: ECUAddress, _ state: CodeState, _ vehicle: VehicleIdentity) -> Bool {
        vehicle.layout == .can && self.responders[state]?.contains(ecu) == true
            || state == .stored && (self.status.latest[ecu]?.codeCount ?? 0) > 0
    }
}
