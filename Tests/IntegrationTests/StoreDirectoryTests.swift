// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import obd_agent

@Suite("A directory of the database that does not exist", .timeLimit(.minutes(3)))
struct StoreDirectoryTests {
    /// Runs the agent until its missing password ends it; returns its messages.
    private static func run(store directory: String, in root: TemporaryDirectory) async throws -> [String] {
        let text = """
            [adapter]
            address = "tcp:127.0.0.1:1"
            [mqtt]
            url = "mqtt://127.0.0.1:1"
            username = "van"
            password_file = "/nowhere/password"
            [store]
            directory = "\(directory)"
            """
        let file = try root.write(text, to: "agent.toml")
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["run", "--config", file])
        return try await within("run") {
            let errors = await child.errors.reduce(into: [String]()) { $0.append($1) }
            let status = try await child.exitStatus()
            #expect(status == .exited(78), "\(errors)")
            return errors
        }
    }

    @Test("The agent makes it, for itself only")
    func made() async throws {
        let root = try TemporaryDirectory()
        let directory = root.path + "/data/obd"
        #expect(MachineCheck.disk(directory, limit: 1).text.contains("the agent makes it if its user may write to"))
        let errors = try await Self.run(store: directory, in: root)
        #expect(!errors.contains { $0.contains("cannot be made") })
        var status = stat()
        #expect(unsafe stat(directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(MachineCheck.disk(directory, limit: 1).verdict == .ok)
    }

    @Test("One that cannot be made is an error with its reason")
    func refused() async throws {
        let root = try TemporaryDirectory()
        let directory = try root.write("", to: "file") + "/obd"
        let check = MachineCheck.disk(directory, limit: 1)
        #expect(check.verdict == .warning && check.text.contains("records stay in memory only"))
        #expect(check.next?.contains("install -d -m 700") == true)
        let errors = try await Self.run(store: directory, in: root)
        #expect(errors.contains { $0.contains("\(directory) is missing and cannot be made: Not a directory") })
    }
}
