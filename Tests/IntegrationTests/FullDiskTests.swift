// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import TestSupport
import Testing

@Suite("A result that cannot be written is a failure", .timeLimit(.minutes(3)))
struct FullDiskTests {
    /// Runs a program whose standard output is a full disk; returns its exit status and its messages.
    private static func run(
        _ name: String,
        _ arguments: [String],
        before prefix: String = ""
    ) async throws -> (ChildProcess.ExitStatus, String) {
        let shell = try Program("sh", debianPackage: "dash")
        let program = try Program(builtHere: name).path
        let child = try ChildProcess(shell, ["-c", prefix + #"exec "$0" "$@" >/dev/full"#, program] + arguments)
        return try await within(name) {
            let errors = await child.errors.reduce(into: [String]()) { $0.append($1) }
            return (try await child.exitStatus(), errors.joined(separator: "\n"))
        }
    }

    @Test(
        "Every program says so, and ends with the status of a failed write",
        arguments: [
            ("obd-agent", ["decode", "P0301"]), ("obd-agent", ["decode", "--json", "P0301"]),
            ("obd-agent", ["parameters", "list"]), ("obd-agent", ["--help"]), ("obd-remote", ["--version"]),
            ("obd-simulator", ["--tcp", "127.0.0.1:0"]), ("obd-simulator", ["--list-quirks"]),
        ] as [(String, [String])]
    )
    func programs(name: String, arguments: [String]) async throws {
        let (status, errors) = try await Self.run(name, arguments)
        #expect(status == .exited(ExitStatus.inputOutput.rawValue), "\(errors)")
        #expect(errors.contains("standard output can't be written: No space left on device"))
        #expect(errors.contains("Try: "))
    }

    @Test("A key whose public half is lost leaves no file behind")
    func key() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/anna.jwk"
        let (status, errors) = try await Self.run("obd-remote", ["key", "--name", "anna", file])
        #expect(status == .exited(ExitStatus.inputOutput.rawValue), "\(errors)")
        #expect(!TextFile.isRegular(file))
        _ = try await Program(builtHere: "obd-remote").run(["key", "--name", "anna", file])
        #expect(TextFile.isRegular(file))
    }

    @Test("A command that fails keeps its own status")
    func failure() async throws {
        let (status, errors) = try await Self.run("obd-agent", ["decode", "P0301", "P030"])
        #expect(status == .exited(ExitStatus.usage.rawValue))
        #expect(errors.contains("is neither a code nor") && errors.contains("standard output"))
    }

    @Test("Standard output that is closed is a failure, and no file that is opened later gets the result")
    func closed() async throws {
        let shell = try Program("sh", debianPackage: "dash")
        let program = try Program(builtHere: "obd-agent").path
        let child = try ChildProcess(shell, ["-c", #""$0" decode P0301 >&-; echo "$?" >&2"#, program])
        let errors = try await within("decode") { await child.errors.reduce(into: [String]()) { $0.append($1) } }
        #expect(errors.first?.contains("standard output can't be written") == true)
        #expect(errors.last == "\(ExitStatus.inputOutput.rawValue)")
    }

    @Test("A reader that has gone ends the command without a word")
    func goneReader() async throws {
        let directory = try TemporaryDirectory()
        let shell = try Program("sh", debianPackage: "dash")
        let program = try Program(builtHere: "obd-agent").path
        // Without SIGPIPE, the write itself reports the closed pipe.
        let script = """
            trap '' PIPE; mkfifo "$1"; : <"$1" & exec 3>"$1"; wait; "$0" decode P0301 >&3; echo "$?" >&2
            """
        let child = try ChildProcess(shell, ["-c", script, program, directory.path + "/pipe"])
        let errors = try await within("decode") { await child.errors.reduce(into: [String]()) { $0.append($1) } }
        #expect(errors == ["141"])
    }
}
