// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Session
import Simulator
import Testing

/// Whole sessions with an electric car that has neither engine speed nor vehicle speed in service 01.
@Suite("An electric car", .timeLimit(.minutes(10)))
struct ElectricTests {
    private static let charge = ParameterKey.custom("charge")

    /// The values of the battery's ECU, as Hyundai and Kia have them.
    private static func parameters(withRoles: Bool) throws -> [CustomParameter] {
        func parameter(_ name: String, _ formula: String, _ role: ParameterRole) throws -> CustomParameter {
            CustomParameter(
                request: try CustomRequest(
                    payload: [0x22, 0x01, 0x01],
                    destination: Destination(header: .can11(0x7E4))
                ),
                field: Field(custom: name, try Formula(formula), role: withRoles ? role : nil)
            )
        }
        return [
            try parameter("charge", "E/2", .stateOfCharge), try parameter("charging", "bits(72,1)", .charging),
            try parameter("ready", "bits(405,1)", .ready),
        ]
    }

    private static func run(
        _ phases: [VehiclePhase],
        withRoles: Bool,
        for duration: Duration
    ) async throws -> (log: EventLog.Contents, requests: RequestCount, start: MonotonicTime) {
        var options = SimulatedVehicle.Options(.electric)
        options.phases = phases
        let rig = Rig(
            [Self.charge: .seconds(10), 0x5B: .seconds(10)],
            vehicle: options,
            custom: try Self.parameters(withRoles: withRoles),
            charging: [Self.charge],
            parking: ParkingPolicy(idleLimit: .seconds(30))
        )
        let start = rig.clock.now
        let log = try await rig.run(for: duration)
        return (log, rig.log.vehicle.withVehicle(\.requests), start)
    }

    @Test("A drive of twenty minutes is read to its end, and the car is left alone after it", arguments: [true, false])
    func drive(withRoles: Bool) async throws {
        let phases = [
            VehiclePhase(.drive, .seconds(1200)), VehiclePhase(.awake, .seconds(600)),
            VehiclePhase(.asleep, .seconds(100_000)),
        ]
        let (log, requests, start) = try await Self.run(phases, withRoles: withRoles, for: .seconds(3600))
        let times = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
        let inDrive = times.filter { $0 < .seconds(1200) }
        let gaps = zip(inDrive, inDrive.dropFirst()).map { $1 - $0 }
        #expect((gaps.max() ?? .seconds(9999)) < .seconds(15), "\(gaps.max().debugDescription)")
        #expect((inDrive.last ?? .zero) > .seconds(1180))
        let parked = log.parkings.first { $0.isParked && log.parkings.contains { !$0.isParked } }
        #expect(parked != nil)
        #expect((times.last ?? .zero) < .seconds(1200 + 60), "\(times.last.debugDescription)")
        #expect(requests.awake < 30 && requests.asleep == 0, "\(requests)")
    }

    @Test("A charge is read every minute, and the car is left alone before and after it")
    func charging() async throws {
        let phases = [
            VehiclePhase(.drive, .seconds(300)), VehiclePhase(.awake, .seconds(120)),
            VehiclePhase(.asleep, .seconds(1800)), VehiclePhase(.charging, .seconds(7200)),
            VehiclePhase(.pluggedAsleep, .seconds(100_000)),
        ]
        let (log, requests, start) = try await Self.run(phases, withRoles: true, for: .seconds(12_000))
        let times = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
        let inCharge = times.filter { .seconds(2220) < $0 && $0 < .seconds(9420) }
        #expect(inCharge.count > 100)
        #expect((inCharge.first ?? .zero) < .seconds(2220 + 90), "\(inCharge.first.debugDescription)")
        #expect(requests.charging < 400, "\(requests)")
        #expect(requests.asleep <= 12, "\(requests)")
        #expect(log.parkings.contains { $0.ignition == .charging })
    }
}
