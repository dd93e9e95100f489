// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Parking
import Session
import Simulator
import Testing

@Suite("A vehicle that is not expected", .timeLimit(.minutes(10)))
struct ExpectedVehicleTests {
    @Test("It is asked who it is, and then left alone like a parked one, though its engine runs")
    func leftAlone() async throws {
        let rig = Rig(parking: ParkingPolicy(minimumVoltage: 0), expects: { _ in false })
        let log = try await rig.run(for: .seconds(3 * 3600))
        #expect(log.samples.isEmpty && log.identities.isEmpty && log.readings.isEmpty)
        // The session looks at the vehicle at its start, at signs of ignition, and by the clock, at most twice an hour.
        #expect(1...7 ~= log.unexpected.count, "\(log.unexpected.count)")
        let requests = rig.log.vehicle.withVehicle { $0.requests }
        #expect(
            requests.engineRunning + requests.ignitionOn + requests.ignitionOff <= log.unexpected.count * 12,
            "\(requests)"
        )
        #expect(log.states.contains(.waiting(.vehicleUnexpected, .zero)))
        #expect(log.states.last == .waiting(.vehicleUnexpected, .zero))
    }
}
