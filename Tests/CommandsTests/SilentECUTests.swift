// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Synchronization
import Testing

@testable import Commands

@Suite("Commands to a vehicle without a VIN, some of whose ECUs are silent")
struct SilentECUTests {
    /// A vehicle that stands with its engine off.
    private static func vehicle() -> FakeVehicle {
        FakeVehicle(
            reply: { (request: Request) throws(VehicleError) -> [String: ECUReply] in
                let size = ["01 0C": 2, "01 0D": 1][request.description] ?? 0
                let answer = [request.payload[0] | 0x40] + request.data + [UInt8](repeating: 0, count: size)
                return ["7E8": .positive([answer]), "7E9": .positive([answer])]
            }
        )
    }

    @Test("Nothing is written until the silent ECUs answer, and reading goes on")
    func clear() async throws {
        let vehicle = Self.vehicle()
        vehicle.bus.silent.withLock { $0 = ["7EB"] }
        let bench = Bench(vehicle)
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#, id: "1"))
        #expect(bench.last?.state == .refused && bench.last?.reason == .vehicleUnknown)
        #expect(bench.last?.message?.contains("of its ECUs 7EB did not answer") == true)
        #expect(!vehicle.asked.contains { $0.request == "04" })
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
        vehicle.bus.silent.withLock { $0 = [] }
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#, id: "3"))
        #expect(vehicle.asked.contains { $0.request == "04" })
    }
}
