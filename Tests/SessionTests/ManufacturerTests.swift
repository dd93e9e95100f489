// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Simulator
import Testing

@testable import Session

/// Whole sessions with vehicles that report their VIN, or all that they have, only to requests to single ECUs.
@Suite("A vehicle that answers its manufacturer's requests", .timeLimit(.minutes(10)))
struct ManufacturerTests {
    private static let charge = ParameterKey.custom("charge")

    private static func parameter(
        _ name: String,
        _ payload: [UInt8],
        _ request: UInt16,
        _ reply: UInt16,
        _ formula: String,
        _ role: ParameterRole
    ) throws -> CustomParameter {
        CustomParameter(
            request: try CustomRequest(
                payload: payload,
                destination: Destination(
                    header: .can11(request),
                    responder: .can11(reply),
                    setsFlowControl: request != 0x7E4
                )
            ),
            field: Field(custom: name, try Formula(formula), role: role)
        )
    }

    /// Parameters of two ECUs of the Nissan Leaf.
    private static func leaf(withDrive: Bool) throws -> [CustomParameter] {
        let battery = try Self.parameter(
            "charge",
            [0x21, 0x01],
            0x79B,
            0x7BB,
            "(AF*65536+AG*256+AH)/8190-17",
            .stateOfCharge
        )
        guard withDrive else { return [battery] }
        return [
            battery, try Self.parameter("speed", [0x22, 0x12, 0x1A], 0x797, 0x79A, "uint16(A,B)/10", .vehicleSpeed),
            try Self.parameter("ready", [0x22, 0x13, 0x04], 0x797, 0x79A, "bits(0,1)", .ready),
            try Self.parameter("charging", [0x22, 0x11, 0x4E], 0x797, 0x79A, "A", .charging),
        ]
    }

    private static func rig(
        _ model: VehicleModel,
        _ phases: [VehiclePhase],
        _ custom: [CustomParameter]
    ) -> Rig {
        var options = SimulatedVehicle.Options(model)
        options.phases = phases
        return Rig(
            [Self.charge: .seconds(10), 0x0D: .seconds(1)],
            vehicle: options,
            custom: custom,
            charging: [Self.charge],
            parking: ParkingPolicy(idleLimit: .seconds(30))
        )
    }

    @Test("The Leaf is found, told by its VIN, read for the whole drive and left alone after it")
    func drive() async throws {
        let rig = Self.rig(
            .electricLeaf,
            [
                VehiclePhase(.drive, .seconds(1200)), VehiclePhase(.awake, .seconds(600)),
                VehiclePhase(.asleep, .seconds(100_000)),
            ],
            try Self.leaf(withDrive: true)
        )
        let start = rig.clock.now
        let log = try await rig.run(for: .seconds(3600))
        let identity = try #require(log.identities.first)
        #expect(identity.dialect == .manufacturer)
        #expect(identity.vin != nil)
        #expect(log.identities.allSatisfy { $0.vin == identity.vin })
        let times = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
        let inDrive = times.filter { $0 < .seconds(1200) }
        let gaps = zip(inDrive, inDrive.dropFirst()).map { $1 - $0 }
        #expect((inDrive.first ?? .seconds(9999)) < .seconds(60))
        #expect((gaps.max() ?? .seconds(9999)) < .seconds(15), "\(gaps.max().debugDescription)")
        #expect((inDrive.last ?? .zero) > .seconds(1180))
        #expect((times.last ?? .zero) < .seconds(1200 + 60), "\(times.last.debugDescription)")
        let requests = rig.log.vehicle.withVehicle(\.requests)
        #expect(requests.awake < 30 && requests.asleep < 10, "\(requests)")
        #expect(log.dropped == 0)
    }

    @Test("What the vehicle does not have is not supported, and is never requested")
    func unsupported() async throws {
        let rig = Self.rig(.electricLeaf, [VehiclePhase(.drive, .seconds(1200))], try Self.leaf(withDrive: true))
        let session = rig.session
        try await rig.run {
            await rig.firstSamples()
            #expect(await session.unsupported == [0x0D])
            let bus = await session.identity
            #expect(bus?.ecus.keys.sorted() == [.can11(0x79A), .can11(0x7BB)])
        }
        let standard = rig.log.contents.lines.filter { $0.hasPrefix("01") || $0.hasPrefix("09") || $0.hasPrefix("03") }
        #expect(standard.filter { $0 != "0100" } == [])
    }

