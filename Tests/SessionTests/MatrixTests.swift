// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Synchronization
import Testing

@testable import Session
@testable import Simulator

/// Tests of every service on every bus with one, two and three ECUs, compared with the data of the ECUs.
@Suite("Every service on every bus")
struct MatrixTests {
    /// The codes of the vehicle, or the fault of its last ECU.
    enum Situation: String, CaseIterable {
        case codes, nothingStored, refuses, notSupported, cutsShort, silent

        var fault: ServiceFault? {
            switch self {
            case .codes, .nothingStored: nil
            case .refuses: .refusal(0x22)
            case .notSupported: .refusal(0x11)
            case .cutsShort: .truncated
            case .silent: .silent
            }
        }
    }

    private static let services: [Service] = [
        .freezeFrame, .confirmedCodes, .oxygenSensorTests, .monitorTests, .pendingCodes, .control,
        .vehicleInformation, .permanentCodes,
    ]

    /// The readings of a session, and the vehicle with the data at that time.
    struct Outcome: Sendable {
        let bus: BusProtocol
        let situation: Situation
        let vehicle: SimulatedVehicle
        let codes: CodeReading
        let monitors: MonitorReading
        let identity: VehicleIdentity
        let control: BusOutcome
        let clear: BusOutcome
        let codesAfter: CodeReading
        let monitorsAfter: MonitorReading

        /// The ECU with the fault of the situation.
        var culprit: ECU? { self.situation.fault == nil ? nil : self.vehicle.ecus.last }

        func address(_ ecu: ECU) -> ECUAddress {
            switch self.bus {
            case .can11at500, .can11at250: .can11(UInt16(ecu.identifier))
            case .can29at500, .can29at250: .can29(ecu.address)
            default: .legacy(ecu.address)
            }
        }

        func results(_ ecu: ECU) -> MonitorResults {
            MonitorResults(
                ecu: ecu,
                state: self.vehicle.state(at: self.monitors.time),
                memory: self.vehicle.memory
            )
        }
    }

    private static func run(_ bus: BusProtocol, ecus: Int, _ situation: Situation) async throws -> Outcome {
        var options = SimulatedVehicle.Options()
        options.bus = bus
        options.ecus = ecus
        options.trip = .seconds(8)
        options.pause = .seconds(36_000)
        options.supportsControl = true
        if situation != .nothingStored {
            options.codes = [0x0301, 0x0171, 0x0420, 0x0133, 0x0700, 0x4035].map(DTC.init(rawValue:))
            options.pendingCodes = [0x0302, 0x0741].map(DTC.init(rawValue:))
            options.permanentCodes = [0x0301].map(DTC.init(rawValue:))
        }
        if let fault = situation.fault {
            let culprit = ECU.allCases[ecus - 1]
            options.serviceFaults[culprit] = Dictionary(uniqueKeysWithValues: Self.services.map { ($0, fault) })
        }
        let rig = Rig([0x0C: .seconds(1), 0x0D: .seconds(1)], bus: bus, vehicle: options)
        let result = ResultBox()
        let log = try await rig.run {
            // Service 08 requires that the engine is off.
            for await _ in rig.events where rig.clock.now.sinceBoot > .seconds(110) { break }
            let outcome = try await rig.session.withBus { lease throws(SessionError) in
                let control = try await lease.ask(Request(service: .control, data: [1, 0, 0, 0, 0, 0]))
                let codes = try await lease.readCodes()
                let monitors = try await lease.readMonitors()
                let identity = try await lease.readVehicle()
                let vehicle = rig.log.vehicle.withVehicle { $0 }
                return Outcome(
                    bus: bus,
                    situation: situation,
                    vehicle: vehicle,
                    codes: codes,
                    monitors: monitors,
                    identity: identity,
                    control: control,
                    clear: try await lease.ask(.clearCodes),
                    codesAfter: try await lease.readCodes(),
                    monitorsAfter: try await lease.readMonitors()
                )
            }
            result.value.withLock { $0 = outcome }
        }
        #expect(log.wrong.isEmpty && !log.samples.isEmpty)
        return try #require(result.value.withLock { $0 })
    }

    @Test(
        "What is read is what the ECUs have; what can't be read is not none",
        arguments: BusProtocol.allCases.filter { $0.number <= "9" },
        Situation.allCases
    )
    func matrix(_ bus: BusProtocol, _ situation: Situation) async throws {
        for ecus in 1...3 {
            let outcome = try await Self.run(bus, ecus: ecus, situation)
            #expect(outcome.identity.ecus.count == ecus)
            Self.checkCodes(outcome)
            Self.checkFrames(outcome)
            Self.checkTests(outcome)
            Self.checkInformation(outcome)
            Self.checkControl(outcome)
            Self.checkClear(outcome)
        }
    }

