// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Reads the results of all tests that the ECUs support: service 06 and, on the buses before CAN, service 05.
///
/// `MonitorReader` is a pure state machine: answers go in, errands come out. A request that an ECU does not answer is
/// sent twice.
struct MonitorReader: Sendable {
    /// The largest number of requests in one reading.
    static let requestLimit = 400
    /// The number of attempts for a request that an ECU does not answer.
    static let attemptLimit = 2

    /// The last reading; nil during a reading.
    var reading: MonitorReading?
    /// The remaining questions; the first is the current one.
    private var questions: [TestQuestion] = []
    private var attempts = 0
    private var requests = 0
    private var inCycle: [ECUAddress: MonitorStatus] = [:]
    /// The tests of service 06 that each ECU announces, and those of service 05 by sensor.
    private var supported: [ECUAddress: SupportedPIDs] = [:]
    private var sensorTests: [ECUAddress: [UInt8: SupportedPIDs]] = [:]
    private var results: [ECUAddress: [TestResult]] = [:]
    private var unread: [ECUAddress: Int] = [:]
    /// The ECUs whose list of tests could not be read.
    private var failed: Set<ECUAddress> = []
    private var hasFourBanks = false

    /// The next errand; nil if none is left.
    var next: Errand? { self.questions.first.map(Errand.tests) }

    /// Begins a reading.
    mutating func begin(_ vehicle: VehicleIdentity) {
        self = MonitorReader()
        self.hasFourBanks = vehicle.supports(0x1D)
        if vehicle.supports(0x41) || vehicle.dialect == .j1939 { self.questions.append(.inCycle) }
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
        /// The reading is complete: each ECU's monitors in this driving cycle, and its test results.
        case complete([ECUAddress: MonitorStatus], [ECUAddress: TestReading])
    }

    /// Takes over the answer to the errand ``next``.
    mutating func answered(_ answer: ErrandAnswer, from vehicle: VehicleIdentity) -> AnsweredAction {
        guard let question = self.questions.first else { return .proceed }
        self.attempts += 1
        self.requests += 1
        let isLast = self.attempts >= Self.attemptLimit || self.requests >= Self.requestLimit
        let isComplete = self.mergeAnswers(question, answer, vehicle, isLast: isLast)
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

    /// Takes over the answers of all ECUs to a question.
    ///
    /// - Returns: whether every ECU has answered that has to.
    private mutating func mergeAnswers(
        _ question: TestQuestion,
        _ answer: ErrandAnswer,
        _ vehicle: VehicleIdentity,
        isLast: Bool
    ) -> Bool {
        var isComplete = true
        for ecu in vehicle.ecus.keys.sorted() {
            switch answer.result(of: ecu) {
            case .reply(let reply):
                if self.merge(question, reply, ecu, vehicle) { continue }
                isComplete = false
                if isLast { self.giveUp(question, ecu) }
            case .notSupported where !self.announces(question, ecu):
                continue
            case .silent where !self.announces(question, ecu):
                // On CAN a single silence to the request for the list of tests may be a lost answer.
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

    /// Takes over the reply of one ECU.
    ///
    /// - Returns: whether the reply could be read.
    private mutating func merge(
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
                // The question may be repeated because another ECU did not answer it.
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

    /// Whether the ECU has announced that it supports the question.
    private func announces(_ question: TestQuestion, _ ecu: ECUAddress) -> Bool {
        switch question {
        case .inCycle, .sensors, .supportedTests(0x00), .supportedSensorTests(0x00, _): false
        case .supportedTests(let id), .tests(let id): self.supported[ecu]?.contains(id) == true
        case .supportedSensorTests(let id, let sensor), .sensorTest(let id, let sensor):
            self.sensorTests[ecu]?[sensor]?.contains(id) == true
        }
    }

    /// Notes that the ECU did not answer a question, so that its results are incomplete.
    private mutating func giveUp(_ question: TestQuestion, _ ecu: ECUAddress) {
        switch question {
        case .inCycle: return
        case .supportedTests, .sensors, .supportedSensorTests: self.failed.insert(ecu)
        case .tests, .sensorTest: self.unread[ecu, default: 0] += 1
        }
    }

    /// Gives up a question for all ECUs, because the reading has reached ``requestLimit``.
    private mutating func giveUp(_ question: TestQuestion, _ vehicle: VehicleIdentity) {
        for ecu in vehicle.ecus.keys where question.isOpen || self.announces(question, ecu) {
            self.giveUp(question, ecu)
        }
    }

    // MARK: - Follow-up questions

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
    /// Whether any ECU may answer the question, because no ECU announces support for it beforehand.
    fileprivate var isOpen: Bool {
        switch self {
        case .supportedTests(0x00), .sensors, .supportedSensorTests(0x00, _): true
        default: false
        }
    }
}
