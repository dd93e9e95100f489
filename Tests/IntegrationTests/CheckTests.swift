// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import obd_agent

@Suite("check, the doctor")
struct CheckTests {
    /// Runs `check --json`; returns the results by part, and the exit code.
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
        let car = try await SimulatedCar()
        let (results, code) = try await self.check(
            """
            [adapter]
            address = "\(car.address)"
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

    @Test("A PIN that every local user can read is a warning, with the commands that mend it")
    func exposedPIN() throws {
        let directory = try TemporaryDirectory()
        let text = "[adapter]\npin = \"1234\"\n[mqtt]\nurl = \"mqtts://broker.example\"\n"
        let file = try directory.write(text, to: "agent.toml")
        #expect(CheckCommand.configuration(try Configuration.load(path: file), file).verdict == .ok)
        #expect(unsafe chmod(file, 0o644) == 0)
        let result = CheckCommand.configuration(try Configuration.load(path: file), file)
        #expect(result.verdict == .warning)
        #expect(result.next == "sudo chown root:obd-agent \(file) && sudo chmod 640 \(file)")
    }

    @Test("Where the agent detects the model, the check tells among how many sets, or that there are none")
    func signalSets() throws {
        let directory = try TemporaryDirectory()
        let text = "[adapter]\naddress = \"ble\"\n[mqtt]\nurl = \"mqtts://broker.example\"\n"
        let detection = "[parameters]\nsets = \"detect\"\ncatalog = \"\(directory.path)\"\n"
        let plain = try directory.write(text, to: "plain.toml")
        let file = try directory.write(text + detection, to: "agent.toml")
        #expect(CheckCommand.signalSets(try Configuration.load(path: plain)) == nil)
        #expect(CheckCommand.signalSets(try Configuration.load(path: file))?.verdict == .warning)
        try directory.write("{}", to: "Make-Model.json")
        let result = try #require(CheckCommand.signalSets(try Configuration.load(path: file)))
        #expect(result.verdict == .ok && result.text.contains("among 1 set in"))
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
            [position]
            gpsd = "127.0.0.1:1"
            """,
            in: directory
        )
        #expect(code == 69)
        for part in ["credentials", "broker", "adapter", "gpsd"] {
            #expect(results[part]?["verdict"] == "failed", "\(part)")
            #expect(results[part]?["next"].string?.isEmpty == false, "\(part)")
        }
        #expect(results["gpsd"]?["next"] == "systemctl status gpsd; gpspipe -w -n 5")
        let (mistake, status) = try await self.check("[mqtt]\nurll = 1", in: directory)
        #expect(status == 78)
        #expect(mistake["configuration"]?["text"].string?.contains("agent.toml:2: [mqtt] urll: unknown key") == true)
    }

    /// Returns the result of the check of a broker on this port, for van-12.
    private func broker(at port: UInt16) async throws -> CheckResult {
        let text = "[vehicle]\nname = \"van-12\"\n[mqtt]\nurl = \"mqtt://127.0.0.1:\(port)\"\n"
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml")
        return await BrokerCheck.result(try #require(configuration.mqtt.servers.first), configuration)
    }

    @Test("A broker that forbids to publish is told, and what to do; one that allows it is fine")
    func forbidden() async throws {
        let directory = try TemporaryDirectory()
        for (list, verdict) in [
            ("topic read #", CheckResult.Verdict.failed), ("topic write obd/van-12/responses/#", .ok),
        ] {
            let acl = try directory.write("\(list)\n", to: "acl")
            let broker = try await Broker(Broker.Options(configuration: ["acl_file \(acl)"]))
            let result = try await self.broker(at: broker.port)
            #expect(result.verdict == verdict, "\(result)")
            #expect((result.next?.contains("access list") == true) == (verdict == .failed))
            #expect(result.text.contains("obd/van-12/responses/obd-check-") == (verdict == .failed))
            #expect(result.text.contains("not authorised") == (verdict == .failed))
            try await broker.stop()
        }
    }

    @Test("A broker that knows MQTT 3.1.1 only is told to be one: it can't tell what it permits")
    func oldBroker() async throws {
        let listener = try LoopbackListener()
        for _ in 0..<2 {
            try listener.serveOne { peer in
                // The version follows the name of the protocol.
                guard peer.read().dropFirst(8).first == 4 else { return peer.write([0x20, 2, 0, 1]) }
                peer.write([0x20, 2, 0, 0])
                peer.write([0x90, 3] + peer.read().dropFirst(2).prefix(2) + [1])
                let publish = peer.read()
                peer.write([0x40, 2] + publish.dropFirst(4 + Int(publish.dropFirst(3).first ?? 0)).prefix(2))
                while !peer.read().isEmpty {}
            }
        }
        let result = try await self.broker(at: listener.port)
        #expect(result.verdict == .ok && result.text.contains("MQTT 3.1.1"), "\(result)")
    }

    @Test("A broker that ends the connection of who publishes what it may not is told, and what to do")
    func endingBroker() async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write([0x20, 3, 0, 0, 0])
            peer.write([0x90, 4] + peer.read().dropFirst(2).prefix(2) + [0, 0x87])
            _ = peer.read()
        }
        let result = try await self.broker(at: listener.port)
        #expect(result.verdict == .failed && result.text.contains("obd/van-12/responses/"), "\(result)")
        #expect(result.text.contains("commands of van-12") && result.next?.contains("access list") == true, "\(result)")
    }

    /// Returns the result of the check of a gpsd that sends this text.
    private func gpsd(sending text: String) async throws -> CheckResult? {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(Array(text.utf8))
            while !peer.read().isEmpty {}
        }
        let gpsd = try Configuration.Position.GPSD("127.0.0.1:\(listener.port)")
        return await GPSDCheck.result(gpsd, within: .seconds(60))
    }

    @Test("A gpsd with a fix is fine, and its release is told, but no position")
    func gpsd() async throws {
        let greeting = #"{"class":"VERSION","release":"3.22\u001b"}"# + "\r\n"
        let fix = #"{"class":"TPV","mode":3,"lat":52.5,"lon":13.4}"# + "\r\n"
        let result = try #require(try await self.gpsd(sending: greeting + fix))
        #expect(
            result.verdict == .ok && result.text.hasSuffix("release 3.22\u{FFFD}; a receiver has a fix"),
            "\(result)"
        )
        #expect(!result.text.contains("52.5"))
        #expect(await GPSDCheck.result(nil) == nil)
    }

    @Test("Another program at gpsd's port is told")
    func otherThanGPSD() async throws {
        let result = try #require(try await self.gpsd(sending: "220 mail.example ESMTP\r\n"))
        #expect(result.verdict == .failed && result.next?.contains("another program") == true, "\(result)")
    }

    @Test("A gpsd without a fix is a warning, and one without a greeting is none")
    func gpsdWithoutFix() throws {
        func report(_ line: String) throws -> GPSDReport {
            try #require(GPSDReport(Array(line.utf8), at: BootClock().now))
        }
        var check = GPSDCheck("localhost:2947")
        #expect(check.result.verdict == .failed && check.result.text == "localhost:2947: no greeting of gpsd")
        check.received(try report(#"{"class":"VERSION","release":"3.25"}"#))
        check.received(try report(#"{"class":"DEVICES","devices":[]}"#))
        let silent = "localhost:2947, release 3.25; no receiver has reported yet"
        #expect(check.result.verdict == .warning && check.result.text == silent)
        check.received(try report(#"{"class":"TPV","mode":1}"#))
        #expect(check.result.verdict == .warning && check.result.text == "localhost:2947, release 3.25; no fix yet")
        #expect(check.result.next?.contains("gpspipe -w -n 5") == true && !check.hasFix)
        check.received(try report(#"{"class":"TPV","mode":2,"lat":52.5,"lon":13.4}"#))
        #expect(check.result.verdict == .ok && check.hasFix)
    }

    @Test("The agent that runs has the adapter")
    func busy() async throws {
        let directory = try TemporaryDirectory()
        let lock = try DirectoryLock.acquire(directory.path)
        defer { withExtendedLifetime(lock) {} }
        let (results, _) = try await self.check(
            """
            [adapter]
            address = "tcp:127.0.0.1:1"
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
        let next = MachineCheck.clock(clock, trust: .kernel).next
        #expect(next?.contains("[clock] trust = \"system\"") == true && next?.contains("has expired may run") == true)
    }

    @Test("A Raspberry Pi's weak supply is told")
    func power() throws {
        func check(_ machine: MachineReport?, shutsDown: Bool = false) -> CheckResult {
            MachineCheck.power(machine, shutsDown: shutsDown)
        }
        #expect(check(nil).verdict == .skipped)
        #expect(check(MachineReport(cpuTemperature: 51.2)).text.contains("51.2 °C"))
        #expect(check(MachineReport(underVoltage: false)).verdict == .ok)
        #expect(check(MachineReport(underVoltage: true)).verdict == .warning)
        let before = MachineReport(underVoltage: false, throttling: [], throttlingSinceBoot: [.underVoltage])
        #expect(check(before).verdict == .warning && check(before).text.contains("since the boot"))
        #expect(check(MachineReport(underVoltage: false, throttling: [.throttled])).verdict == .warning)
        // A machine that the agent may switch off needs a way to start again.
        #expect(check(nil, shutsDown: true).next?.contains("docs/concepts/power.md") == true)
        #expect(check(nil, shutsDown: true).verdict == .warning)
    }

    @Test("A machine that is to be switched off and may not is told")
    func shutdown() throws {
        let directory = try TemporaryDirectory()
        let power = Configuration.Power(shutdownAfter: .seconds(1800))
        #expect(MachineCheck.shutdown(Configuration.Power(), in: [directory.path]) == nil)
        #expect(MachineCheck.shutdown(power, in: [directory.path])?.verdict == .warning)
        try directory.write("polkit.addRule(…)", to: "50-obd-agent.rules")
        #expect(MachineCheck.shutdown(power, in: ["/nowhere", directory.path])?.verdict == .ok)
    }

    @Test("A disk with less room than the database may need is told")
    func disk() throws {
        let directory = try TemporaryDirectory()
        #expect(MachineCheck.disk(directory.path, limit: 1).verdict == .ok)
        #expect(MachineCheck.disk(directory.path, limit: .max).verdict == .warning)
        #expect(MachineCheck.disk(directory.path + "/none", limit: 1).verdict == .skipped)
    }
}