    // MARK: - Services 03, 07 and 0A

    private static func checkCodes(_ outcome: Outcome) {
        let memory = outcome.vehicle.memory
        for (state, all) in [(.stored, memory.confirmed), (.pending, memory.pending), (.permanent, memory.permanent)]
            as [(CodeState, [DTC])]
        {
            let isThere = outcome.bus.isCAN || state != .permanent
            let comment: Comment = "\(state) of \(outcome.bus), \(outcome.vehicle.ecus), \(outcome.situation)"
            switch (outcome.codes.lists[state], outcome.situation) {
            case (.read(let codes), let situation):
                #expect(isThere && situation != .refuses && situation != .cutsShort, comment)
                for ecu in outcome.vehicle.ecus {
                    let own = memory.codes(all, storedBy: ecu).map(TroubleCode.j2012)
                    if ecu == outcome.culprit {
                        // On CAN, and without a code count, an ECU shows by silence that it lacks the list.
                        #expect(codes[outcome.address(ecu)] == nil, comment)
                        #expect(situation == .notSupported || own.isEmpty || state != .stored, comment)
                    } else {
                        #expect(codes[outcome.address(ecu)] == own, comment)
                    }
                }
            case (.notSupported, let situation):
                #expect(!isThere || outcome.vehicle.ecus.count == 1 && situation != .codes, comment)
                #expect(!isThere || [.notSupported, .silent].contains(situation), comment)
                // Stored codes are counted, so silence does not prove that the list is unsupported. A refusal does.
                #expect(state != .stored || situation == .notSupported, comment)
            case (.incomplete(let codes), let situation):
                // The codes of the other ECUs are right, and those of the faulty one are not there.
                #expect(situation.fault != nil && outcome.vehicle.ecus.count > 1, comment)
                for ecu in outcome.vehicle.ecus {
                    let own = memory.codes(all, storedBy: ecu).map(TroubleCode.j2012)
                    #expect(codes[outcome.address(ecu)] == (ecu == outcome.culprit ? nil : own), comment)
                }
            case (.failed, let situation):
                #expect(situation.fault != nil, comment)
                if situation == .notSupported || situation == .silent { #expect(state == .stored, comment) }
            case (nil, _):
                Issue.record("\(state) was not asked")
            }
        }
    }

    // MARK: - Service 02

    private static func checkFrames(_ outcome: Outcome) {
        let comment: Comment = "frames of \(outcome.bus), \(outcome.vehicle.ecus), \(outcome.situation)"
        for ecu in outcome.vehicle.ecus {
            guard let frame = outcome.vehicle.memory.freezeFrames[ecu] else {
                #expect(outcome.codes.freezeFrames[outcome.address(ecu)] == nil, comment)
                continue
            }
            let reading = outcome.codes.freezeFrames[outcome.address(ecu)]
            // The session reads no freeze frames while the stored codes are unknown.
            guard outcome.codes.isKnown else {
                #expect(outcome.codes.freezeFrames.isEmpty, comment)
                continue
            }
            if ecu == outcome.culprit {
                #expect(reading == nil || reading == .failed || reading == .notSupported, comment)
                continue
            }
            guard case .stored(frame.code, let values, []) = reading else {
                Issue.record("\(String(describing: reading)), \(comment)")
                continue
            }
            let numbers = Dictionary(values.map { ($0.field.name, $0.value) }) { first, _ in first }
            func isTrue(_ name: String, _ truth: Double, step: Double) -> Bool {
                guard case .number(let number) = numbers[name] else { return false }
                return abs(number - truth) <= step
            }
            #expect(isTrue("vehicle_speed", frame.state.vehicleSpeed, step: 1), comment)
            guard ecu != .brakes else { continue }
            #expect(isTrue("engine_speed", frame.state.engineSpeed, step: 0.25), comment)
            guard ecu == .engine else { continue }
            #expect(isTrue("coolant_temperature", frame.state.coolant, step: 1), comment)
            #expect(isTrue("control_module_voltage", frame.state.voltage, step: 0.001), comment)
            #expect(values.count >= 15, comment)
        }
    }

    // MARK: - Services 05 and 06

    private static func checkTests(_ outcome: Outcome) {
        for ecu in outcome.vehicle.ecus {
            let comment: Comment = "tests of \(outcome.bus), \(ecu), \(outcome.situation)"
            let truth = outcome.results(ecu)
            let reading = outcome.monitors.tests[outcome.address(ecu)]
            if ecu == outcome.culprit {
                switch outcome.situation {
                case .notSupported, .silent: #expect(reading == .notSupported, comment)
                default:
                    // An ECU without any test has nothing that could be cut short.
                    let hasNone = truth.tests.isEmpty && outcome.situation == .cutsShort
                    let isOlder = truth.componentTests.isEmpty && !outcome.bus.isCAN
                    #expect(
                        reading == (hasNone || isOlder && outcome.situation == .cutsShort ? .notSupported : .failed),
                        comment
                    )
                }
                continue
            }
            var expected: [TestResult] = outcome.bus.isCAN ? truth.tests.map(TestResult.monitor) : []
            if !outcome.bus.isCAN {
                expected = truth.componentTests.map(TestResult.component)
                for (sensor, name) in [(0x01, "B1S1"), (0x02, "B1S2")] as [(UInt8, String)] {
                    for test in truth.oxygenSensorTests(sensor: sensor) {
                        guard let result = truth.oxygenSensorTest(test, sensor: sensor) else { continue }
                        expected.append(.oxygenSensor(result, sensor: name))
                    }
                }
            }
            guard !expected.isEmpty else {
                #expect(reading == .notSupported, comment)
                continue
            }
            guard case .read(let results, unread: 0) = reading else {
                Issue.record("\(String(describing: reading)), \(comment)")
                continue
            }
            #expect(Set(results) == Set(expected) && results.count == expected.count, comment)
        }
        let engine = outcome.address(.engine)
        let state = outcome.vehicle.state(at: outcome.monitors.time)
        #expect(outcome.monitors.sinceClear[engine] == outcome.vehicle.memory.status(of: .engine, state))
        #expect(outcome.monitors.inCycle[engine] == outcome.vehicle.memory.cycleStatus(state))
    }

