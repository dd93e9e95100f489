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

    @Test("As many bytes of the output are kept as the caller wants, also more than a pipe holds")
    func limit() throws {
        let words = ["head", "-c", "300000", "/dev/zero"]
        for limit in [0, 5, 200_000, 300_000, 400_000] {
            let outcome = try #require(ChildProgram.run(words, seconds: 60, limit: limit))
            #expect(outcome.status == 0 && outcome.output.utf8.count == min(limit, 300_000))
        }
    }

    @Test("A program reads an empty input without one, and its words are no shell's")
    func words() throws {
        #expect(ChildProgram.run(["cat"], seconds: 60) == .init(status: 0, output: ""))
        #expect(ChildProgram.run(["echo", "$HOME;", "*"], seconds: 60)?.output == "$HOME; *\n")
    }

    @Test("A program that reads nothing, or writes without end, ends this one by neither", .timeLimit(.minutes(1)))
    func hostile() throws {
        #expect(ChildProgram.run(["true"], input: String(repeating: "x", count: 60_000), seconds: 60)?.status == 0)
        let endless = try #require(ChildProgram.run(["sh", "-c", "exec yes"], seconds: 1))
        #expect(endless.status == nil && endless.output.utf8.count == 64 * 1024)
    }
}
