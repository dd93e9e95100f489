// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Session
import Simulator
import Testing

/// A day of a vehicle of each powertrain: drives, stops, hours of sleep, a top-up of its 12 V battery, and a charge.
@Suite("A day with each powertrain", .timeLimit(.minutes(10)))
struct PowertrainDayTests {
    private static let charge = ParameterKey.custom("charge")
    private static let speed = ParameterKey.custom("speed")

    /// A vehicle, with the custom parameters that its owner adds.
    struct Day: Sendable, CustomTestStringConvertible {
        let model: VehicleModel
        let custom: [CustomParameter]
        let phases: [VehiclePhase]

        var testDescription: String { self.model.name }
    }

    private static func parameter(
        _ name: String,
        _ role: ParameterRole,
        _ payload: [UInt8],
        _ header: Destination.Header,
        _ receive: Destination.Header,
        _ formula: String,
        flowControl: Bool = true,
        extended: UInt8? = nil
    ) throws -> CustomParameter {
        CustomParameter(
            request: try CustomRequest(
                payload: payload,
                destination: Destination(
                    header: header,
                    responder: receive,
                    extendedAddress: extended,
                    setsFlowControl: flowControl
                )
            ),
            field: Field(custom: name, try Formula(formula), role: role)
        )
    }

    private static let withoutPlug = [
        VehiclePhase(.drive, .seconds(1200)), VehiclePhase(.standing, .seconds(60)),
        VehiclePhase(.drive, .seconds(600)), VehiclePhase(.ignition, .seconds(120)),
        VehiclePhase(.asleep, .seconds(4 * 3600)), VehiclePhase(.drive, .seconds(900)),
        VehiclePhase(.asleep, .seconds(1_000_000)),
    ]
    private static let withPlug = [
        VehiclePhase(.drive, .seconds(1200)), VehiclePhase(.standing, .seconds(60)),
        VehiclePhase(.drive, .seconds(600)), VehiclePhase(.awake, .seconds(600)),
        VehiclePhase(.asleep, .seconds(2 * 3600)), VehiclePhase(.topUp, .seconds(900)),
        VehiclePhase(.asleep, .seconds(3600)), VehiclePhase(.pluggedIn, .seconds(120)),
        VehiclePhase(.charging, .seconds(3 * 3600)), VehiclePhase(.pluggedIn, .seconds(600)),
        VehiclePhase(.pluggedAsleep, .seconds(4 * 3600)), VehiclePhase(.drive, .seconds(900)),
        VehiclePhase(.asleep, .seconds(1_000_000)),
    ]

    private static let days: [Day] = {
        do {
            let hyundai: (Destination.Header, Destination.Header) = (.can11(0x7E4), .can11(0x7EC))
            let leaf: (Destination.Header, Destination.Header) = (.can11(0x797), .can11(0x79A))
            let volkswagen: (Destination.Header, Destination.Header) = (.can29(0x17FC_007B), .can29(0x17FE_007B))
            return [
                Day(model: .combustion, custom: [], phases: Self.withoutPlug),
                Day(model: .mildHybrid, custom: [], phases: Self.withoutPlug),
                Day(
                    model: .hybrid,
                    custom: [
                        try Self.parameter(
                            "charge",
                            .stateOfCharge,
                            [0x22, 0x48, 0x01],
                            hyundai.0,
                            hyundai.1,
                            "uint16(A,B)/500",
                            flowControl: false
                        )
                    ],
                    phases: Self.withoutPlug
                ),
                Day(
                    model: .plugIn,
                    custom: [
                        try Self.parameter(
                            "charge",
                            .stateOfCharge,
                            [0x22, 0xDD, 0xBC],
                            .can11(0x6F1),
                            .can11(0x607),
                            "uint16(A,B)/10",
                            extended: 0x07
                        ),
                        try Self.parameter(
                            "charging",
                            .charging,
                            [0x22, 0xDE, 0x00],
                            .can11(0x6F1),
                            .can11(0x61A),
                            "E",
                            extended: 0x1A
                        ),
                        try Self.parameter(
                            "ready",
                            .ready,
                            [0x22, 0xDE, 0x00],
                            .can11(0x6F1),
                            .can11(0x61A),
                            "F",
                            extended: 0x1A
                        ),
                    ],
                    phases: Self.withPlug
                ),
                Day(
                    model: .electric,
                    custom: [
                        try Self.parameter("charge", .stateOfCharge, [0x22, 0x01, 0x01], hyundai.0, hyundai.1, "E/2"),
                        try Self.parameter("charging", .charging, [0x22, 0x01, 0x01], hyundai.0, hyundai.1, "J.7"),
                        try Self.parameter("ready", .ready, [0x22, 0x01, 0x01], hyundai.0, hyundai.1, "bits(405,1)"),
                        try Self.parameter(
                            "speed",
                            .vehicleSpeed,
                            [0x22, 0xE0, 0x04],
                            .can11(0x7E2),
                            .can11(0x7EA),
                            "int16(L,K)/64"
                        ),
                    ],
                    phases: Self.withPlug
                ),
                Day(
                    model: .electricLeaf,
                    custom: [
                        try Self.parameter(
                            "charge",
                            .stateOfCharge,
                            [0x21, 0x01],
                            .can11(0x79B),
                            .can11(0x7BB),
                            "uint24(AF,AG,AH)/8190-17"
                        ),
                        try Self.parameter("charging", .charging, [0x22, 0x11, 0x4E], leaf.0, leaf.1, "A"),
                        try Self.parameter("ready", .ready, [0x22, 0x13, 0x04], leaf.0, leaf.1, "bits(0,1)"),
                        try Self.parameter(
                            "speed",
                            .vehicleSpeed,
                            [0x22, 0x12, 0x1A],
                            leaf.0,
                            leaf.1,
                            "uint16(A,B)/10"
                        ),
                    ],
                    phases: Self.withPlug
                ),
                Day(
                    model: .electric29Bit,
                    custom: [
                        try Self.parameter(
                            "charge",
                            .stateOfCharge,
                            [0x22, 0x02, 0x8C],
                            volkswagen.0,
                            volkswagen.1,
                            "A*20.4/46-6.4"
                        ),
                        try Self.parameter(
                            "charging",
                            .charging,
                            [0x22, 0x74, 0x48],
                            volkswagen.0,
                            volkswagen.1,
                            "A.2"
                        ),
                        try Self.parameter("ready", .ready, [0x22, 0x74, 0x48], volkswagen.0, volkswagen.1, "A.0"),
                        try Self.parameter(
                            "speed",
                            .vehicleSpeed,
                            [0x22, 0xF4, 0x0D],
                            volkswagen.0,
                            volkswagen.1,
                            "A"
                        ),
                    ],
                    phases: Self.withPlug
                ),
            ]
        } catch {
            Issue.record(error)
            return []
        }
    }()

