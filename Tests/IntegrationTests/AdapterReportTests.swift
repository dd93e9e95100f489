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

    @Test("Of an adapter that is not understood it has what was sent and what came", arguments: [false, true])
    func notUnderstood(isJSON: Bool) async throws {
        // It prints no headers.
        let car = try await SimulatedCar(["--quirk", "33"])
        let options = ["adapter", "--adapter", car.address] + (isJSON ? ["--json"] : [])
        let child = try ChildProcess(try Program(builtHere: "obd-agent"), options)
        let (output, status) = try await within("obd-agent adapter") {
            async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            _ = await errors
            return (output, try await child.exitStatus())
        }
        #expect(status == .exited(69))
        let text = output.joined(separator: "\n")
        for sent in ["> ATZ", "> ATH1", "> 0100"] { #expect(text.contains(sent), "\(text)") }
        #expect(text.contains("< ") && text.contains(isJSON ? #"\\r"# : #"\r"#))
        // These are the first characters of the simulated VIN, as text and as bytes.
        #expect(!text.contains("ZZZ") && !text.contains("5A5A5A") && !text.contains("5A 5A 5A"))
    }
}
