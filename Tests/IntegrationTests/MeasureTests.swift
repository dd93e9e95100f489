// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Measuring an adapter")
struct MeasureTests {
    @Test("The rate of requests and the times of answers are told")
    func rate() async throws {
        let program = try Program(builtHere: "obd-agent")
        let car = try await SimulatedCar()
        let lines = try await program.run(["measure", "--adapter", car.address, "--requests", "10"])
        let rate = lines.first { $0.hasPrefix("Rate ") }?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        #expect((rate ?? 0) > 0)
        #expect(lines.contains { $0.hasPrefix("Answers ") && $0.contains("half of them within") })
    }
}
