// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("setup, with a folder in place of the root")
struct SetupTests {
    private static let sample = "\(PythonTools.packageRoot)/etc/obd-agent/agent.toml"

    private let root: TemporaryDirectory

    init() throws { self.root = try TemporaryDirectory() }

    private var configuration: String { "\(self.root.path)/etc/obd-agent/agent.toml" }
    private var credential: String { "\(self.root.path)/etc/credstore/obd-agent.mqtt-password" }

    private func run(_ arguments: [String]) async throws -> (lines: [String], status: ChildProcess.ExitStatus) {
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["setup", "--root", self.root.path] + arguments)
        return try await within("setup") {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (output + (await notes), try await child.exitStatus())
        }
    }

    /// Types answers on a terminal; each comes after its text has appeared.
    private func type(_ answers: [(String, String)]) async throws -> JSON {
        let typed = JSON.array(answers.map { .array([.string($0.0), .string($0.1)]) })
        let program = try Program(builtHere: "obd-agent").path
        let arguments = [typed.text, program, "setup", "--root", self.root.path, "--sample", Self.sample]
        let lines = try await PythonTools().run("typed_terminal", arguments)
        return try JSON(parsing: Array(lines.joined().utf8), depthLimit: 8)
    }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private static let all = [
        ("1/5", "tcp:192.168.0.10:35000\n"), ("2/5", "mqtt://homeassistant.local\n"), ("3/5", "obd\n"),
        ("not shown", "s3cr3t\n"), ("5/5", "van-12\n"), ("Type yes", "yes\n"),
    ]

    @Test("On a terminal, five answers and a yes make the configuration and the credential")
    func terminal() async throws {
        let seen = try await self.type(Self.all)
        #expect(seen["code"] == 0 && seen["restored"] == true, "\(seen)")
        #expect(seen["screen"].string?.contains("s3cr3t") == false)
        let host = HostFacts(credential: { _ in self.credential })
        let read = try Configuration.load(path: self.configuration, host: host)
        #expect(read.vehicle.name == "van-12" && read.mqtt.username == "obd")
        #expect(read.mqtt.passwordFile == self.credential && TextFile.read(self.credential) == "s3cr3t")
        #expect(self.mode(of: self.configuration) == 0o644 && self.mode(of: self.credential) == 0o600)
        #expect(self.mode(of: "\(self.root.path)/etc/credstore") == 0o700)
        let text = try #require(TextFile.read(self.configuration))
        #expect(text.contains("# The configuration of obd-agent: /etc/obd-agent/agent.toml."))
    }

    @Test("Ctrl-C at any question changes nothing", arguments: Self.all.indices)
    func interrupted(index: Int) async throws {
        var answers = Array(Self.all.prefix(index + 1))
        answers[index].1 = "\u{3}"
        let seen = try await self.type(answers)
        #expect(seen["code"] == 130 && seen["restored"] == true, "\(seen)")
        #expect(seen["screen"].string?.lowercased().contains("nothing was changed") == true)
        #expect(TextFile.names(in: self.root.path) == [])
    }

    @Test("Any other word than yes changes nothing")
    func refused() async throws {
        let seen = try await self.type(Self.all.dropLast() + [("Type yes", "y\n")])
        #expect(seen["code"] == 4 && TextFile.names(in: self.root.path) == [])
    }

    @Test("Without a terminal, the missing options are named")
    func missing() async throws {
        let (lines, status) = try await self.run([])
        #expect(status == .exited(64) && TextFile.names(in: self.root.path) == [])
        #expect(
            lines.contains("Try: --adapter ADDRESS, --broker URL, --local-broker or --no-broker, --yes"),
            "\(lines)"
        )
    }

    @Test(
        "A wrong option is told in one line, with what to do",
        arguments: [
            (["--adapter", "tpc:127.0.0.1:1"], "obd-agent: --adapter: \"tpc:127.0.0.1:1\" is not an adapter address"),
            (["--broker", "http://h"], "obd-agent: --broker: \"http://h\" is not a broker URL"),
            (["--name", "agent-1"], "obd-agent: --name: names that begin with agent- are those of agents"),
            (["--root", "etc"], "obd-agent: --root: \"etc\" is not an absolute path"),
            (["--local-broker", "--broker", "mqtts://h"], "obd-agent: --local-broker and --broker exclude each other"),
            (["--password-file", "/dev/null"], "obd-agent: --password-file needs a user"),
        ]
    )
    func wrongOption(arguments: [String], reason: String) async throws {
        let (lines, status) = try await self.run(arguments)
        #expect(status == .exited(64) && TextFile.names(in: self.root.path) == [])
        #expect(lines.count == 2 && lines.first?.hasPrefix(reason) == true, "\(lines)")
        #expect(lines.last?.hasPrefix("Try: ") == true, "\(lines)")
    }

    @Test("The options are enough, a dry run writes nothing, and a second run keeps the first one's file")
    func options() async throws {
        let password = try self.root.write("from-a-file\n", to: "password")
        let arguments = [
            "--adapter", "ble", "--broker", "mqtts://broker.example", "--username", "obd", "--password-file", password,
        ]
        let (shown, dry) = try await self.run(arguments + ["--dry-run"])
        #expect(dry == .exited(0) && shown.last == "Nothing was changed." && !shown.joined().contains("from-a-file"))
        #expect(TextFile.names(in: self.root.path) == ["password"])
        let (_, first) = try await self.run(arguments + ["--yes"])
        #expect(first == .exited(0) && TextFile.read(self.credential) == "from-a-file")
        unsafe chmod(self.configuration, 0o640)
        let before = TextFile.read(self.configuration)
        let (_, second) = try await self.run(["--yes", "--name", "van-12"])
        #expect(second == .exited(0) && TextFile.read("\(self.configuration).old-1") == before)
        #expect(TextFile.read(self.configuration)?.contains("name = \"van-12\"") == true)
        #expect(self.mode(of: self.configuration) == 0o640 && TextFile.read(self.credential) == "from-a-file")
        let (again, third) = try await self.run([
            "--yes", "--name", "van-12", "--broker", "mqtts://broker.example:8883",
        ])
        #expect(third == .exited(0) && again.contains { $0.hasPrefix("Nothing to change") }, "\(again)")
        #expect(TextFile.read("\(self.configuration).old-2") == nil)
        let other = try self.root.write("another\n", to: "other")
        let (_, fourth) = try await self.run(["--yes", "--password-file", other])
        #expect(fourth == .exited(0) && TextFile.read(self.credential) == "another")
    }

    @Test(
        "A password that the broker refuses is asked for again before anything is written",
        .enabled(if: FileStamp(of: "/etc/obd-agent/agent.toml") == nil)
    )
    func refusedPassword() async throws {
        let broker = try await Broker(Broker.Options(users: ["obd": "right"]))
        let answers = [
            ("1/5", "tcp:127.0.0.1:35000\n"), ("2/5", "mqtt://127.0.0.1:\(broker.port)\n"), ("3/5", "obd\n"),
            ("not shown", "wrong\n"), ("5/5", "\n"), ("That did not work", ""), ("Enter: obd", "\n"),
            ("not shown", "right\n"),
        ]
        let typed = JSON.array(answers.map { .array([.string($0.0), .string($0.1)]) })
        let program = try Program(builtHere: "obd-agent").path
        let arguments = [typed.text, program, "setup", "--dry-run", "--sample", Self.sample]
        let lines = try await PythonTools().run("typed_terminal", arguments)
        let seen = try JSON(parsing: Array(lines.joined().utf8), depthLimit: 8)
        #expect(seen["code"] == 0 && seen["screen"].string?.contains("Nothing was changed.") == true, "\(seen)")
        try await broker.stop()
    }

    @Test("A second run with Enter everywhere has nothing to change")
    func nothingToChange() async throws {
        _ = try await self.type(Self.all)
        let before = TextFile.read(self.configuration)
        let typed = JSON.array(["1/5", "2/5", "3/5", "not shown", "5/5"].map { .array([.string($0), .string("\n")]) })
        let program = try Program(builtHere: "obd-agent").path
        let lines = try await PythonTools().run(
            "typed_terminal",
            [typed.text, program, "setup", "--root", self.root.path]
        )
        let seen = try JSON(parsing: Array(lines.joined().utf8), depthLimit: 8)
        #expect(seen["code"] == 0 && seen["screen"].string?.contains("Nothing to change") == true, "\(seen)")
        #expect(TextFile.read(self.configuration) == before && TextFile.read("\(self.configuration).old-1") == nil)
    }

    @Test("A link or a folder in the place of the configuration is not replaced")
    func noRegularFile() async throws {
        try #require(Directory.make("\(self.root.path)/etc/obd-agent") == nil)
        let target = try self.root.write("[mqtt]\nurl = \"mqtts://a.example\"\n", to: "elsewhere.toml")
        unsafe symlink(target, self.configuration)
        let (lines, status) = try await self.run(["--yes", "--name", "van-12"])
        #expect(status == .exited(73) && lines.contains { $0.contains("no regular file") }, "\(lines)")
        #expect(TextFile.read(target)?.contains("van-12") == false)
    }

    @Test("Who is not root is told the command", .enabled(if: geteuid() != 0))
    func notRoot() async throws {
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["setup"])
        let notes = await child.errors.reduce(into: [String]()) { $0.append($1) }
        #expect(try await child.exitStatus() == .exited(77) && notes.contains("Try: sudo obd-agent setup"))
    }
}
