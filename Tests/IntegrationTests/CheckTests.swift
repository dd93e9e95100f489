// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Contract
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import obd_agent

@Suite("check, the doctor")
struct CheckTests {
    /// Runs `check --json`; the verdicts by part, and the exit code.
    private func check(_ text: String, in directory: TemporaryDirectory) async throws -> ([String: JSON], Int32) {
        let file = try directory.write(text, to: "agent.toml")
        let child = try ChildProcess(try Program(builtHere: "obd-agent"), ["check", "--json", "--config", file])
        return try await within("check") {
            var output = ""
            for await line in child.output { output += line }
            let report = try JSON(parsing: Array(output.utf8), depthLimit: 8)
            guard case .array(let results) = report["results"], case .exited(let code) = try await child.exitStatus()
            else { throw CancellationError() }
            let parts = results.map { ($0["part"].string ?? "", $0) }
            return (Dictionary(parts) { first, _ in first }, code)
        }
    }

    @Test("It finds broker, adapter and vehicle, and says so in JSON")
    func healthy() async throws {
        let broker = try await Broker(Broker.Options())
        let directory = try TemporaryDirectory()
        let (results, code) = try await self.check(
            """
            [adapter]
            address = "simulator"
            [mqtt]
            url = "mqtt://127.0.0.1:\(broker.port)"
            [clock]
            trust = "system"
            [store]
            directory = "\(directory.path)"
            limit_mib = 1
            """,
            in: directory
        )
        #expect(code == 0)
        for part in ["configuration", "credentials", "broker", "adapter", "vehicle", "clock", "disk"] {
            #expect(results[part]?["verdict"] == "ok", "\(part)")
        }
        try await broker.stop()
    }

    @Test("What is wrong comes with what to do")
    func ill() async throws {
        let directory = try TemporaryDirectory()
        let (results, code) = try await self.check(
            """
            [adapter]
            address = "tcp:127.0.0.1:1"
            [mqtt]
            url = "mqtts://127.0.0.1:1"
            ca_file = "/nowhere/ca.pem"
            [store]
            directory = "\(directory.path)"
            """,
            in: directory
        )
        #expect(code == 69)
        for part in ["credentials", "broker", "adapter"] {
            #expect(results[part]?["verdict"] == "failed", "\(part)")
            #expect(results[part]?["next"].string?.isEmpty == false, "\(part)")
        }
        let (mistake, status) = try await self.check("[mqtt]\nurll = 1", in: directory)
        #expect(status == 78)
        #expect(mistake["configuration"]?["text"].string?.contains("agent.toml:2: [mqtt] urll: unknown key") == true)
    }

    @Test("The agent that runs has the adapter")
    func busy() async throws {
        let directory = try TemporaryDirectory()
        let lock = try DirectoryLock.take(directory.path)
        defer { withExtendedLifetime(lock) {} }
        let (results, _) = try await self.check(
            """
            [adapter]
            address = "simulator"
            [mqtt]
            url = "mqtt://127.0.0.1:1"
            [store]
            directory = "\(directory.path)"
            """,
            in: directory
        )
        #expect(results["adapter"]?["verdict"] == "skipped")
        #expect(results["vehicle"] == nil)
    }

    @Test("A clock that nobody keeps right is told, unless it is trusted")
    func clock() {
        let clock = KernelClock(millisecondsSince1970: 0, isSynchronised: false)
        #expect(MachineCheck.clock(clock, trust: .kernel).verdict == .warning)
        #expect(MachineCheck.clock(clock, trust: .system).verdict == .ok)
    }

    @Test("A Raspberry Pi's weak supply is told")
    func power() throws {
        let directory = try TemporaryDirectory()
        #expect(MachineCheck.power(in: directory.path).verdict == .skipped)
        unsafe mkdir("\(directory.path)/hwmon1", 0o700)
        try directory.write("rpi_volt\n", to: "hwmon1/name")
        try directory.write("0\n", to: "hwmon1/in0_lcrit_alarm")
        #expect(MachineCheck.power(in: directory.path).verdict == .ok)
        try directory.write("1\n", to: "hwmon1/in0_lcrit_alarm")
        #expect(MachineCheck.power(in: directory.path).verdict == .warning)
    }

    @Test("A disk with less room than the database may need is told")
    func disk() throws {
        let directory = try TemporaryDirectory()
        #expect(MachineCheck.disk(directory.path, limit: 1).verdict == .ok)
        #expect(MachineCheck.disk(directory.path, limit: .max).verdict == .warning)
        #expect(MachineCheck.disk(directory.path + "/none", limit: 1).verdict == .skipped)
    }
}
