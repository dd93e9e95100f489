// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Reports about vehicles that lack something", .timeLimit(.minutes(2)))
struct LackingVehicleTests {
    @Test("An electric car has no readiness to read", arguments: ["electric", "electric-29bit"])
    func readiness(vehicle: String) async throws {
        let car = try await SimulatedCar(["--vehicle", vehicle])
        let program = try Program(builtHere: "obd-agent")
        let error = await #expect(throws: ProgramFailed.self) {
            try await program.run(["monitors", "--adapter", car.address])
        }
        let text = "\(try #require(error))"
        #expect(text.contains("exited(3)") && text.contains("no ECU has readiness to report"), "\(text)")
        #expect(!text.contains("ignition"))
    }

    @Test("A count of parameters is told only where the ECUs list them")
    func parameters() async throws {
        let program = try Program(builtHere: "obd-agent")
        let truck = try await SimulatedCar(["--protocol", "j1939"])
        let broadcast = try await program.run(["vehicle", "--adapter", truck.address, "--protocol", "j1939"])
        #expect(broadcast.contains { $0.hasPrefix("ECU") } && !broadcast.contains { $0.hasPrefix("  parameters") })
        let car = try await SimulatedCar()
        let listed = try await program.run(["vehicle", "--adapter", car.address, "--protocol", "can-11-500"])
        #expect(listed.contains { $0.hasPrefix("  parameters") && !$0.hasSuffix(" 0") })
    }

    @Test("A bus on which no vehicle answers is named as one that was chosen")
    func wrongBus() async throws {
        let car = try await SimulatedCar()
        let program = try Program(builtHere: "obd-agent")
        let error = await #expect(throws: ProgramFailed.self) {
            try await program.run(["codes", "--adapter", car.address, "--protocol", "kwp-fast"])
        }
        #expect("\(try #require(error))".contains("Try: --protocol auto"))
    }
}
