// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Parking
import Testing

@Suite("An agent that starts again beside a vehicle")
struct RestartTests {
    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    @Test("An agent that starts again may look once more while a converter carries the load", arguments: [14.1, 12.6])
    func restarted(volts: Double) {
        let policy = ParkingPolicy()
        let spent = ProbeRecord(spent: Array(repeating: Self.time(900), count: policy.probesPerHour))
        var parking = Parking(policy, probes: spent)
        let first = parking.next(at: Self.time(1000), isQuiet: false)
        #expect(first == .readVoltage)
        let readings = Array(repeating: volts, count: 3)
        let action = parking.restingVoltageRead(readings, at: Self.time(1000), isQuiet: false)
        guard volts > 13 else {
            #expect(action == .leave)
            return
        }
        #expect(action == .probe(.start))
        let mayAsk = parking.adapterStarted(voltage: volts, at: Self.time(1001), isQuiet: false)
        #expect(mayAsk)
        // Only the first look is free.
        parking.contactEnded(.failed, at: Self.time(1005))
        let next = parking.next(at: Self.time(1006), isQuiet: false)
        let again = parking.restingVoltageRead(readings, at: Self.time(1007), isQuiet: false)
        #expect(next == .readVoltage && again == .leave)
    }
}