    @Test("A Leaf whose configuration knows one ECU without a VIN has a name of its own, and keeps it")
    func fingerprint() async throws {
        let rig = Self.rig(
            .electricLeaf,
            [
                VehiclePhase(.drive, .seconds(600)), VehiclePhase(.asleep, .seconds(3600)),
                VehiclePhase(.charging, .seconds(1800)), VehiclePhase(.drive, .seconds(600)),
            ],
            try Self.leaf(withDrive: false)
        )
        let log = try await rig.run(for: .seconds(6600))
        let first = try #require(log.identities.first)
        #expect(first.vin == nil)
        #expect(first.fingerprint == ["manufacturer", "7BB"])
        #expect(log.identities.count > 1)
        #expect(log.identities.allSatisfy { $0.fingerprint == first.fingerprint })
    }

    @Test("A car without service 09 has its VIN from the ECU of a custom parameter, in a drive and in a charge")
    func vinByIdentifier() async throws {
        let rig = Self.rig(
            .electric,
            [
                VehiclePhase(.drive, .seconds(600)), VehiclePhase(.asleep, .seconds(1800)),
                VehiclePhase(.charging, .seconds(1800)), VehiclePhase(.pluggedAsleep, .seconds(100_000)),
            ],
            [
                try Self.parameter("charge", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "E/2", .stateOfCharge),
                try Self.parameter("charging", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "bits(72,1)", .charging),
                try Self.parameter("ready", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "bits(405,1)", .ready),
            ]
        )
        let log = try await rig.run(for: .seconds(4800))
        let vins = Set(log.identities.map(\.vin))
        #expect(vins.count == 1 && vins.first != .some(nil), "\(vins)")
        #expect(log.identities.count > 1)
    }

    @Test("The ECU that has the VIN is found whatever is selected at the time, and its silence gives no other name")
    func selection() async throws {
        let custom = try Self.leaf(withDrive: true)
        let rig = Self.rig(
            .electricLeaf,
            [
                VehiclePhase(.drive, .seconds(600)), VehiclePhase(.asleep, .seconds(1200)),
                VehiclePhase(.drive, .seconds(600)), VehiclePhase(.asleep, .seconds(100_000)),
            ],
            custom
        )
        let session = rig.session
        let log = try await rig.run {
            await rig.firstSamples()
            // The selection has no parameter of the ECU with the VIN.
            _ = await session.select { _, _ in Selection(intervals: [Self.charge: .seconds(5)]) }
            for await event in rig.events {
                if case .samples = event, rig.clock.now.sinceBoot > .seconds(100 + 2000) { break }
            }
        }
        #expect(log.identities.count > 1)
        #expect(Set(log.identities.map(\.vin)).count == 1 && log.identities.first?.vin != nil)
    }

    @Test("A session that begins in a charge learns what the vehicle supports, and reads the drive after the charge")
    func beginInCharge() async throws {
        var options = SimulatedVehicle.Options(.electric)
        options.phases = [
            VehiclePhase(.charging, .seconds(900)), VehiclePhase(.drive, .seconds(900)),
            VehiclePhase(.asleep, .seconds(100_000)),
        ]
        let custom = [
            try Self.parameter("charge", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "E/2", .stateOfCharge),
            try Self.parameter("charging", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "bits(72,1)", .charging),
            try Self.parameter("ready", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "bits(405,1)", .ready),
        ]
        let rig = Rig(
            [Self.charge: .seconds(2), 0x5B: .seconds(10)],
            vehicle: options,
            custom: custom,
            charging: [Self.charge],
            parking: ParkingPolicy(idleLimit: .seconds(60))
        )
        let start = rig.clock.now
        let log = try await rig.run(for: .seconds(2400))
        let inDrive = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
            .filter { .seconds(960) < $0 && $0 < .seconds(1800) }
        let gaps = zip(inDrive, inDrive.dropFirst()).map { $1 - $0 }
        #expect((inDrive.first ?? .zero) < .seconds(1020), "\(inDrive.first.debugDescription)")
        #expect((gaps.max() ?? .seconds(9999)) < .seconds(5), "\(gaps.max().debugDescription)")
        #expect((inDrive.last ?? .zero) > .seconds(1790), "\(inDrive.last.debugDescription)")
    }

