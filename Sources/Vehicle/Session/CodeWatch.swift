// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// MIL and code counts as they change, and the lists of codes as far as their answers prove them.
struct CodeWatch: Sendable {
    /// How often PID 01 is asked for the MIL and the code count.
    static let interval = Duration.seconds(15)
    /// After how long codes that could not be read are read again.
    static let rereadInterval = Duration.seconds(60)

    private(set) var reading: CodeReading?
    private var watched: MonotonicTime?
    /// The last answer to PID 01, to tell a change by.
    private var monitors: [ECUAddress: MonitorStatus]?
    /// What PID 01 said when it was asked last; empty where that was not answered.
    private(set) var presentMonitors: [ECUAddress: MonitorStatus] = [:]
    /// The ECUs that have ever told a list of codes; on CAN they always do.
    private var tellers: [CodeState: Set<ECUAddress>] = [:]
    /// The ECUs that were silent twice in a row when they were asked for a list.
    private var mutes: [CodeState: Set<ECUAddress>] = [:]
    /// The first answer to the question that is asked again.
    private var firstAnswer: ErrandAnswer?

    /// When PID 01 is to be asked again; never at once before it was asked for the first time.
    func nextLook(at now: MonotonicTime) -> MonotonicTime { (self.watched ?? now) + Self.interval }

    // MARK: - PID 01

    enum LookedAction: Hashable, Sendable {
        /// Nobody answered.
        case none
        case heard([ECUAddress: MonitorStatus], isNews: Bool, readsCodes: Bool)
    }

    /// PID 01 was asked.
    mutating func looked(_ replies: [ECUAddress: Reply], at now: MonotonicTime) -> LookedAction {
        self.watched = now
        let monitors = replies.compactMapValues { try? MonitorStatus(data: $0.data) }
        self.presentMonitors = monitors
        guard !monitors.isEmpty else { return .none }
        let before = self.monitors
        self.monitors = monitors
        let isChanged = before.map { before in
            monitors.contains { $0.value.mil != before[$0.key]?.mil || $0.value.codeCount != before[$0.key]?.codeCount }
        }
        let isUnread = self.reading.map { reading in
            let isOpen = reading.lists.values.contains(.failed) || reading.lists[.stored] == .notSupported
            return isOpen && now - reading.time >= Self.rereadInterval
        }
        return .heard(monitors, isNews: before != monitors, readsCodes: isChanged == true || isUnread == true)
    }

    // MARK: - Lists

    enum ReadAction: Hashable, Sendable {
        /// One answer, or none, was not enough.
        case askAgain
        case incomplete
        /// All lists were asked.
        case complete(CodeReading)
    }

    /// A list of codes was asked.
    mutating func read(
        _ state: CodeState,
        _ answer: ErrandAnswer,
        from vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> ReadAction {
        let told = self.told(state, answer, vehicle)
        let list = self.list(state, told, vehicle)
        if self.firstAnswer == nil, list == .failed || self.isDoubtful(state, told, vehicle) {
            self.firstAnswer = answer
            return .askAgain
        }
        self.firstAnswer = nil
        self.remember(state, told)
        if state == .stored { self.reading = CodeReading(lists: [:], monitors: self.presentMonitors, time: now) }
        self.reading?.lists[state] = list
        guard state == CodeState.allCases.last, let reading = self.reading else { return .incomplete }
        return .complete(reading)
    }

    /// A new reading of all lists begins.
    mutating func begin() { self.firstAnswer = nil }

    /// The freeze frames of the last reading are known, or some of them; nil if there is none.
    mutating func complete(_ frames: [ECUAddress: FreezeFrameReading]) -> CodeReading? {
        self.reading?.freezeFrames = frames
        return self.reading
    }

    /// What each ECU told, in the first or the second answer.
    private func told(
        _ state: CodeState,
        _ answer: ErrandAnswer,
        _ vehicle: VehicleIdentity
    ) -> [ECUAddress: ErrandAnswer.Told] {
        let ecus = answer.ecus.union(vehicle.ecus.keys)
        return Dictionary(
            uniqueKeysWithValues: ecus.map { ecu in
                let told = answer.told(by: ecu)
                switch (told, self.firstAnswer?.told(by: ecu)) {
                case (.silent, .some(let first)), (.unreadable, .some(let first)): return (ecu, first)
                case (.reply(let reply), .reply(let first)) where vehicle.layout == .legacy:
                    // Nothing there tells how many messages come: what one answer lacks was lost on the way.
                    return (ecu, Set(reply.messages) == Set(first.messages) ? told : .unreadable)
                default: return (ecu, told)
                }
            }
        )
    }

    /// Whether an answer may have lost something on the way, without a trace.
    private func isDoubtful(
        _ state: CodeState,
        _ told: [ECUAddress: ErrandAnswer.Told],
        _ vehicle: VehicleIdentity
    ) -> Bool {
        told.contains { ecu, told in
            switch told {
            case .silent: vehicle.layout == .can && self.mutes[state]?.contains(ecu) != true
            case .reply(let reply) where state == .stored && vehicle.layout == .legacy:
                ((try? CodeReply.decode(reply, layout: .legacy))?.count ?? 0) < self.presentMonitors[ecu]?.codeCount
                    ?? 0
            default: false
            }
        }
    }

    private mutating func remember(_ state: CodeState, _ told: [ECUAddress: ErrandAnswer.Told]) {
        for (ecu, told) in told {
            switch told {
            case .reply: self.tellers[state, default: []].insert(ecu)
            case .silent: self.mutes[state, default: []].insert(ecu)
            case .notSupported, .refused, .unreadable: break
            }
        }
    }

    private func list(
        _ state: CodeState,
        _ told: [ECUAddress: ErrandAnswer.Told],
        _ vehicle: VehicleIdentity
    ) -> CodeList {
        var codes: [ECUAddress: [TroubleCode]] = [:]
        for (ecu, told) in told {
            switch told {
            case .reply(let reply):
                guard
                    let decoded = try? CodeReply.decode(reply, layout: vehicle.layout, dialect: vehicle.dialect)
                else { return .failed }
                codes[ecu] = decoded
            case .notSupported: continue
            case .silent: guard !self.mustTell(ecu, state, vehicle) else { return .failed }
            case .refused, .unreadable: return .failed
            }
        }
        guard codes.isEmpty else { return .read(codes) }
        // All ECUs have said that they do not have it; of the newer dialects that may also be said by silence.
        let isRefused = !told.isEmpty && told.values.allSatisfy(\.isNotSupported)
        guard state == .stored, !isRefused, vehicle.dialect == .j1979 else { return .notSupported }
        // On the older buses ECUs without codes may stay silent; elsewhere they must not.
        let counters = vehicle.ecus.filter { $0.value.supported.contains(0x01) }.keys
        let countNone = counters.allSatisfy { self.presentMonitors[$0]?.codeCount == 0 }
        return vehicle.layout == .legacy && !counters.isEmpty && countNone ? .read([:]) : .failed
    }

    /// Whether a list without this ECU says nothing: one whose codes are missing is not one without codes.
    private func mustTell(_ ecu: ECUAddress, _ state: CodeState, _ vehicle: VehicleIdentity) -> Bool {
        if vehicle.layout == .can, self.tellers[state]?.contains(ecu) == true { return true }
        return state == .stored && (self.presentMonitors[ecu]?.codeCount ?? 0) > 0
    }
}
