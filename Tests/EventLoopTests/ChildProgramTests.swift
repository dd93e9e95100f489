// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EventLoop

@Suite("Another program that runs to its end")
struct ChildProgramTests {
    @Test("It gets its input, and its output and exit status come back")
    func runs() throws {
        let outcome = try #require(
            ChildProgram.run(["sh", "-c", "cat; echo more >&2; exit 3"], input: "text ", seconds: 60)
        )
        #expect(outcome.status == 3 && outcome.output == "text more\n")
    }

    @Test("A program that does not exist is nil, and one that a signal ends has no status")
    func absent() throws {
        #expect(ChildProgram.run(["/no/such/program"], seconds: 60) == nil)
        #expect(ChildProgram.run(["sh", "-c", "kill -9 $$"], seconds: 60)?.status == nil)
    }

    @Test("A program that reads nothing, or writes without end, ends this one by neither", .timeLimit(.minutes(1)))
    func hostile() throws {
        #expect(ChildProgram.run(["true"], input: String(repeating: "x", count: 60_000), seconds: 60)?.status == 0)
        let endless = try #require(ChildProgram.run(["sh", "-c", "exec yes"], seconds: 1))
        #expect(endless.status == nil && endless.output.utf8.count == 64 * 1024)
    }
}
