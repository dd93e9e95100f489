// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import TestSupport
import Testing

@Suite("obd-agent clock")
struct ClockCommandTests {
    @Test("It shows a clock that was set back, and a human resets it while the agent runs")
    func reset() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address, vehicle: "van"))
            defer { agent.signal() }
            let directory = bench.directory.path
            func select(_ id: String) -> CommandText {
                CommandText(id: id, command: "select_parameters", arguments: #"{"set": {"engine_speed": 2}}"#)
            }
            // The agent writes a response to the disk before it publishes the response.
            _ = try await bench.first("vehicle", of: "van")
            #expect(try await bench.perform(select("s1"), on: "van")["state"] == "succeeded")
            let program = try Program(builtHere: "obd-agent")
            let arguments = ["clock", "--config", "\(directory)/agent.toml", "--directory", directory]
            let before = try await program.run(arguments)
            #expect(before.count == 4 && before[2].hasSuffix("none yet; there is one after ten minutes"))
            #expect(before[3] == "commands             all are run")
            let future = Timestamp(milliseconds: 4_000_000_000_000)
            try Recording(in: directory).resetDates(to: future)
            let wrong = try await program.run(arguments)
            #expect(wrong[2] == "latest trusted time  \(future)")
            #expect(wrong[3].hasPrefix("commands             only those of the role observer are run: the clock is "))
            #expect(try await bench.perform(select("s2"), on: "van")["reason"] == "clock_unknown")
            #expect(try await program.run(arguments + ["--reset"])[3] == "commands             all are run")
            #expect(try await bench.perform(select("s3"), on: "van")["state"] == "succeeded")
        }
    }

    @Test("Without a database it exits as the other commands that read one")
    func refuses() async throws {
        let directory = try TemporaryDirectory()
        let program = try Program(builtHere: "obd-agent")
        let child = try ChildProcess(program, ["clock", "--directory", directory.path])
        #expect(try await within("the end") { try await child.exitStatus() } == .exited(66))
    }
}