    @Test("The proof by the VIN of one ECU is followed by a proof that the adapter addresses all ECUs, before a clear")
    func writeAfterProof() async throws {
        let rig = Self.rig(
            .electric,
            [VehiclePhase(.ignition, .seconds(3600))],
            [try Self.parameter("charge", [0x22, 0x01, 0x01], 0x7E4, 0x7EC, "E/2", .stateOfCharge)]
        )
        let log = try await rig.run {
            await rig.firstCodes()
            _ = try await rig.session.withBus { lease throws(SessionError) in try await lease.ask(.clearCodes) }
        }
        let clear = try #require(log.lines.firstIndex(of: "04"))
        let proof = try #require(log.lines[..<clear].lastIndex(of: "22F190"))
        #expect(log.lines[proof..<clear].contains("ATSH7DF") && log.lines[proof..<clear].contains("0100"))
    }

    @Test("A sign whose ECU the adapter cannot address is still read right before a write")
    func refusedSign() throws {
        let ready = try Self.parameter("ready", [0x22, 0x13, 0x04], 0x797, 0x79A, "bits(0,1)", .ready)
        var report = AdapterReport()
        report.ecus = [.can11(0x7E8): [[0x41, 0x00, 0x18, 0, 0, 0]]]
        let destination = try #require(ready.request?.destination)
        let agenda = SessionAgenda(
            report,
            selection: Selection(intervals: [:]),
            custom: ["ready": ready],
            refusals: [destination]
        )
        #expect(agenda.customKeys(with: .ready) == [.custom("ready")])
        #expect(agenda.item(for: .custom("ready")) == nil)
    }

    @Test("A vehicle without any identity asks nothing for it, however often its short list is due")
    func noProof() throws {
        let charge = try Self.parameter("charge", [0x21, 0x01], 0x79B, 0x7BB, "A", .stateOfCharge)
        var report = AdapterReport()
        report.ecus = [.can11(0x7BB): [[0x61, 0x01, 5]]]
        var agenda = SessionAgenda(
            report,
            selection: Selection(intervals: [Self.charge: .seconds(45)]),
            custom: ["charge": charge]
        )
        var now = MonotonicTime(sinceBoot: .seconds(10))
        var questions = 0
        for _ in 0..<2000 {
            switch agenda.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: agenda.trials.isPending = false
            case .ask(let question):
                // Identification may ask what the dialect does not have. Polling may not.
                if agenda.isIdentified {
                    questions += 1
                    #expect(agenda.busRequest(question) != nil, "\(question)")
                }
                let isPoll = question == charge.request.map({ .poll(.custom($0)) })
                let answer: BusOutcome = isPoll ? .answered([.can11(0x7BB): .positive([[0x61, 0x01, 5]])]) : .noData
                _ = agenda.answered(question, BusResult(outcome: answer, dropped: 0), at: now)
                agenda.limit(to: agenda.isIdentified ? Selection(intervals: [Self.charge: .seconds(45)]) : nil)
            }
        }
        #expect(questions > 500)
    }

    @Test("A vehicle whose ECU with the VIN falls silent is asked for it a few times, and its session ends")
    func silentVIN() throws {
        let charge = try Self.parameter("charge", [0x21, 0x01], 0x79B, 0x7BB, "A", .stateOfCharge)
        var report = AdapterReport()
        report.ecus = [.can11(0x7BB): [[0x61, 0x01, 5]]]
        let selection = Selection(intervals: [Self.charge: .seconds(5)])
        var agenda = SessionAgenda(report, selection: selection, custom: ["charge": charge])
        let vin: [UInt8] = [0x62, 0xF1, 0x90] + Array("1N4AZ0CP8DC400001".utf8)
        var now = MonotonicTime(sinceBoot: .seconds(10))
        var proofs = 0
        var error: SessionError?
        for _ in 0..<5000 where error == nil {
            switch agenda.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: agenda.trials.isPending = false
            case .ask(let question):
                now = now + .milliseconds(200)
                var outcome = BusOutcome.noData
                if question == charge.request.map({ .poll(.custom($0)) }) {
                    outcome = .answered([.can11(0x7BB): .positive([[0x61, 0x01, 5]])])
                } else if case .errand(.addressedVIN(let request)) = question {
                    if agenda.isIdentified { proofs += 1 }
                    let isAwake = !agenda.isIdentified && request.form == .dataIdentifier
                    outcome = isAwake ? .answered([.can11(0x7BB): .positive([vin])]) : .noData
                }
                let action = agenda.answered(question, BusResult(outcome: outcome, dropped: 0), at: now)
                if case .startOver(let reason, _) = action { error = reason }
            }
        }
        #expect(agenda.identity.vin != nil && error == .vehicleSilent)
        #expect(1...16 ~= proofs, "\(proofs)")
    }
}
