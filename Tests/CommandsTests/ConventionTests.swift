// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Testing

@testable import Commands

@Suite("Reading parameters whose data depend on the ECU")
struct ConventionTests {
    private static func value(_ name: String, _ bench: Bench) -> JSON? {
        guard case .object(let result) = bench.last?.result, case .object(let values) = result["values"],
            case .object(let value) = values[name]
        else { return nil }
        return value["value"]
    }

    @Test("A value has the scale that the ECU has reported in PID 4F")
    func scale() async throws {
        let scaling = Scaling(of: SupportedPIDs(), isComplete: true, reported: [0x4F: [0, 0, 0, 0x28]])
        let bench = Bench(
            FakeVehicle(
                conventions: ECUConventions(oxygenSensors: .twoBanks, scaling: scaling),
                reply: { _ throws(VehicleError) in ["7E8": .positive([[0x41, 0x0B, 0x33]])] }
            )
        )
        await bench.executor().receive(try bench.message("read_parameters", #"{"parameters": ["0B"]}"#))
        #expect(Self.value("intake_manifold_pressure", bench) == 80.0)
    }

    @Test("An oxygen sensor of a vehicle with PID 1D is requested by its own PID")
    func oxygenSensor() async throws {
        let bench = Bench(
            FakeVehicle(
                conventions: ECUConventions(oxygenSensors: .fourBanks, scaling: .standard),
                reply: { request throws(VehicleError) in
                    request.description == "01 16" ? ["7E8": .positive([[0x41, 0x16, 0xB4, 0xFF]])] : [:]
                }
            )
        )
        await bench.executor().receive(try bench.message("read_parameters", #"{"parameters": ["o2_sensor_b2s1"]}"#))
        #expect(bench.vehicle.asked.map(\.request) == ["01 16"])
        #expect(Self.value("o2_sensor_b2s1_voltage", bench) == 0.9)
    }
}
