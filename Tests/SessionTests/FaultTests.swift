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

@Suite("A session whose adapter or bus goes wrong", .timeLimit(.minutes(10)))
struct FaultTests {
    /// The phase of the session in which the fault occurs, with a line that the session then writes.
    enum Phase: String, CaseIterable {
        case startUp = "0100"
        case settings = "ATH1"
        case bitmaps = "0120"
        case identification = "0902"
        case watch = "0101"
        case storedCodes = "03"
        case pendingCodes = "07"
        case permanentCodes = "0A"
        case information = "090A"
        case polling = "010D"
    }

    private static let intervals: [ParameterKey: Duration] = [0x0C: .seconds(2), 0x0D: .seconds(2), 0x05: .seconds(10)]

    private static let faults: [InjectedFault] = [
        .garbage, .truncated, .lateReply(to: [0x01, 0x0D]), .lateReply(to: [0x01, 0x0C]), .promptMissing,
        .duplicatedLines, .noData, .negative(0x11), .negative(0x21), .negative(0x22), .negative(0x78), .stopped,
        .lowVoltageReset, .silence, .slowBytes, .disconnect,
    ]

    @Test(
        "Whatever goes wrong, and whenever: samples come back, and nothing is told that is not so",
        .serialized,
        arguments: Self.faults,
        Phase.allCases
    )
    func fault(_ fault: InjectedFault, in phase: Phase) async throws {
        for count in [1, 3, 8] {
            try await Self.check(fault, count, phase)
        }
    }

    private static func check(_ fault: InjectedFault, _ count: Int, _ phase: Phase) async throws {
        var options = SimulatedVehicle.Options()
        options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0700)]
        options.pendingCodes = [DTC(rawValue: 0x0420)]
        options.permanentCodes = [DTC(rawValue: 0x0301)]
        let injected = Mutex(false)
        let rig = Rig(Self.intervals, vehicle: options) { line, link in
            guard line == phase.rawValue, !injected.withLock({ was in (was, was = true).0 }) else { return }
            link.inject(fault, requests: count)
        }
        let log = try await rig.run(for: .seconds(200))
        let what: Comment = "\(fault) × \(count) in \(phase)"
        #expect(injected.withLock { $0 }, what)
        #expect(log.wrong.isEmpty, what)
        // All selected parameters are read again long before the end.
        let recent = log.samples.filter { $0.time.sinceBoot > .seconds(100 + 130) }
        let names = Set(recent.filter { $0.ecu == DrivingTests.engine }.map(\.value.field.name))
        #expect(names == ["engine_speed", "vehicle_speed", "coolant_temperature"], what)
        #expect(log.identities.allSatisfy { $0.vin == nil || $0.vin?.description == options.vin }, what)
        #expect(log.identities.last?.vin?.description == options.vin, what)
        #expect(log.identities.last?.ecus.count == 2, what)
        // Each list is unread or right, and the last reading has all lists.
        for reading in log.readings {
            for (state, list) in reading.lists {
                guard case .read(let ecus) = list else { continue }
                #expect(ecus.mapValues(Set.init) == Self.codes[state], "\(what): \(state)")
            }
        }
        #expect(log.readings.last?.lists.count == 3, what)
        #expect(log.readings.last?.lists.values.contains(where: \.isOpen) == false, what)
        // A vehicle without a list answers with silence or a refusal, which look like these two faults.
        guard fault != .noData, fault != .negative(0x11) else { return }
        #expect(log.readings.last?.lists.values.contains(.notSupported) == false, what)
    }

    private static let codes: [CodeState: [ECUAddress: Set<TroubleCode>]] = [
        .stored: [
            DrivingTests.engine: [.j2012(DTC(rawValue: 0x0301))],
            DrivingTests.transmission: [.j2012(DTC(rawValue: 0x0700))],
        ],
        .pending: [DrivingTests.engine: [.j2012(DTC(rawValue: 0x0420))], DrivingTests.transmission: []],
        .permanent: [DrivingTests.engine: [.j2012(DTC(rawValue: 0x0301))], DrivingTests.transmission: []],
    ]

    @Test("Random faults all day long: nothing is told that is not so", .serialized, arguments: 0..<4)
    func randomFaults(seed: UInt64) async throws {
        let numbers = Mutex(SeededNumbers(seed))
        let rig = Rig(Self.intervals) { line, link in
            numbers.withLock { numbers in
                guard Int.random(in: 0..<40, using: &numbers) == 0 else { return }
                let fault = Self.faults.randomElement(using: &numbers) ?? .garbage
                link.inject(fault, requests: Int.random(in: 1...4, using: &numbers))
            }
        }
        let log = try await rig.run(for: .seconds(3600))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.samples.count > 1000)
        for reading in log.readings where reading.isKnown { #expect(reading.states.isEmpty) }
        #expect(log.identities.allSatisfy { $0.vin == nil || $0.vin == log.identities.last?.vin })
    }
}
