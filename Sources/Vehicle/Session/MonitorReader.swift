// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Reads the results of all tests that the ECUs tell of: services 06 and, on the buses before CAN, 05.
///
/// A machine: answers in, errands out. What does not answer is asked twice.
struct MonitorReader: Sendable {
    /// How many requests one reading makes at most.
    static let requestLimit = 400
    /// How often a request is asked that an ECU leaves open.
    static let attemptLimit = 2

    /// The last reading; nil during a reading.
    var reading: MonitorReading?
    /// The questions that are left; the first is the current one.
    private var questions: [TestQuestion] = []
    private var attempts = 0
    private var requests = 0
    private var inCycle: [ECUAddress: MonitorStatus] = [:]
    /// The tests of service 06 that each ECU announces, and those of service 05 by sensor.
    private var supported: [ECUAddress: SupportedPIDs] = [:]
    private var sensorTests: [ECUAddress: [UInt8: SupportedPIDs]] = [:]
    private var results: [ECUAddress: [TestResult]] = [:]
    private var unread: [ECUAddress: Int] = [:]
    /// The ECUs of which nobody knows what tests they have.
    private var failed: Set<ECUAddress> = []
    private var hasFourBanks = false

    /// What to ask next; nil when there is nothing.
    var next: Errand? { self.questions.first.map(Errand.tests) }

    /// Begins a reading.
    mutating func begin(_ vehicle: VehicleIdentity) {
        self = MonitorReader()
        self.hasFourBanks = vehicle.supports(0x1D)
        if vehicle.supports(0x41) { self.questions.append(.inCycle) }
        self.questions.append(.supportedTests(0x00))
        guard vehicle.layout == .legacy else { return }
        if self.hasFourBanks {
            self.questions.append(.sensors(0x1D))
        } else if vehicle.supports(0x13) {
            self.questions.append(.sensors(0x13))
        }
    }

    enum AnsweredAction: Hashable, Sendable {
        case proceed
        /// All was asked: what each ECU says of this cycle, and what its tests came to.
        case complete([ECUAddress: MonitorStatus], [ECUAddress: TestReading])
    }

    /// The errand ``next`` was answered.
    mutating func answered(_ answer: ErrandAnswer, from vehicle: VehicleIdentity) -> AnsweredAction {
        guard let question = self.questions.first else { return .proceed }
        self.attempts += 1
        self.requests += 1
        let isLast = self.attempts >= Self.attemptLimit || self.requests >= Self.requestLimit
        let isComplete = self.took(question, answer, vehicle, isLast: isLast)
        guard isComplete || isLast else { return .proceed }
        self.attempts = 0
        self.questions.removeFirst()
        self.questions.insert(contentsOf: self.followUps(question), at: 0)
        guard self.questions.isEmpty || self.requests >= Self.requestLimit else { return .proceed }
        for question in self.questions { self.giveUp(question, vehicle) }
        self.questions = []
        return .complete(self.inCycle, self.readings(vehicle))
    }

    private func readings(_ vehicle: VehicleIdentity) -> [ECUAddress: TestReading] {
        var readings: [ECUAddress: TestReading] = [:]
        for ecu in vehicle.ecus.keys {
            let results = self.results[ecu] ?? []
            let unread = self.unread[ecu] ?? 0
            if self.failed.contains(ecu) {
                readings[ecu] = .failed
            } else {
                readings[ecu] = results.isEmpty && unread == 0 ? .notSupported : .read(results, unread: unread)
            }
        }
        return readings
    }

    // MARK: - Answers

    /// Whether every ECU told that has something to tell.
    private mutating func took(
        _ question: TestQuestion,
        _ answer: ErrandAnswer,
        _ vehicle: VehicleIdentity,
        isLast: Bool
    ) -> Bool {
        var isComplete = true
        for ecu in vehicle.ecus.keys.sorted() {
            switch answer.told(by: ecu) {
            case .reply(let reply):
                if self.take(question, reply, ecu, vehicle) { continue }
                isComplete = false
                if isLast { self.giveUp(question, ecu) }
            case .notSupported where !self.announces(question, ecu):
                continue
            case .silent where !self.announces(question, ecu):
                // On CAN it may be an accident once that nobody tells what tests there are.
                if case .supportedTests(0x00) = question, vehicle.layout == .can { isComplete = false }
            case .unreadable where !self.announces(question, ecu) && !question.isOpen:
                continue
            case .notSupported, .silent, .refused, .unreadable:
                isComplete = false
                if isLast { self.giveUp(question, ecu) }
            }
        }
        return isComplete
    }

