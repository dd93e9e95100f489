// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("A vehicle that the broker does not know")
struct UnknownVehicleTests {
    @Test("What follows a vehicle names the known ones, and ends with 64")
    func remote() async throws {
        let broker = try await Broker()
        let publisher = Publisher(broker)
        for name in ["van-1", "van-2"] {
            try await publisher.publish("offline", to: "obd/\(name)/availability", retain: true)
        }
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/drive.csv"
        for arguments in [
            ["watch", "--for", "2s"], ["captures", "--for", "2s"], ["record", "--csv", file, "--for", "2s"],
            ["codes", "--last"], ["finding"],
        ] {
            let run = try await RemoteProgram(broker, vehicle: "van-3").run(arguments[0], Array(arguments.dropFirst()))
            #expect(run.status == .exited(64) && run.output.isEmpty, "\(arguments) \(run.notes)")
            #expect(run.notes.contains { $0.contains("van-3") && $0.contains("Known vehicles: van-1, van-2") })
        }
        #expect(TextFile.bytes(of: file, limit: 1) == nil)
        let known = try await RemoteProgram(broker, vehicle: "van-2").run("captures", ["--for", "1s"])
        #expect(known.status == .exited(0) && known.notes.last == "0 captures of van-2")
    }

    @Test("A command for a vehicle that the broker does not know is sent on demand only, if it knows others")
    func commands() async throws {
        let broker = try await Broker()
        let publisher = Publisher(broker)
        try await publisher.publish("offline", to: "obd/van-12/availability", retain: true)
        try await publisher.publish(#"{"vin": "\#(vin)"}"#, to: "obd/van-12/vehicle", retain: true)
        let refused = try await RemoteProgram(broker, vehicle: "van12").run("describe", ["--timeout", "20s"])
        #expect(refused.status == .exited(64) && refused.output.isEmpty, "\(refused.notes)")
        #expect(refused.notes.contains { $0.contains("nothing was sent") && $0.contains("Known vehicles: van-12") })
        #expect(refused.notes.contains { $0.hasPrefix("Try: --vehicle van-12;") && $0.contains("--unseen") })
        // The VIN, in small letters, is that of the vehicle.
        for (name, options) in [("van12", ["--unseen"]), (vin.lowercased(), [])] {
            let remote = RemoteProgram(broker, vehicle: name)
            let sent = try await remote.run("describe", options + ["--timeout", "5s"])
            #expect(sent.status == .exited(75), "\(sent.notes)")
            let note = options.isEmpty ? "van-12 is offline" : "knows no vehicle van12"
            #expect(sent.notes.contains { $0.contains(note) }, "\(sent.notes)")
        }
    }

    @Test("The only vehicle that is online is read without its name, and changed only with it")
    func onlyOnline() async throws {
        let broker = try await Broker()
        let publisher = Publisher(broker)
        for (name, state) in [("van-1", "offline"), ("van-2", "online"), ("van-3", "offline")] {
            try await publisher.publish(state, to: "obd/\(name)/availability", retain: true)
        }
        let remote = RemoteProgram(broker)
        let note = "van-2 is the only one of 3 vehicles that is online. --vehicle chooses another."
        for (command, options, status) in [
            ("captures", ["--for", "1s"], 0), ("codes", ["--timeout", "5s"], 75),
        ] as [(String, [String], Int32)] {
            let run = try await remote.run(command, options)
            #expect(run.status == .exited(status) && run.notes.contains(note), "\(run.notes)")
        }
        for (command, options) in [("clear", ["--yes"]), ("wake", []), ("finding", ["Brake pads"])] {
            let run = try await remote.run(command, options)
            #expect(run.status == .exited(64) && !run.notes.contains(note), "\(run.notes)")
            #expect(run.notes.contains { $0.contains("--vehicle is missing") })
        }
        try await publisher.publish("online", to: "obd/van-1/availability", retain: true)
        #expect(try await remote.run("codes").status == .exited(64))
    }

    @Test("A recording without a sample leaves no file")
    func noSample() async throws {
        let broker = try await Broker()
        try await Publisher(broker).publish("online", to: "obd/van-1/availability", retain: true)
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/drive.csv"
        let run = try await RemoteProgram(broker).run("record", ["--csv", file, "--for", "1s"])
        #expect(run.status == .exited(0) && run.notes.last == "0 rows of van-1, so there is no file \(file)")
        #expect(TextFile.names(in: directory.path) == [])
    }

    @Test("On a broker with other vehicles, watch on the machine shows the machine's own one")
    func own() async throws {
        try await Bench.run { bench in
            try await bench.publisher.publish("online", to: "obd/another/availability", retain: true)
            let watch = ["watch", "--config", "\(bench.directory.path)/agent.toml", "--for", "2s"]
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            _ = try await bench.first("parameters/vehicle_speed", of: vin)
            let program = try Program(builtHere: "obd-agent")
            #expect(try await program.run(watch).contains { $0.contains("vehicle_speed") })
            let unknown = try ChildProcess(program, watch + ["--vehicle", "NOPE"])
            let run = try await RemoteProgram.end(of: unknown, "watch")
            #expect(run.status == .exited(64) && run.output.isEmpty)
            #expect(run.notes.contains { $0.contains("NOPE") && $0.contains("Known vehicles: \(vin), another") })
            agent.signal()
            _ = try await agent.exitStatus()
        }
    }

    @Test("Without a vehicle of the machine, watch says so, and names the known ones")
    func none() async throws {
        let broker = try await Broker()
        try await Publisher(broker).publish("online", to: "obd/another/availability", retain: true)
        let directory = try TemporaryDirectory()
        let text = """
            [adapter]
            address = "ble"
            [mqtt]
            url = "mqtt://127.0.0.1:\(broker.port)"

            """
        let file = try directory.write(text, to: "agent.toml")
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["watch", "--config", file, "--for", "1s"])
        let run = try await RemoteProgram.end(of: child, "watch")
        #expect(run.status == .exited(64) && run.output.isEmpty)
        #expect(
            run.notes.contains {
                $0.contains("no vehicle of this configuration's agent") && $0.contains("Known vehicles: another")
            }
        )
    }
}
