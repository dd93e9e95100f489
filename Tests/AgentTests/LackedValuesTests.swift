// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import Testing

@testable import Agent

@Suite("Values of limits and capture rules that the vehicle does not have")
struct LackedValuesTests {
    /// The lines of the log, in words.
    private static func notes(_ actions: [DriveAction]) -> [String] {
        actions.compactMap { action in
            if case .noteLackedValues(let names, let table) = action { "\(table): \(names)" } else { nil }
        }
    }

    @Test("They are told once for each vehicle, and not those that only trips or occasions need")
    func notes() throws {
        let limits = [
            LimitRule("low", when: try Condition("state_of_charge < 15")),
            LimitRule("hot", when: try Condition("coolant_temperature > 110 and engine_speed > 0")),
        ]
        let captures = [
            CaptureRule("oil", .condition(try Condition("oil_temperature > 130"), for: .zero)),
            CaptureRule("stall", .occasions([.engineStall])),
        ]
        var lacked = LackedValues(limits, captures)
        let missing: Set = ["state_of_charge", "oil_temperature", "odometer", "engine_speed"]
        let told = [
            #"limit.low: ["state_of_charge"]"#, #"limit.hot: ["engine_speed"]"#,
            #"capture.oil: ["oil_temperature"]"#,
        ]
        #expect(Self.notes(lacked.changed(to: missing)) == told)
        #expect(lacked.names == ["engine_speed", "oil_temperature", "state_of_charge"])
        #expect(lacked.changed(to: missing).isEmpty)
        #expect(lacked.changed(to: []).isEmpty && lacked.names.isEmpty)
        lacked.vehicleChanged()
        #expect(lacked.names.isEmpty && Self.notes(lacked.changed(to: missing)) == told)
    }
}