    /// Takes what an ECU told; false if it can't be read.
    private mutating func take(
        _ question: TestQuestion,
        _ reply: Reply,
        _ ecu: ECUAddress,
        _ vehicle: VehicleIdentity
    ) -> Bool {
        do {
            switch question {
            case .inCycle:
                self.inCycle[ecu] = try MonitorStatus(data: reply.data)
            case .supportedTests(let base):
                let bitmap = vehicle.layout == .can ? reply.data : try ComponentTest.bitmap(reply)
                try self.supported[ecu, default: SupportedPIDs()].merge(base: base, bitmap: bitmap)
            case .tests:
                let results: [TestResult] =
                    vehicle.layout == .can
                    ? try MonitorTest.decode(reply).map(TestResult.monitor)
                    : try ComponentTest.decode(reply).map(TestResult.component)
                // Asked again for another ECU's sake.
                if self.results[ecu]?.contains(where: results.contains) != true {
                    self.results[ecu, default: []] += results
                }
            case .sensors(let pid):
                guard try Parameter.withPID(pid)?.decode(reply.data).isEmpty == false else { return false }
                for sensor in (0..<8).map({ UInt8(1) << $0 }) where reply.data[0] & sensor != 0 {
                    self.sensorTests[ecu, default: [:]][sensor] = SupportedPIDs()
                }
            case .supportedSensorTests(let base, let sensor):
                try self.sensorTests[ecu, default: [:]][sensor, default: SupportedPIDs()]
                    .merge(base: base, bitmap: reply.data)
            case .sensorTest:
                let test = try OxygenSensorTest.decode(reply)
                let name = test.sensorName(hasFourBanks: self.hasFourBanks)
                let result = TestResult.oxygenSensor(test, sensor: name)
                if self.results[ecu]?.contains(result) != true { self.results[ecu, default: []].append(result) }
            }
            return true
        } catch {
            return false
        }
    }

    /// Whether the ECU has said that it can answer.
    private func announces(_ question: TestQuestion, _ ecu: ECUAddress) -> Bool {
        switch question {
        case .inCycle, .sensors, .supportedTests(0x00), .supportedSensorTests(0x00, _): false
        case .supportedTests(let id), .tests(let id): self.supported[ecu]?.contains(id) == true
        case .supportedSensorTests(let id, let sensor), .sensorTest(let id, let sensor):
            self.sensorTests[ecu]?[sensor]?.contains(id) == true
        }
    }

    /// The ECU has not told: what that means for its results.
    private mutating func giveUp(_ question: TestQuestion, _ ecu: ECUAddress) {
        switch question {
        case .inCycle: return
        case .supportedTests, .sensors, .supportedSensorTests: self.failed.insert(ecu)
        case .tests, .sensorTest: self.unread[ecu, default: 0] += 1
        }
    }

    /// There were too many requests already.
    private mutating func giveUp(_ question: TestQuestion, _ vehicle: VehicleIdentity) {
        for ecu in vehicle.ecus.keys where question.isOpen || self.announces(question, ecu) {
            self.giveUp(question, ecu)
        }
    }

    // MARK: - What follows from an answer

    private func followUps(_ question: TestQuestion) -> [TestQuestion] {
        switch question {
        case .inCycle, .tests, .sensorTest:
            return []
        case .supportedTests(let base):
            let all = Array(self.supported.values)
            if let next = Self.nextBitmap(all, after: base) { return [.supportedTests(next)] }
            return Self.tests(all).map(TestQuestion.tests)
        case .sensors:
            let sensors = Set(self.sensorTests.values.flatMap(\.keys)).sorted()
            return sensors.map { .supportedSensorTests(0x00, sensor: $0) }
        case .supportedSensorTests(let base, let sensor):
            let all = self.sensorTests.values.compactMap { $0[sensor] }
            if let next = Self.nextBitmap(all, after: base) { return [.supportedSensorTests(next, sensor: sensor)] }
            return Self.tests(all).map { .sensorTest($0, sensor: sensor) }
        }
    }

    private static func nextBitmap(_ supported: [SupportedPIDs], after base: PID) -> PID? {
        supported.compactMap(\.nextBitmap).filter { $0 > base }.min()
    }

    private static func tests(_ supported: [SupportedPIDs]) -> [PID] {
        Set(supported.flatMap(\.pids)).filter { !$0.isBitmap }.sorted()
    }
}

extension TestQuestion {
    /// Whether any ECU may have an answer, because none has announced anything yet.
    fileprivate var isOpen: Bool {
        switch self {
        case .supportedTests(0x00), .sensors, .supportedSensorTests(0x00, _): true
        default: false
        }
    }
}
