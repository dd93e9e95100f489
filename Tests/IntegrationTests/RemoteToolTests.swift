// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc
import JOSE
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("obd-remote")
struct RemoteToolTests {
    private static let standing = ["--trip", "1", "--pause", "3600", "--codes", "P0301,P0420"]

    @Test("A command for a vehicle that is offline is obeyed when it is back")
    func offline() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            let first = try bench.start(.init(adapter: car.address))
            _ = try await bench.first("codes", of: vin)
            first.signal()
            #expect(try await first.exitStatus() == .exited(0))

            let remote = RemoteProgram(bench.broker, vehicle: vin)
            let child = try remote.start("describe")
            _ = try await child.errors.next("the notice") { $0.contains("is offline, last seen ") }
            _ = try await child.errors.next("the promise") { $0.contains("runs it if it is back by ") }
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            let run = try await RemoteProgram.end(of: child, "describe")
            #expect(run.status == .exited(0), "\(run.notes)")
            #expect(run.output.first?.hasPrefix("Agent     ") == true)
            #expect(run.notes.contains("\(vin) is online now"))
        }
    }

    @Test("A broker that is lost while somebody waits is connected again, and the command sent again")
    func brokerLost() async throws {
        try await Bench.run { bench in
            let remote = RemoteProgram(bench.broker, vehicle: vin)
            let child = try remote.start("describe")
            // No vehicle is connected yet, so the broker knows none.
            _ = try await child.errors.next("the doubt") { $0.contains("The broker knows no vehicle \(vin)") }
            try await bench.broker.kill()
            _ = try await child.errors.next("the loss") { $0.hasSuffix("; reconnecting") }
            try await bench.broker.restart()
            let car = try await SimulatedCar(Self.standing)
            let agent = try bench.start(.init(adapter: car.address, vehicle: vin))
            defer { agent.signal() }
            let run = try await RemoteProgram.end(of: child, "describe")
            #expect(run.status == .exited(0), "\(run.notes)")
        }
    }

    @Test("An engineer asks for bytes, and overrides the engine; who does not sign is told to")
    func engineer() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            var settings = Bench.Settings(
                adapter: car.address,
                allow: ["describe", "read_codes", "clear_codes", "raw_request"]
            )
            settings.commands = ["engine_override = true"]
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin)
            let key = try bench.directory.write(Bench.engineer.json.text, to: "engineer.jwk")

            let remote = RemoteProgram(bench.broker, vehicle: vin)
            let unsigned = try await remote.run("raw", ["0902"])
            #expect(unsigned.status == .exited(77) && unsigned.output.isEmpty, "\(unsigned.notes)")
            let signing = ["--signing-key", key]
            let raw = try await remote.run("raw", ["0902", "22f190", "--ecu", "7e0", "--hold", "1s"] + signing)
            #expect(raw.status == .exited(0), "\(raw.notes)")
            let digits = "490201" + Array(vin.utf8).hexadecimal.uppercased()
            #expect(raw.output == ["0902  7E8  \(digits)", "22F190  7E8  11: service not supported"])
            let clear = try await remote.run("clear", ["--yes", "--override-engine"] + signing)
            #expect(clear.status == .exited(0) && clear.output.contains { $0.hasPrefix("Gone ") }, "\(clear.notes)")
            let kept = try await bench.first("events", of: vin) { $0.json["event"] == "before_clear" }
            #expect(kept.json["issuer"] == "bench" && kept.json["engine_override"] == true)
        }
    }

    @Test("At a terminal only the word yes clears", arguments: [("no", 4, 2), ("yes", 0, 0)])
    func prompt(answer: String, status: Int32, left: Int) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin) { $0.json["codes"].elements.count == 2 }

            let program = try Program(builtHere: "obd-remote").path
            let command = "\(program) clear --vehicle \(vin) --broker mqtt://127.0.0.1:\(bench.broker.port)"
            let shell = try ChildProcess(
                Program("sh", debianPackage: "dash"),
                ["-c", "echo \(answer) | script -qec '\(command)' /dev/null"]
            )
            let run = try await RemoteProgram.end(of: shell, "clear")
            #expect(run.status == .exited(status), "\(run.output)")
            #expect(run.output.contains { $0.contains("Type yes to erase this:") })
            let codes = try await bench.perform(CommandText(id: "after", command: "read_codes"), on: vin)
            #expect(codes["result"]["codes"].elements.count == left)
        }
    }

    @Test("While the engine runs, clear says so before it asks")
    func runningEngine() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin) { $0.json["codes"].elements.count == 1 }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"].double ?? 0 > 0 }
            let program = try Program(builtHere: "obd-remote").path
            let command = "\(program) clear --vehicle \(vin) --broker mqtt://127.0.0.1:\(bench.broker.port)"
            let shell = try ChildProcess(
                Program("sh", debianPackage: "dash"),
                ["-c", "echo yes | script -qec '\(command)' /dev/null"]
            )
            let run = try await RemoteProgram.end(of: shell, "clear")
            #expect(run.status == .exited(2))
            #expect(run.output.contains { $0.contains("the engine runs (") && $0.contains("nothing was sent") })
            #expect(!run.output.contains { $0.contains("Type yes") })
        }
    }

    @Test("What is recorded from afar is what the vehicle's own recording exports")
    func record() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(
                .init(adapter: car.address, parameters: ["engine_speed = 0.2", "vehicle_speed = 0.2"])
            )
            _ = try await bench.first("telemetry", of: vin)
            let remote = RemoteProgram(bench.broker, vehicle: vin)
            let file = "\(bench.directory.path)/drive.csv"
            let run = try await remote.run("record", ["--csv", file, "--for", "5s"])
            #expect(run.status == .exited(0) && run.notes.contains { $0.hasSuffix(" rows of \(vin) in \(file)") })
            // The program does not overwrite a file.
            let second = try await remote.run("record", ["--csv", file, "--for", "1s"])
            #expect(
                second.status == .exited(73)
                    && second.notes.contains { $0.hasPrefix("Try: ") && $0.contains("--force") }
            )
            agent.signal()
            #expect(try await agent.exitStatus() == .exited(0))

            let exported = try await Program(builtHere: "obd-agent").run([
                "export", "--directory", bench.directory.path, "--config", "\(bench.directory.path)/agent.toml",
            ])
            let text = String(decoding: try #require(TextFile.bytes(of: file, limit: 1 << 24)), as: UTF8.self)
            let recorded = text.split(separator: "\r\n").map(String.init)
            // The export computes the time of a row from the clock at that time, so the time may differ.
            func timeless(_ row: String) -> String {
                var cells = row.filter { $0 != "\r" }.split(separator: ",", omittingEmptySubsequences: false)
                cells[1] = cells[1].prefix(2)
                return cells.joined(separator: ",")
            }
            let known = Set(exported.map(timeless))
            let strange = recorded.map(timeless).filter { !known.contains($0) }
            #expect(recorded.count > 10 && strange.isEmpty, "\(strange.prefix(5)) \(exported.prefix(5))")
            #expect(Set(recorded).count == recorded.count)
        }
    }

    @Test("Ctrl-C ends a recording in good order, and the file is whole")
    func interrupted() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin)
            let file = "\(bench.directory.path)/drive.csv"
            let child = try RemoteProgram(bench.broker, vehicle: vin).start("record", ["--csv", file])
            // The program writes the header when the recording begins.
            try await eventually("the recording has begun") {
                (TextFile.bytes(of: file + ".part", limit: 1 << 20)?.count ?? 0) > 100
            }
            child.signal(SIGINT)
            let run = try await RemoteProgram.end(of: child, "record")
            #expect(run.status == .exited(0), "\(run.notes)")
            #expect(TextFile.read(file)?.hasPrefix("vehicle,time,clock,parameter") == true)
        }
    }

    @Test("What nobody can mean harms nobody: nonsense on the topics, and words that command a terminal")
    func nonsense() async throws {
        let broker = try await Broker()
        let publisher = Publisher(broker)
        let evil = "\\u001b]0;owned\\u0007\u{9B}2J"
        let deep = String(repeating: "[", count: 5000)
        let nonsense = [
            "status": "{\"link\":\"\(evil)\",\"version\":\"\(evil)\",\"adapter\":{\"identity\":\"\u{202E}x\"}}",
            "availability": "online", "vehicle": deep, "parameters/evil": "{\"value\":1e999,\"unit\":\"\(evil)\"}",
            "codes": "{\"known\":true,\"codes\":[{\"code\":\"\(evil)\",\"ecu\":7,\"states\":3},{},7]}",
            "events": "{\"event\":\"\(evil)\",\"code\":[]}", "monitors": "\"\u{1B}",
            "finding": "{\"text\":\"\(evil)\"}",
        ]
        for (path, payload) in nonsense.sorted(by: { $0.key < $1.key }) {
            try await publisher.publish(payload, to: "obd/van/\(path)", retain: true)
        }
        let remote = RemoteProgram(broker)
        for arguments in [["list"], ["list", "--json"], ["codes", "--last"], ["codes", "--last", "--json"]]
            + [["watch", "--for", "1s"], ["watch", "--for", "1s", "--json"]]
        {
            let run = try await remote.run(arguments[0], Array(arguments.dropFirst()))
            #expect(run.status == .exited(0), "\(arguments) \(run.notes)")
            #expect(!run.output.isEmpty)
            for scalar in (run.output + run.notes).joined().unicodeScalars {
                #expect(scalar.value >= 0x20 && !(0x7F...0x9F ~= scalar.value) && scalar.value != 0x202E)
            }
        }
    }

    @Test("What a broker does not permit is told with 77")
    func permissions() async throws {
        let directory = try TemporaryDirectory()
        let rules = "user anna\ntopic read obd/#\nuser eve\ntopic write obd/#\n"
        let list = try directory.write(rules, to: "acl")
        let broker = try await Broker(
            .init(users: ["anna": "secret", "eve": "secret"], configuration: ["acl_file \(list)"])
        )
        let password = try directory.write("secret\n", to: "password")
        func status(_ user: String, _ file: String) async throws -> RemoteProgram.Run {
            let credentials = ["--username", user, "--password-file", file, "--vehicle", "van"]
            return try await RemoteProgram(options: RemoteProgram(broker).options + credentials)
                .run("describe", ["--timeout", "30s"])
        }
        let reader = try await status("anna", password)
        #expect(reader.status == .exited(77), "\(reader.notes)")
        #expect(reader.notes.contains("obd-remote: the broker does not let this client send commands to van"))
        let wrong = try directory.write("wrong\n", to: "wrong")
        let stranger = try await status("anna", wrong)
        #expect(stranger.status == .exited(77), "\(stranger.notes)")
        #expect(!(stranger.notes + reader.notes).contains { $0.contains("secret") || $0.contains("wrong\"") })
    }

    @Test("What is wrong with the command line, the files or the way to the broker has its own exit code")
    func exitCodes() async throws {
        let directory = try TemporaryDirectory()
        let key = "\(directory.path)/anna.jwk"
        let made = try await RemoteProgram(options: []).run("key", [key, "--name", "anna"])
        #expect(made.status == .exited(0) && made.output.count == 1 && !made.output[0].contains("\"d\""))
        let open = try directory.write(try #require(TextFile.read(key)), to: "open.jwk")
        #expect(unsafe chmod(open, 0o640) == 0)
        let publicKey = try directory.write(made.output[0], to: "public.jwk")
        let nobody = "mqtt://127.0.0.1:\(try Loopback.freePort())"
        let cases: [([String], Int32, String)] = [
            ([], 64, "--broker is missing"), (["--broker", "http://x"], 64, "--broker"),
            (["--broker", nobody, "--vehicle", "a/b"], 64, "--vehicle"),
            (["--broker", nobody, "--vehicle", "v"], 69, "cannot connect"),
            (["--broker", nobody, "--vehicle", "v", "--valid", "25h"], 64, "--valid"),
            (["--broker", nobody, "--vehicle", "v", "--signing-key", open], 78, "other users can read"),
            (["--broker", nobody, "--vehicle", "v", "--signing-key", publicKey], 78, "public key"),
            (["--broker", nobody, "--vehicle", "v", "--signing-key", "/nowhere"], 78, "can't be read"),
            (["--broker", nobody, "--username", "a", "--password-file", "/nowhere"], 78, "can't be read"),
            (["--broker", "mqtts://localhost", "--ca-file", "/nowhere"], 78, "--ca-file"),
        ]
        for (options, status, words) in cases {
            let run = try await RemoteProgram(options: options).run("codes")
            #expect(run.status == .exited(status), "\(options) \(run.notes)")
            #expect(run.notes.contains { $0.contains(words) }, "\(options) \(run.notes)")
        }
    }
}
