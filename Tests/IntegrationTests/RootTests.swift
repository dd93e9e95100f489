// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc
import Store
import TestSupport
import Testing

private let isRoot = geteuid() == 0

/// Tests of tools that root runs in directories of the agent's user, whom an attacker may control.
@Suite("Root opens what is the agent's as the agent", .enabled(if: isRoot), .timeLimit(.minutes(2)))
struct RootTests {
    /// A directory of root that no other user may read.
    private let own: TemporaryDirectory
    /// A directory of the agent's user.
    private let agents: TemporaryDirectory

    init() throws {
        self.own = try TemporaryDirectory()
        self.agents = try TemporaryDirectory()
        unsafe chown(self.agents.path, 65534, 65534)
    }

    private func recording(in directory: TemporaryDirectory) async {
        let store = Store(.init(agent: "a1", boot: "b1", directory: directory.path, firstEpoch: 7))
        _ = await store.open(at: .zero)
        await store.remember(VehicleEntry(name: "van", vin: nil, at: .zero))
        let start = BootStart(date: Timestamp(milliseconds: 1_795_255_200_000), quality: .synchronised)
        await store.flush(.init(now: .zero, start: start))
    }

    private func run(_ arguments: [String]) async throws -> (lines: [String], status: ChildProcess.ExitStatus) {
        let child = try ChildProcess(Program(builtHere: "obd-agent"), arguments)
        return try await within("obd-agent \(arguments[0])") {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (await notes + output, try await child.exitStatus())
        }
    }

    @Test("A link in the runtime directory brings nobody's file into the archive, and a pipe keeps nobody waiting")
    func diagnose() async throws {
        let secret = try self.own.write("obd-agent transcript 1 s3cr3t\n1.000000000 close\n", to: "secret")
        for name in ["transcript.0", "status.json"] { unsafe symlink(secret, "\(self.agents.path)/\(name)") }
        unsafe mkfifo("\(self.agents.path)/transcript.1", 0o644)
        let archive = "\(self.own.path)/report.tar"
        let files = ["--directory", self.agents.path, "--output", archive, "--config", "\(self.own.path)/none.toml"]
        let (lines, status) = try await self.run(["diagnose"] + files)
        #expect(status == .exited(0) && lines.contains { $0.hasPrefix("left out  transcript.txt") })
        let text = String(decoding: try #require(TextFile.bytes(of: archive, limit: 1 << 24)), as: UTF8.self)
        #expect(text.contains("versions.txt") && !text.contains("s3cr3t"))
    }

    @Test("A link to another's database shows nothing of it", arguments: ["vehicles", "last", "finding", "export"])
    func database(command: String) async throws {
        await self.recording(in: self.own)
        for end in ["", "-wal", "-shm"] {
            unsafe symlink("\(self.own.path)/obd-agent.db\(end)", "\(self.agents.path)/obd-agent.db\(end)")
        }
        let (lines, status) = try await self.run([command, "--directory", self.agents.path])
        #expect(status == .exited(66) && !lines.joined().contains("van"))
    }

    @Test("The database of an agent that root has started by hand is named, with the step that gives it back")
    func databaseOfRoot() async throws {
        await self.recording(in: self.agents)
        let (lines, status) = try await self.run(["last", "--directory", self.agents.path])
        #expect(status == .exited(66), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("Try: ") && $0.contains("chown --no-dereference") }, "\(lines)")
    }

    @Test("An export goes where root wants it, and an old one stays where it fails")
    func export() async throws {
        let file = try self.own.write("old", to: "drive.csv")
        let arguments = ["export", "--directory", self.agents.path, "--output", file]
        #expect(try await self.run(arguments).status == .exited(66))
        #expect(TextFile.read(file) == "old")
        await self.recording(in: self.agents)
        for end in ["", "-wal", "-shm"] { unsafe chown("\(self.agents.path)/obd-agent.db\(end)", 65534, 65534) }
        #expect(try await self.run(arguments).status == .exited(0))
        #expect(TextFile.read(file)?.hasPrefix("vehicle,time,") == true)
        var status = stat()
        #expect(unsafe stat("\(self.agents.path)/obd-agent.db", &status) == 0 && status.st_uid == 65534)
    }
}