    @Test("Each drive is read whole, each charge is read, and all else is within the budget", arguments: Self.days)
    func day(_ day: Day) async throws {
        var options = SimulatedVehicle.Options(day.model)
        options.phases = day.phases
        let hasSpeed = day.custom.contains { $0.name == "speed" }
        var intervals: [ParameterKey: Duration] = [hasSpeed ? Self.speed : 0x0D: .seconds(1)]
        if !day.custom.isEmpty { intervals[Self.charge] = .seconds(10) }
        let rig = Rig(
            intervals,
            vehicle: options,
            custom: day.custom,
            charging: day.custom.filter { [.charging, .stateOfCharge].contains($0.role) }.map { .custom($0.name) },
            parking: ParkingPolicy()
        )
        let start = rig.clock.now
        let length = day.phases.dropLast().reduce(Duration.zero) { $0 + $1.duration } + .seconds(3600)
        let log = try await rig.run(for: length)
        let requests = rig.log.vehicle.withVehicle(\.requests)
        let speeds = log.samples.filter { ["speed", "vehicle_speed"].contains($0.value.field.name) }.map {
            $0.time - start
        }
        let charges = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
        var begin = Duration.zero
        for phase in day.phases.dropLast() {
            let end = begin + phase.duration
            switch phase.kind {
            case .drive, .standing:
                let inside = speeds.filter { begin <= $0 && $0 <= end }
                let gap = zip(inside, inside.dropFirst()).map { $1 - $0 }.max() ?? .seconds(9999)
                // A parked vehicle is looked at every 45 s, and its start-up takes seconds.
                #expect((inside.first ?? end) - begin < .seconds(60), "a drive at \(begin)")
                #expect(gap < .seconds(5), "a drive at \(begin)")
                #expect(end - (inside.last ?? begin) < .seconds(5), "a drive at \(begin)")
            case .charging:
                let inside = charges.filter { begin <= $0 && $0 <= end }
                #expect((inside.first ?? end) - begin < .seconds(60))
                #expect(inside.count >= 175, "one reading a minute for three hours")
                #expect(requests.charging < inside.count * 8, "\(requests.charging)")
            default: break
            }
            begin = end
        }
        #expect(requests.asleep <= 16, "\(requests.asleep)")
        // What the session counts is what reached the bus; the bus drops what comes while the vehicle is silent.
        let counted = await rig.session.requests
        #expect(counted.values.reduce(0, +) >= requests.engineRunning + requests.ignitionOn + requests.ignitionOff)
        #expect(
            (counted[.charging] ?? 0) >= requests.charging / 2 && (counted[.off] ?? 0) + (counted[.unknown] ?? 0) < 80
        )
        // The ECUs stay awake for 600 s after the drive, and for 720 s at the plug. The agent polls for 300 s after each.
        #expect(requests.awake < 900, "\(requests.awake)")
        #expect(Set(log.identities.map(\.vin)).count == 1, "one vehicle has one name")
        #expect(log.wrong.isEmpty)
        #expect(log.parkings.last?.isParked == true)
    }
}