    // MARK: - Service 09

    private static func checkInformation(_ outcome: Outcome) {
        for ecu in outcome.vehicle.ecus {
            let comment: Comment = "information of \(outcome.bus), \(ecu), \(outcome.situation)"
            guard let known = outcome.identity.ecus[outcome.address(ecu)] else {
                Issue.record(comment)
                continue
            }
            guard ecu != outcome.culprit else {
                #expect(known.vin == nil && known.calibrationIDs.isEmpty && known.performance == nil, comment)
                let isDoubtful = outcome.situation == .refuses || outcome.situation == .cutsShort
                #expect(known.unread.isEmpty == !isDoubtful, comment)
                continue
            }
            #expect(known.unread.isEmpty && known.name == ecu.name, comment)
            #expect(known.calibrationIDs == [ecu.calibrationID], comment)
            #expect(known.performance == outcome.results(ecu).performance, comment)
            guard ecu == .engine else { continue }
            #expect(known.vin?.description == outcome.vehicle.options.vin, comment)
            let number = outcome.bus.isCAN ? ECUServices.engineSerialNumber : nil
            #expect(known.engineSerialNumber == number, comment)
        }
    }

    // MARK: - Service 08

    private static func checkControl(_ outcome: Outcome) {
        let comment: Comment = "control of \(outcome.bus), \(outcome.vehicle.ecus), \(outcome.situation)"
        let hasEngine = outcome.culprit != .engine
        // The session sends the request once. Even the faulty ECU performs it, and only its answer is wrong.
        #expect(outcome.vehicle.performedControls == [ControlRequest.evaporativeLeakTest], comment)
        guard case .answered(let answers) = outcome.control,
            case .positive(let messages) = answers[outcome.address(.engine)]
        else {
            #expect(!hasEngine, comment)
            return
        }
        #expect(messages == [[0x48, 1, 0, 0, 0, 0, 0]] || !hasEngine, comment)
    }

    // MARK: - Service 04

    private static func checkClear(_ outcome: Outcome) {
        let comment: Comment = "clearing of \(outcome.bus), \(outcome.vehicle.ecus), \(outcome.situation)"
        let cleared = outcome.vehicle.ecus.map { (outcome.address($0), ELM327.ECUReply.positive([[0x44]])) }
        #expect(outcome.clear == .answered(Dictionary(uniqueKeysWithValues: cleared)), comment)
        guard outcome.culprit == nil else { return }
        let none = outcome.vehicle.ecus.map { (outcome.address($0), [TroubleCode]()) }
        #expect(outcome.codesAfter.lists[.stored] == .read(Dictionary(uniqueKeysWithValues: none)), comment)
        #expect(outcome.codesAfter.lists[.permanent] == outcome.codes.lists[.permanent], comment)
        #expect(outcome.codesAfter.freezeFrames.isEmpty, comment)
        guard case .read(let results, unread: 0) = outcome.monitorsAfter.tests[outcome.address(.engine)] else {
            Issue.record(comment)
            return
        }
        for case .monitor(let test) in results { #expect(test.verdict == .notRun, comment) }
        for case .component(let test) in results { #expect(test.verdict == .notRun, comment) }
    }
}

/// The outcome that the body of a lease hands to the test.
private final class ResultBox: Sendable {
    let value = Mutex<MatrixTests.Outcome?>(nil)
}
