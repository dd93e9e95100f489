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

    /// Creates a parameter from the digits of its addresses and its request, as the configuration has them.
    private static func parameter(
        _ name: String,
        _ role: ParameterRole,
        _ addresses: (header: String, receive: String, extended: UInt8?),
        _ request: String,
        _ formula: String
    ) throws -> CustomParameter {
        let header = try #require(Destination.Header(addresses.header))
        let destination = Destination(
            header: header,
            responder: Destination.Header(addresses.receive),
            extendedAddress: addresses.extended,
            setsFlowControl: true
        )
        let digits = Array(request)
        let payload = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        return CustomParameter(
            request: try CustomRequest(payload: payload, destination: destination),
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

    private static func custom(of model: VehicleModel) throws -> [CustomParameter] {
        let battery = (header: "7E4", receive: "7EC", extended: UInt8?.none)
        switch model.name {
        case "hybrid": return [try Self.parameter("charge", .stateOfCharge, battery, "224801", "uint16(A,B)/500")]
        case "plug-in":
            let drive = (header: "6F1", receive: "61A", extended: UInt8?.some(0x1A))
            return [
                try Self.parameter("charge", .stateOfCharge, ("6F1", "607", 0x07), "22DDBC", "uint16(A,B)/10"),
                try Self.parameter("charging", .charging, drive, "22DE00", "E"),
                try Self.parameter("ready", .ready, drive, "22DE00", "F"),
            ]
        case "electric":
            return [
                try Self.parameter("charge", .stateOfCharge, battery, "220101", "E/2"),
                try Self.parameter("charging", .charging, battery, "220101", "J.7"),
                try Self.parameter("ready", .ready, battery, "220101", "bits(405,1)"),
                try Self.parameter("speed", .vehicleSpeed, ("7E2", "7EA", nil), "22E004", "int16(L,K)/64"),
            ]
        case "electric-leaf":
            let drive = (header: "797", receive: "79A", extended: UInt8?.none)
            return [
                try Self.parameter("charge", .stateOfCharge, ("79B", "7BB", nil), "2101", "uint24(AF,AG,AH)/8190-17"),
                try Self.parameter("charging", .charging, drive, "22114E", "A"),
                try Self.parameter("ready", .ready, drive, "221304", "bits(0,1)"),
                try Self.parameter("speed", .vehicleSpeed, drive, "22121A", "uint16(A,B)/10"),
            ]
        case "electric-29bit":
            let ecu = (header: "17FC007B", receive: "17FE007B", extended: UInt8?.none)
            return [
                try Self.parameter("charge", .stateOfCharge, ecu, "22028C", "A*20.4/46-6.4"),
                try Self.parameter("charging", .charging, ecu, "227448", "A.2"),
                try Self.parameter("ready", .ready, ecu, "227448", "A.0"),
                try Self.parameter("speed", .vehicleSpeed, ecu, "22F40D", "A"),
            ]
        default: return []
        }
    }

    @Test(
        "Each drive is read whole, each charge is read, and all else is within the budget",
        arguments: VehicleModel.all.map(\.name)
    )
    func day(_ name: String) async throws {
        let model = try #require(VehicleModel.all.first { $0.name == name })
        let custom = try Self.custom(of: model)
        let phases = [.plugIn, .electric].contains(model.powertrain) ? Self.withPlug : Self.withoutPlug
        var options = SimulatedVehicle.Options(model)
        options.phases = phases
        let hasSpeed = custom.contains { $0.name == "speed" }
        var intervals: [ParameterKey: Duration] = [hasSpeed ? Self.speed : 0x0D: .seconds(1)]
        if !custom.isEmpty { intervals[Self.charge] = .seconds(10) }
        let rig = Rig(
            intervals,
            vehicle: options,
            custom: custom,
            charging: custom.filter { [.charging, .stateOfCharge].contains($0.role) }.map { .custom($0.name) },
            parking: ParkingPolicy()
        )
        let start = rig.clock.now
        let length = phases.dropLast().reduce(Duration.zero) { $0 + $1.duration } + .seconds(3600)
        let log = try await rig.run(for: length)
        let requests = rig.log.vehicle.withVehicle(\.requests)
        let speeds = log.samples.filter { ["speed", "vehicle_speed"].contains($0.value.field.name) }.map {
            $0.time - start
        }
        let charges = log.samples.filter { $0.value.field.name == "charge" }.map { $0.time - start }
        var begin = Duration.zero
        for phase in phases.dropLast() {
            let end = begin + phase.duration
            switch phase.kind {
            case .drive, .standing:
                let inside = speeds.filter { begin <= $0 && $0 <= end }
                let gap = zip(inside, inside.dropFirst()).map { $1 - $0 }.max() ?? .seconds(9999)
                // The session reads the voltage of a parked vehicle every 45 s, and the start-up takes seconds.
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
        // The session also counts requests that a silent vehicle's bus drops, so its count may be higher.
        let counted = await rig.session.requests
        #expect(counted.values.reduce(0, +) >= requests.engineRunning + requests.ignitionOn + requests.ignitionOff)
        #expect(
            (counted[.charging] ?? 0) >= requests.charging / 2 && (counted[.off] ?? 0) + (counted[.unknown] ?? 0) < 80
        )
        // The ECUs stay awake for 600 s after the drive, and for 720 s at the plug. The agent polls 300 s after each.
        #expect(requests.awake < 900, "\(requests.awake)")
        #expect(Set(log.identities.map(\.vin)).count == 1, "one vehicle has one name")
        #expect(log.wrong.isEmpty)
        #expect(log.parkings.last?.isParked == true)
    }
}
