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
