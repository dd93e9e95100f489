// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Timing

/// What a connected vehicle is asked, in which order, and what its answers mean.
///
/// Identification comes first, then the codes, then the polling; vehicle information that takes an ECU long is asked
/// when nothing else is due. A machine: times and answers in, requests and events out.
package struct SessionStateMachine: Sendable {
    /// How often PID 01 is asked for the MIL and the code count.
    static let watchInterval = Duration.seconds(15)
    /// After so many requests in a row without any answer PID 01 is asked, and the vehicle is gone if it is silent too.
    static let silenceLimit = 4
    /// How many polls may go before what is asked at leisure, on a link that never has any.
    static let leisureLimit = 25
    /// After how long codes that could not be read are read again.
    static let rereadInterval = Duration.seconds(60)
    /// After so many damaged answers to the question for the VIN the session begins anew.
    static let damagedVINLimit = 4
    /// How often a bitmap is asked that an ECU announces and does not answer.
    static let bitmapLimit = 2

    package private(set) var identity: VehicleIdentity
    private var selection: Selection
    private var schedule = PollSchedule()
    /// Asked before anything is polled.
    private var urgent: [Errand] = []
    /// Asked when nothing is due.
    private var leisure: [Errand] = []
    private var reading: CodeReading?
    private var watched: MonotonicTime?
    /// The last answer to PID 01, to tell a change by.
    private var monitors: [ECUAddress: MonitorStatus]?
    /// What PID 01 said when it was asked last; empty where that was not answered.
    private var presentMonitors: [ECUAddress: MonitorStatus] = [:]
    /// The ECUs that have ever told a list of codes; on CAN they always do.
    private var tellers: [CodeState: Set<ECUAddress>] = [:]
    private var silences = 0
    private var pollsSinceLeisure = 0
    private var bitmapAttempts: [PID: Int] = [:]
    private var vinAttempts = 0
    private var damagedVINs = 0

    /// Whether the VIN was asked, so that it is known which vehicle this is, or that it does not tell.
    package private(set) var isIdentified = false

    /// - Parameter report: what start-up found; its ECUs have answered PID 00.
    package init(_ report: AdapterReport, selection: Selection) {
        self.identity = VehicleIdentity(bus: report.bus, ecus: [:])
        self.selection = selection
        for (ecu, messages) in report.ecus {
            var ecuIdentity = ECUIdentity()
            for message in messages {
                try? ecuIdentity.supported.merge(base: 0x00, bitmap: Array(message.dropFirst(2)))
            }
            self.identity.ecus[ecu] = ecuIdentity
        }
        // PID 00 once more: an ECU whose answer was damaged during start-up would not be missed otherwise.
        self.urgent = [.supportedPIDs(0x00), .vin, .monitorStatus] + CodeState.allCases.map(Errand.codes)
        self.leisure = [.ecuName, .calibrationIDs, .calibrationVerificationNumbers]
        self.applySelection()
    }

    // MARK: - Asking

    package enum NextAction: Hashable, Sendable {
        case ask(Question)
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
    }

    /// A request, and what it is for.
    package enum Question: Hashable, Sendable {
        case errand(Errand)
        case poll(PID)

        package var request: Request {
            switch self {
            case .errand(let errand): errand.request
            case .poll(let pid): .currentData(pid)
            }
        }
    }

    /// What to do now.
    package mutating func next(at now: MonotonicTime) -> NextAction {
        if let errand = self.urgent.first { return .ask(.errand(errand)) }
        let nextWatch = (self.watched ?? now) + Self.watchInterval
        if nextWatch <= now { return .ask(.errand(.monitorStatus)) }
        let next = self.schedule.next(at: now)
        if case .ask(let pid) = next, self.leisure.isEmpty || self.pollsSinceLeisure < Self.leisureLimit {
            self.schedule.asked(pid, at: now)
            self.pollsSinceLeisure += 1
            return .ask(.poll(pid))
        }
        if let errand = self.leisure.first {
            self.pollsSinceLeisure = 0
            return .ask(.errand(errand))
        }
        guard case .wait(let due) = next else { return .wait(until: nextWatch) }
        return .wait(until: min(due, nextWatch))
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
        case .adapterRestarted: return .startOver(.adapterRestarted, events)
        case .adapterSilent: return .startOver(.adapterSilent, events)
        case .answered(let answers):
            self.silences = 0
            self.meet(answers)
        case .noData, .busUnavailable, .unusable:
            guard !self.isGone(question) else { return .startOver(.vehicleSilent, events) }
        }
        switch question {
        case .poll(let pid): events += self.polled(pid, result.outcome, at: now)
        case .errand(let errand): events += self.ran(errand, result, at: now)
        }
        return self.damagedVINs < Self.damagedVINLimit ? .proceed(events) : .startOver(.vehicleUnidentified, events)
    }

    /// An ECU that was not heard so far, because its answers were damaged or it was slow to start, is asked what it has.
    private mutating func meet(_ answers: [ECUAddress: ECUReply]) {
        for (ecu, answer) in answers where self.identity.ecus[ecu] == nil {
            guard case .positive = answer else { continue }
            self.identity.ecus[ecu] = ECUIdentity()
            self.bitmapAttempts = [:]
            if !self.urgent.contains(.supportedPIDs(0x00)) { self.urgent.append(.supportedPIDs(0x00)) }
        }
    }

    /// A request without an answer: of one parameter it says little, of many in a row and PID 01 it says all.
    private mutating func isGone(_ question: Question) -> Bool {
        switch question {
        case .errand(.monitorStatus):
            self.silences += 1
            return self.silences > Self.silenceLimit
        case .poll:
            self.silences += 1
            if self.silences == Self.silenceLimit { self.urgent.insert(.monitorStatus, at: 0) }
            return false
        case .errand:
            // What a vehicle need not have.
            return false
        }
    }

    private mutating func polled(_ pid: PID, _ outcome: BusOutcome, at now: MonotonicTime) -> [SessionEvent] {
        guard let parameter = Parameter.withPID(pid) else { return [] }
        var samples: [Sample] = []
        var dropped = 0
        for (ecu, reply) in self.replies(to: .currentData(pid), outcome, dropped: &dropped).sorted(by: { $0.0 < $1.0 })
        {
            guard !parameter.isSentinel(reply.data), let values = try? parameter.decode(reply.data) else {
                dropped += 1
                continue
            }
            samples += values.map { Sample(value: $0, ecu: ecu, time: now) }
        }
        self.schedule.answered(pid, !samples.isEmpty || dropped > 0)
        return (samples.isEmpty ? [] : [.samples(samples)]) + (dropped == 0 ? [] : [.dropped(dropped)])
    }

    private mutating func ran(_ errand: Errand, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        let wasUrgent = self.urgent.first == errand
        if wasUrgent { self.urgent.removeFirst() } else if self.leisure.first == errand { self.leisure.removeFirst() }
        var dropped = 0
        let replies = self.replies(to: errand.request, result.outcome, dropped: &dropped)
        var events: [SessionEvent] = []
        switch errand {
        case .supportedPIDs(let base):
            for (ecu, reply) in replies {
                try? self.identity.ecus[ecu]?.supported.merge(base: base, bitmap: reply.data)
            }
            self.bitmapAttempts[base, default: 0] += 1
            self.applySelection()
            if let next = self.nextBitmap {
                self.urgent.insert(.supportedPIDs(next), at: 0)
            } else if self.isIdentified {
                events.append(.identified(self.identity))
            }
        case .vin:
            // Damaged is not the same as absent: under the wrong name nothing may be said of any vehicle.
            let isDamaged = result.dropped + dropped > 0 || Self.isUnusable(result.outcome)
            events += self.identified(replies, isDamaged: isDamaged)
        case .monitorStatus:
            events += self.watched(replies, at: now)
        case .codes(let state):
            let isDamaged = result.dropped + dropped > 0
            let list = self.list(state, result.outcome, replies, isDamaged: isDamaged)
            events += self.read(state, list, at: now)
        case .calibrationIDs, .calibrationVerificationNumbers, .ecuName:
            for (ecu, reply) in replies { self.informed(errand, ecu, reply) }
            if self.leisure.isEmpty { events.append(.identified(self.identity)) }
        }
        return events + (dropped == 0 ? [] : [.dropped(dropped)])
    }

    private static func isUnusable(_ outcome: BusOutcome) -> Bool {
        if case .unusable = outcome { true } else { false }
    }

    private mutating func identified(_ replies: [ECUAddress: Reply], isDamaged: Bool) -> [SessionEvent] {
        let layout = self.identity.layout
        for (ecu, reply) in replies {
            self.identity.ecus[ecu]?.vin = try? VehicleInformation.vin(reply, layout: layout)
        }
        if self.identity.vin == nil && isDamaged && !self.isIdentified {
            self.damagedVINs += 1
            self.urgent.insert(.vin, at: 0)
            return []
        }
        self.vinAttempts += 1
        if self.identity.vin == nil {
            // Once more at once, and once when there is time: without it the vehicle has another name.
            if self.vinAttempts == 1 {
                self.urgent.insert(.vin, at: 0)
                return []
            }
            if self.vinAttempts == 2 { self.leisure.append(.vin) }
        }
        self.isIdentified = true
        return [.identified(self.identity)]
    }

    private mutating func informed(_ errand: Errand, _ ecu: ECUAddress, _ reply: Reply) {
        let layout = self.identity.layout
        switch errand {
        case .ecuName:
            self.identity.ecus[ecu]?.name = try? VehicleInformation.ecuName(reply, layout: layout)
        case .calibrationIDs:
            self.identity.ecus[ecu]?.calibrationIDs =
                (try? VehicleInformation.calibrationIDs(reply, layout: layout)) ?? []
        default:
            self.identity.ecus[ecu]?.calibrationVerificationNumbers =
                (try? VehicleInformation.calibrationVerificationNumbers(reply, layout: layout)) ?? []
        }
    }

    // MARK: - Codes

    private mutating func watched(_ replies: [ECUAddress: Reply], at now: MonotonicTime) -> [SessionEvent] {
        self.watched = now
        let monitors = replies.compactMapValues { try? MonitorStatus(data: $0.data) }
        self.presentMonitors = monitors
        guard !monitors.isEmpty else { return [] }
        let before = self.monitors
        self.monitors = monitors
        let isChanged = before.map { before in
            monitors.contains { $0.value.mil != before[$0.key]?.mil || $0.value.codeCount != before[$0.key]?.codeCount }
        }
        let isUnread = self.reading.map { reading in
            reading.lists.values.contains(.failed) && now - reading.time >= Self.rereadInterval
        }
        if isChanged == true || isUnread == true, self.urgent.isEmpty {
            self.urgent = CodeState.allCases.map(Errand.codes)
        }
        return before == monitors ? [] : [.monitors(monitors)]
    }

    private mutating func read(_ state: CodeState, _ list: CodeList, at now: MonotonicTime) -> [SessionEvent] {
        if state == .stored { self.reading = CodeReading(lists: [:], monitors: self.presentMonitors, time: now) }
        self.reading?.lists[state] = list
        if case .read(let codes) = list { self.tellers[state, default: []].formUnion(codes.keys) }
        guard state == CodeState.allCases.last, let reading = self.reading else { return [] }
        return [.codes(reading)]
    }

    private func list(
        _ state: CodeState,
        _ outcome: BusOutcome,
        _ replies: [ECUAddress: Reply],
        isDamaged: Bool
    ) -> CodeList {
        switch outcome {
        case .answered(let answers):
            var codes: [ECUAddress: [DTC]] = [:]
            for (ecu, answer) in answers {
                if case .negative(let code) = answer {
                    guard Self.notSupported.contains(code) else { return .failed }
                    continue
                }
                guard let reply = replies[ecu],
                    let decoded = try? CodeReply.decode(reply, layout: self.identity.layout)
                else { return .failed }
                codes[ecu] = decoded
            }
            let isComplete = self.expectedTellers(state, isDamaged: isDamaged).allSatisfy { answers[$0] != nil }
            guard isComplete else { return .failed }
            return codes.isEmpty ? (state == .stored ? .failed : .notSupported) : .read(codes)
        case .noData where state == .stored:
            // On the older buses ECUs without codes may stay silent; elsewhere, or with codes counted, they must not.
            let counters = self.identity.ecus.filter { $0.value.supported.contains(0x01) }.keys
            let countNone = counters.allSatisfy { self.presentMonitors[$0]?.codeCount == 0 }
            return self.identity.layout == .legacy && !counters.isEmpty && countNone ? .read([:]) : .failed
        case .noData:
            return self.expectedTellers(state, isDamaged: isDamaged).isEmpty ? .notSupported : .failed
        case .busUnavailable, .unusable, .adapterRestarted, .adapterSilent:
            return .failed
        }
    }

    /// Negative response codes that say that an ECU does not have a service at all.
    private static let notSupported: Set<UInt8> = [0x10, 0x11, 0x12, 0x31, 0x7F]

    /// The ECUs without whose answer a list says nothing: one whose codes are missing is not one without codes.
    private func expectedTellers(_ state: CodeState, isDamaged: Bool) -> Set<ECUAddress> {
        // Part of the answer was thrown away: it may have been anybody's.
        if isDamaged { return Set(self.identity.ecus.keys) }
        let tellers = self.identity.layout == .can ? self.tellers[state] ?? [] : []
        guard state == .stored else { return tellers }
        return tellers.union(self.presentMonitors.filter { $0.value.codeCount > 0 }.keys)
    }

    /// Begins a reading of all codes now, before anything else.
    package mutating func readCodes() {
        let others = self.urgent.filter { if case .supportedPIDs = $0 { true } else { false } }
        self.urgent = [.monitorStatus] + CodeState.allCases.map(Errand.codes) + others
    }

    // MARK: - Selection

    /// Polls another set from now on.
    package mutating func select(_ selection: Selection) {
        self.selection = selection
        self.applySelection()
    }

    /// What is selected and not polled, because the vehicle does not support it or does not answer it.
    package var unsupported: [PID] {
        self.selection.intervals.keys.filter { !self.identity.supports($0) || self.schedule.dead.contains($0) }.sorted()
    }

    private mutating func applySelection() {
        self.schedule.select(self.selection.intervals.filter { self.identity.supports($0.key) })
    }

    // MARK: - Replies

    /// The next bitmap to ask: announced by some ECU and not answered, though not for ever.
    private var nextBitmap: PID? {
        self.identity.ecus.values.compactMap(\.supported.nextBitmap)
            .filter { self.bitmapAttempts[$0, default: 0] < Self.bitmapLimit }.min()
    }

    private func replies(
        to request: Request,
        _ outcome: BusOutcome,
        dropped: inout Int
    ) -> [ECUAddress: Reply] {
        guard case .answered(let answers) = outcome else { return [:] }
        var replies: [ECUAddress: Reply] = [:]
        for (ecu, answer) in answers {
            guard case .positive(let messages) = answer else { continue }
            do {
                replies[ecu] = try Reply(messages: messages, to: request)
            } catch {
                dropped += 1
            }
        }
        return replies
    }
}
