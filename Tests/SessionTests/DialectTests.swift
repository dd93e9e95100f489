// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Synchronization
import TestSupport
import Testing

@Suite("A session with a vehicle of another dialect", .timeLimit(.minutes(10)))
struct DialectTests {
    private static let intervals: [ParameterKey: Duration] = [0x0C: .seconds(2), 0x0D: .seconds(2), 0x05: .seconds(10)]
    private static let names: Set<String> = ["engine_speed", "vehicle_speed", "coolant_temperature"]

    private static var car: SimulatedVehicle.Options {
        var options = SimulatedVehicle.Options()
        options.dialect = .j1979Part2
        options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0741)]
        options.pendingCodes = [DTC(rawValue: 0x0420)]
        options.permanentCodes = [DTC(rawValue: 0x0171)]
        options.part2.failureTypes = [DTC(rawValue: 0x0301): 0x1F]
        return options
    }

    private static var truck: SimulatedVehicle.Options {
        var options = SimulatedVehicle.Options()
        options.bus = .j1939
        options.activeJ1939Codes = [
            .init(spn: 110, fmi: 0, occurrences: 3), .init(spn: 3226, fmi: 4), .init(spn: 100, fmi: 1),
        ]
        options.pendingJ1939Codes = [.init(spn: 157, fmi: 18)]
        return options
    }

    private static let carCodes: [CodeState: [ECUAddress: Set<String>]] = [
        .stored: [DrivingTests.engine: ["P0301-1F"], DrivingTests.transmission: ["P0741-00"]],
        .pending: [DrivingTests.engine: ["P0420-00"], DrivingTests.transmission: []],
        .permanent: [DrivingTests.engine: ["P0171-00"], DrivingTests.transmission: []],
    ]

    private static let engine = ECUAddress.j1939(0)
    private static let transmission = ECUAddress.j1939(3)
    private static let truckCodes: [CodeState: [ECUAddress: Set<String>]] = [
        .stored: [Self.engine: ["SPN110-FMI0", "SPN3226-FMI4", "SPN100-FMI1"], Self.transmission: []],
        .pending: [Self.engine: ["SPN157-FMI18"]],
        .permanent: [Self.engine: []],
    ]

    private static func names(in log: EventLog.Contents, after: Duration = .zero) -> Set<String> {
        Set(log.samples.filter { $0.time.sinceBoot >= .seconds(100) + after }.map(\.value.field.name))
    }

    /// Checks that each list is unread or right.
    private static func check(
        _ log: EventLog.Contents,
        _ codes: [CodeState: [ECUAddress: Set<String>]],
        _ what: Comment
    ) {
        for reading in log.readings {
            for (state, list) in reading.lists {
                guard case .read(let ecus) = list else { continue }
                for (ecu, told) in ecus {
                    #expect(Set(told.map(\.description)) == codes[state]?[ecu] ?? [], "\(what): \(state) of \(ecu)")
                }
                // Every ECU with codes is in the list.
                for (ecu, known) in codes[state] ?? [:] where !known.isEmpty {
                    #expect(ecus[ecu] != nil, "\(what): \(state) of \(ecu)")
                }
            }
        }
    }

    // MARK: - OBD on UDS

    @Test(
        "A car of J1979-2 is found, identified, polled, and its codes are read",
        arguments: [BusProtocol.can11at500, .can29at500]
    )
    func part2(bus: BusProtocol) async throws {
        var options = Self.car
        options.bus = bus
        let rig = Rig(Self.intervals, vehicle: options)
        let log = try await rig.run(for: .seconds(120))
        let identity = try #require(log.identities.last)
        #expect(identity.dialect == .j1979Part2 && identity.bus == bus)
        #expect(identity.vin?.description == options.vin)
        #expect(identity.ecus.count == 2)
        let primary = try #require(identity.primary)
        #expect(identity.ecus[primary]?.name?.name == "EngineControl")
        #expect(identity.ecus[primary]?.calibrationIDs == ["SIM16MPI00420A"])
        #expect(Self.names(in: log) == Self.names)
        #expect(log.samples.count > 100)
        #expect(log.wrong.isEmpty)
        #expect(log.dropped == 0)
        let reading = try #require(log.readings.last)
        #expect(reading.lists.count == 3)
        #expect(reading.lists.values.allSatisfy { if case .read = $0 { true } else { false } })
        #expect(reading.monitors[primary]?.mil == true)
        #expect(reading.freezeFrames.isEmpty)
        if bus == .can11at500 { Self.check(log, Self.carCodes, "drive") }
        // After the dialect is found, the session sends no request of J1979.
        let found = try #require(log.lines.firstIndex(of: "22F400"))
        #expect(!log.lines[found...].contains { $0.hasPrefix("01") || $0.hasPrefix("0") && $0.count == 2 })
    }

    @Test("ECUs that know no functional groups are asked by state alone, and permanent codes are not supported")
    func ungrouped() async throws {
        var options = Self.car
        options.part2.ecusWithoutGroups = Set(ECU.allCases)
        let rig = Rig(Self.intervals, vehicle: options)
        let log = try await rig.run(for: .seconds(60))
        Self.check(log, Self.carCodes, "ungrouped")
        let reading = try #require(log.readings.last)
        #expect(reading.isKnown)
        #expect(reading.lists[.permanent] == .notSupported)
        #expect(reading.mil == true)
        #expect(log.lines.contains("190208") && log.lines.contains("190204"))
    }

    @Test("Where one ECU answers 19 42 and another only 19 02, the codes of both are read, each once")
    func mixed() async throws {
        var options = Self.car
        options.part2.ecusWithoutGroups = [.transmission]
        options.part2.ecusWithoutStatus = [.engine]
        options.part2.severity = CodeSeverity(rawValue: 0x44)
        let rig = Rig(Self.intervals, vehicle: options)
        let log = try await rig.run(for: .seconds(120))
        Self.check(log, Self.carCodes, "mixed")
        let reading = try #require(log.readings.last)
        #expect(reading.isKnown && reading.lists[.stored]?.codes.count == 2)
        #expect(log.lines.contains("19423308FF") && log.lines.contains("190208"))
        // Only the request by groups has the severity.
        let misfire = try #require(TroubleCode("P0301-1F"))
        let gear = try #require(TroubleCode("P0741-00"))
        #expect(reading.severity(of: misfire, in: DrivingTests.engine)?.action == .checkAtNextHalt)
        #expect(reading.severity(of: gear, in: DrivingTests.transmission)?.action == nil)
        #expect(log.wrong.isEmpty && log.dropped == 0)
    }

    @Test("Where an ECU answers neither 19 42 nor 19 02, the list is incomplete, and the codes of the others are kept")
    func unanswered() async throws {
        var options = Self.car
        options.part2.ecusWithoutGroups = [.transmission]
        options.part2.ecusWithoutStatus = [.transmission]
        let rig = Rig(Self.intervals, vehicle: options)
        let log = try await rig.run(for: .seconds(60))
        let reading = try #require(log.readings.last)
        #expect(!reading.isKnown)
        guard case .incomplete(let codes) = reading.lists[.stored] else {
            Issue.record("\(String(describing: reading.lists[.stored]))")
            return
        }
        #expect(codes.mapValues { $0.map(\.description) } == [DrivingTests.engine: ["P0301-1F"]])
        #expect(reading.mil == true)
    }

    @Test("The readiness of J1979-2 is read as its identifier, and PID 01 where the ECUs have that instead")
    func readiness() async throws {
        for hasReadiness in [true, false] {
            var options = Self.car
            options.part2.hasReadiness = hasReadiness
            let rig = Rig(Self.intervals, vehicle: options)
            let log = try await rig.run(for: .seconds(60))
            let status = try #require(log.readings.last?.monitors[DrivingTests.engine])
            #expect(status.mil && status.codeCount == 1)
            #expect(status.supported.contains(hasReadiness ? .engineCooling : .oxygenSensorHeater))
            #expect((status.ignition == nil) == hasReadiness)
            #expect(log.lines.contains("22F501") == hasReadiness)
            #expect(log.lines.contains("22F401") == !hasReadiness)
        }
    }

    @Test("Clearing in a lease is service 14, sent once, and answers in the words of J1979")
    func clear() async throws {
        var options = Self.car
        options.refusesToClearWhileRunning = false
        let rig = Rig(Self.intervals, vehicle: options)
        let log = try await rig.run {
            await rig.firstSamples()
            try await rig.session.withBus { lease throws(SessionError) in
                let outcome = try await lease.ask(.clearCodes)
                #expect(
                    outcome
                        == .answered([
                            DrivingTests.engine: .positive([[0x44]]), DrivingTests.transmission: .positive([[0x44]]),
                        ])
                )
                guard case .answered(let speed) = try await lease.ask(.currentData(0x0D)) else { throw .notConnected }
                #expect(
                    speed.values.contains {
                        if case .positive(let messages) = $0 { messages[0].prefix(2) == [0x41, 0x0D] } else { false }
                    }
                )
                let reading = try await lease.readCodes()
                #expect(
                    reading.isKnown && reading.states.values.allSatisfy { $0.values.allSatisfy { $0 == [.permanent] } }
                )
            }
        }
        #expect(log.lines.filter { $0.hasPrefix("14") } == ["14FFFF33"])
    }

    private static let carFaults: [InjectedFault] = [
        .garbage, .truncated, .lateReply(to: [0x22, 0xF4, 0x0D]), .lateReply(to: [0x19, 0x42, 0x33, 0x04, 0xFF]),
        .duplicatedLines, .noData, .negative(0x11), .negative(0x31), .negative(0x7F), .negative(0x21), .negative(0x78),
        .stopped,
        .lowVoltageReset, .disconnect,
    ]

    @Test(
        "Whatever goes wrong with a car of J1979-2, nothing is told that is not so",
        .serialized,
        arguments: Self.carFaults,
        ["22F400", "22F802", "22F501", "19423308FF", "19423304FF", "195533", "22F40D"]
    )
    func carFault(_ fault: InjectedFault, line: String) async throws {
        try await Self.run(Self.car, fault, line, Self.carCodes)
    }

    private static func run(
        _ options: SimulatedVehicle.Options,
        _ fault: InjectedFault,
        _ phase: String,
        _ codes: [CodeState: [ECUAddress: Set<String>]]
    ) async throws {
        for count in [1, 4] {
            let injected = Mutex(false)
            let rig = Rig(Self.intervals, vehicle: options) { line, link in
                guard line == phase, !injected.withLock({ was in (was, was = true).0 }) else { return }
                link.inject(fault, requests: count)
            }
            let log = try await rig.run(for: .seconds(260))
            let what: Comment = "\(fault) × \(count) at \(phase)"
            #expect(injected.withLock { $0 }, what)
            #expect(log.wrong.isEmpty, "\(what): \(log.wrong.prefix(2))")
            Self.check(log, codes, what)
            #expect(Self.names(in: log, after: .seconds(180)).isSuperset(of: Self.names), what)
            #expect(log.identities.last?.vin?.description == options.vin, what)
            #expect(log.readings.last?.isKnown == true, what)
        }
    }

    // MARK: - J1939

    @Test("A truck is found without a question, identified, polled by listening, and its codes are read")
    func truck() async throws {
        let rig = Rig(Self.intervals, vehicle: Self.truck)
        let log = try await rig.run(for: .seconds(120))
        let identity = try #require(log.identities.last)
        #expect(identity.dialect == .j1939 && identity.bus == .j1939)
        #expect(identity.vin?.description == Self.truck.vin)
        #expect(Set(identity.ecus.keys) == [Self.engine, Self.transmission])
        #expect(identity.primary == Self.engine)
        #expect(identity.ecus[Self.engine]?.name?.name == "SIMLT D13 460")
        #expect(identity.supports(0x0C) && identity.supports(0x05))
        #expect(Self.names(in: log).isSuperset(of: Self.names))
        #expect(log.samples.count > 100)
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        let reading = try #require(log.readings.last)
        Self.check(log, Self.truckCodes, "drive")
        #expect(reading.lists.values.allSatisfy { if case .read = $0 { true } else { false } })
        #expect(reading.monitors[Self.engine]?.mil == true)
        // The session does not request the groups that the ECUs broadcast.
        #expect(!log.lines.contains { ["00F004", "00FEF1", "00FEEE", "00FECA"].contains($0) })
        let found = try #require(log.lines.firstIndex(of: "ATSPA"))
        #expect(!log.lines[found...].contains { $0.hasPrefix("01") || $0.hasPrefix("22") })
    }

    @Test("A truck tells its readiness, its calibrations and how often its monitors have run")
    func diagnosticMessages() async throws {
        let rig = Rig(Self.intervals.merging([0x21: .seconds(30), 0x30: .seconds(30)]) { $1 }, vehicle: Self.truck)
        let log = try await rig.run(for: .seconds(300))
        let known = try #require(log.identities.last?.ecus)
        #expect(known[Self.engine]?.calibrationIDs == ["SIM16MPI00420A"])
        #expect(known[Self.engine]?.calibrationVerificationNumbers == ["1791BC82"])
        #expect(known[Self.transmission]?.calibrationIDs == ["SIM6AT000117C"])
        let performance = try #require(known[Self.engine]?.performance)
        #expect(performance.ignition == .compression)
        #expect(performance.ratios.first { $0.monitor == "nox_catalyst" }?.completions == 377)
        #expect(known[Self.transmission]?.performance == nil)
        // The lamp is from DM1, and the monitors are from DM5. The transmission has no monitors.
        let monitors = try #require(log.monitors.last)
        let engine = try #require(monitors[Self.engine])
        #expect(engine.mil && engine.codeCount == 3 && engine.ignition == nil)
        #expect(engine.supported.isSuperset(of: [.particulateFilter, .noxAftertreatment, .exhaustGasRecirculation]))
        #expect(monitors[Self.transmission]?.supported == [])
        #expect(Self.names(in: log).isSuperset(of: ["distance_with_mil", "warm_ups_since_clear"]))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.lines.count { $0.hasPrefix("00FECE") } == 1)
    }

    @Test("A reading of a truck's monitors has its readiness since the clear and in this trip")
    func monitors() async throws {
        let rig = Rig(Self.intervals, vehicle: Self.truck)
        let log = try await rig.run {
            await rig.firstCodes()
            try await rig.session.withBus { lease throws(SessionError) in
                let reading = try await lease.readMonitors()
                #expect(reading.sinceClear[Self.engine]?.mil == true)
                #expect(reading.sinceClear[Self.engine]?.supported.contains(.particulateFilter) == true)
                #expect(reading.inCycle.keys.sorted() == [Self.engine])
                #expect(reading.inCycle[Self.engine]?.incomplete.contains(.particulateFilter) == true)
            }
        }
        #expect(log.lines.contains { $0.hasPrefix("00FECE") } && log.lines.contains { $0.hasPrefix("00FDB8") })
    }

    @Test("A truck whose codes come and go tells them so")
    func noCodes() async throws {
        var options = Self.truck
        options.activeJ1939Codes = []
        let rig = Rig(Self.intervals, bus: .j1939, vehicle: options)
        let log = try await rig.run(for: .seconds(60))
        let reading = try #require(log.readings.last)
        #expect(reading.lists[.stored] == .read([Self.engine: [], Self.transmission: []]))
        #expect(reading.monitors[Self.engine]?.mil == false)
        #expect(!log.lines.contains("0100"))
    }

    @Test("A lease reads what a truck is heard to say, whether it is polled or not")
    func lease() async throws {
        let rig = Rig([0x0C: .seconds(2)], vehicle: Self.truck)
        _ = try await rig.run {
            await rig.firstSamples()
            try await rig.session.withBus { lease throws(SessionError) in
                for (key, name) in [(0x0C, "engine_speed"), (0x05, "coolant_temperature")] as [(ParameterKey, String)] {
                    let values = try await lease.read(key).values
                    #expect(values.keys.sorted() == [Self.engine])
                    #expect(values[Self.engine]?.field.name == name)
                    #expect(
                        ParameterGroup.named(name)?.signals.contains { $0.field == values[Self.engine]?.field } == true
                    )
                }
                // J1939 has no oxygen sensor under this name.
                #expect(try await lease.read(0x14).values.isEmpty)
            }
        }
    }

    @Test("What J1939 has no words for is not asked, and clearing least of all")
    func untold() async throws {
        let rig = Rig(Self.intervals, vehicle: Self.truck)
        let log = try await rig.run {
            await rig.firstSamples()
            try await rig.session.withBus { lease throws(SessionError) in
                #expect(try await lease.ask(.clearCodes) == .noData)
                #expect(try await lease.ask(.freezeFrame(0x0C)) == .noData)
                #expect(try await lease.readCodes().isKnown)
            }
        }
        #expect(!log.lines.contains { $0.hasPrefix("04") || $0.contains("FED3") || $0.contains("FECC") })
    }

    private static let truckFaults: [InjectedFault] = [
        .garbage, .truncated, .lostFrame, .lateReply(to: [0x00, 0xFE, 0xF1]), .lateReply(to: [0x00, 0xFE, 0xCB]),
        .duplicatedLines, .noData, .negative(1), .negative(3), .stopped, .lowVoltageReset, .disconnect,
    ]

    @Test(
        "Whatever goes wrong with a truck, nothing is told that is not so",
        .serialized,
        arguments: Self.truckFaults,
        ["ATMPF0041", "00FEEC", "ATMPFECA", "00FECF", "00FD80", "ATMPFEF11"]
    )
    func truckFault(_ fault: InjectedFault, line: String) async throws {
        try await Self.run(Self.truck, fault, line, Self.truckCodes)
    }

    @Test("A parked truck ends the session, and is found again")
    func parked() async throws {
        let rig = Rig(Self.intervals, vehicle: Self.truck)
        let log = try await rig.run {
            await rig.firstSamples()
            rig.log.vehicle.withVehicle { $0.isParked = true }
            for await event in rig.events { if case .link(.waiting(.vehicleSilent, _)) = event { break } }
            rig.log.vehicle.withVehicle { $0.isParked = false }
            for await event in rig.events { if case .samples = event { return } }
        }
        #expect(log.states.contains { if case .connected = $0 { true } else { false } })
    }
}
