// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Testing

@testable import Agent

@Suite("The values that are published")
struct PolledValuesTests {
    private static func names(_ pids: [PID], _ values: inout PolledValues) throws -> [String] {
        let samples = try pids.flatMap { pid in
            let parameter = try #require(Parameter.withPID(pid))
            return try parameter.decode([50]).map { Sample(value: $0, ecu: .can11(0x7EC), time: .zero) }
        }
        return values.polled(samples).map(\.value.field.name)
    }

    @Test("A parameter of a charge that is not selected is published in a charge only, whatever else needs it")
    func charging() throws {
        var values = PolledValues(
            Selection(intervals: [0x0D: .seconds(1)]),
            charging: [0x0D, 0x5B],
            chargingInterval: .seconds(120)
        )
        #expect(try Self.names([0x0D, 0x5B, 0x2F], &values) == ["vehicle_speed"])
        #expect(values.unselectedInterval == .zero)
        values.pollingChanged(isCharged: true)
        #expect(values.unselectedInterval == .seconds(120))
        #expect(try Self.names([0x0D, 0x5B, 0x2F], &values) == ["vehicle_speed", "hybrid_battery_charge"])
        values.pollingChanged(isCharged: false)
        #expect(try Self.names([0x0D, 0x5B, 0x2F], &values) == ["vehicle_speed"])
        #expect(values.publishedNames.contains("hybrid_battery_charge"), "what a charge has shown stays")
    }
}
