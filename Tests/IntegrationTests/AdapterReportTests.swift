// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The report about an adapter")
struct AdapterReportTests {
    @Test("It tells what was tried, with evidence, and not whose vehicle it is")
    func report() async throws {
        let program = try Program(builtHere: "obd-agent")
        let car = try await SimulatedCar()
        let lines = try await program.run(["adapter", "--adapter", car.address])
        #expect(lines.contains { $0.hasPrefix("Adapter ") && $0.hasSuffix("ELM327 v1.5") })
        #expect(lines.contains { $0.hasPrefix("Request ") && $0.hasSuffix("ms (median)") })
        #expect(lines.contains { $0.hasPrefix("response count ") && $0.contains(" works ") })
        #expect(lines.contains { $0.hasPrefix("stn ") && $0.hasSuffix("refused") })
        #expect(lines.contains { $0.hasPrefix("    01002 -> 7E806410") })
        // These are the first characters of the simulated VIN, as text and as bytes.
        #expect(!lines.contains { $0.contains("ZZZ") || $0.contains("5A5A5A") })
    }
}
