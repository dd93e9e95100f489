// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import FoundationEssentials
import Glibc
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("At the agent's machine, the agent itself is watched")
struct AgentFeedTests {
    /// The directory of an agent's socket, as systemd would name it.
    private let directory: TemporaryDirectory
    private var environment: [String: String] { ["RUNTIME_DIRECTORY": self.directory.path] }
    private var socket: String { "\(self.directory.path)/live.sock" }

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private static func configuration(of bench: Bench) -> [String] {
        ["--config", "\(bench.directory.path)/agent.toml"]
    }

    /// Runs `obd-agent watch` to its end.
    private func watch(
        _ arguments: [String],
        through program: Program? = nil
    ) async throws -> (output: [String], notes: [String], status: ChildProcess.ExitStatus) {
        let agent = try Program(builtHere: "obd-agent")
        let path = program == nil ? [] : ["--reuid=65534", "--regid=65534", "--clear-groups", agent.path]
        let child = try ChildProcess(
            program ?? agent,
            path + ["watch"] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(self.environment) { $1 }
        )
        return try await within("obd-agent watch") {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (output, await notes, try await child.exitStatus())
        }
    }

    @Test(
        "The dashboard goes on with live values while the broker is away, and tells when the agent ends and comes back"
    )
    func losses() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([])
            let settings = Bench.Settings(adapter: car.address)
            let agent = Locked(try bench.start(settings, environment: self.environment))
            _ = try await bench.first("parameters/vehicle_speed", of: vin)
            let steps: [JSON] = [
                ["wait": "^Speed .*km/h +█"], ["wait": "● broker "], ["keep": "usual"], ["say": "kill the broker"],
                ["wait": "broker not connected"], ["wait": "^Speed .*km/h +█"], ["keep": "apart"],
                ["say": "end the agent"], ["wait": "the agent has ended|no connection to the agent"],
                ["wait": "agent lost"], ["wait": "^Speed .* ago"], ["keep": "ended"], ["say": "start the agent"],
                ["wait": "● agent online"], ["wait": "^Speed .*km/h +█"], ["type": "q"], ["end": true],
            ]
            let seen = try await TerminalDashboardTests.watch(
                "obd-agent",
                ["watch"] + Self.configuration(of: bench),
                environment: self.environment,
                steps
            ) { line in
                switch line {
                case "kill the broker": try await bench.broker.kill()
                case "end the agent":
                    let present = agent.withLock { $0 }
                    present.signal()
                    // Two agents in one directory would be one too many.
                    _ = try await present.exitStatus()
                default:
                    try await bench.broker.restart()
                    let again = try bench.start(settings, environment: self.environment)
                    agent.withLock { $0 = again }
                }
            }
            agent.withLock { $0.signal() }
            #expect(seen.code == 0 && seen.isRestored, "\(seen.json.text)")
            #expect(seen.screen("usual").joined().contains("from this machine's agent"))
            let apart = seen.screen("apart")
            #expect(apart.contains { $0.contains("● agent online") && $0.contains("● adapter connected") }, "\(apart)")
            #expect(!apart.contains { $0.hasPrefix("Speed") && $0.contains(" ago") }, "\(apart)")
            let ended = seen.screen("ended")
            #expect(ended.contains { $0.contains("○ agent lost") && $0.contains("broker was") }, "\(ended)")
        }
    }

    @Test("Without a broker there are values from the first second on, as lines and for programs")
    func lines() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([])
            var settings = Bench.Settings(adapter: car.address, vehicle: "van-12")
            settings.mqtt = ["url = \"mqtt://127.0.0.1:\(try Loopback.freePort())\""]
            let agent = try bench.start(settings, environment: self.environment)
            defer { agent.signal() }
            let path = self.socket
            try await within("the socket") {
                while (try? LocalSocket.connect(to: path)) == nil {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let configuration = Self.configuration(of: bench)
            // The user ends it once there are values.
            let program = try Program(builtHere: "obd-agent")
            let child = try ChildProcess(
                program,
                ["watch", "--json"] + configuration,
                environment: ProcessInfo.processInfo.environment.merging(self.environment) { $1 }
            )
            let value = try await child.output.next("a value") { $0.contains(#""topic":"obd/van-12/parameters/"#) }
            #expect(JSON(payload: Array(value.utf8))["payload"]["value"].double != nil)
            child.signal()
            #expect(try await child.exitStatus() == .exited(0))
            let (output, notes, status) = try await self.watch(configuration + ["--for", "2s"])
            #expect(status == .exited(0) && notes.isEmpty, "\(notes)")
            #expect(output.contains { $0.contains("vehicle_speed") && $0.contains("km/h") }, "\(output)")
            #expect(output.contains { $0.contains("the agent is not connected to 127.0.0.1:") }, "\(output)")
        }
    }

    @Test("Started by hand, and without a broker in its configuration, the agent is watched beside its database")
    func byHand() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([])
            var settings = Bench.Settings(adapter: car.address, vehicle: "van-12")
            settings.mqtt = []
            let agent = try bench.start(settings)
            defer { agent.signal() }
            let path = "\(bench.directory.path)/live.sock"
            try await within("the socket") {
                while (try? LocalSocket.connect(to: path)) == nil {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let configuration = Self.configuration(of: bench)
            let watch = try ChildProcess(try Program(builtHere: "obd-agent"), ["watch"] + configuration)
            _ = try await watch.output.next("the missing broker") { $0.contains("none is configured") }
            _ = try await watch.output.next("a value") { $0.contains("vehicle_speed") && $0.contains("km/h") }
            watch.signal()
            #expect(try await watch.exitStatus() == .exited(0))
            let check = try ChildProcess(try Program(builtHere: "obd-agent"), ["check"] + configuration)
            let lines = try await within("check") { await check.output.reduce(into: [String]()) { $0.append($1) } }
            #expect(lines.contains { $0.hasPrefix("ok ") && $0.contains("all data stays on this machine") }, "\(lines)")
            #expect(lines.last?.hasPrefix("The agent runs, as process \(agent.processID). Next: ") == true, "\(lines)")
            agent.signal()
            #expect(try await agent.exitStatus() == .exited(0))
            let (_, reasons, code) = try await self.watch(configuration)
            #expect(code == .exited(69), "\(reasons)")
            #expect(reasons.first?.contains("names no broker") == true, "\(reasons)")
        }
    }

    @Test("Without an agent, the broker of the configuration is asked, as before")
    func withoutAgent() async throws {
        let file = try self.directory.write(
            """
            [adapter]
            address = "tcp:127.0.0.1:\(try Loopback.freePort())"
            [mqtt]
            url = "mqtt://127.0.0.1:\(try Loopback.freePort())"

            """,
            to: "agent.toml"
        )
        let (_, notes, status) = try await self.watch(["--config", file])
        #expect(status == .exited(69) && notes.joined().contains("cannot connect"), "\(notes)")
    }

    @Test("An agent that says nothing is no agent, after a while")
    func silentAgent() async throws {
        let listener = try LocalListener(at: self.socket)
        let (_, notes, status) = try await self.watch([])
        withExtendedLifetime(listener) {}
        #expect(status == .exited(69), "\(notes)")
        #expect(notes.first?.contains("it says nothing") == true && notes.last?.hasPrefix("Try: ") == true, "\(notes)")
    }

    @Test("A user without rights is told who has them")
    func withoutRights() async throws {
        let listener = try LocalListener(at: self.socket)
        // Root may open everything, so it becomes another user.
        let isRoot = geteuid() == 0
        let mode: mode_t = isRoot ? 0o700 : 0
        #expect(unsafe chmod(self.directory.path, mode) == 0)
        defer { unsafe chmod(self.directory.path, 0o700) }
        let other = isRoot ? try Program("setpriv", debianPackage: "util-linux") : nil
        let (_, notes, status) = try await self.watch([], through: other)
        withExtendedLifetime(listener) {}
        #expect(status == .exited(77), "\(notes)")
        #expect(notes.first?.contains("this user may not read from the agent") == true, "\(notes)")
        #expect(notes.last?.contains("sudo usermod -aG obd-agent") == true, "\(notes)")
    }
}
