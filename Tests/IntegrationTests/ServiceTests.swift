// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import MQTT
import TestSupport
import Testing

@Suite("The agent as a service of systemd")
struct ServiceTests {
    @Test("It says when it runs, how it is, that it lives, and that it ends")
    func notifies() async throws {
        try await Bench.run { bench in
            let socket = try NotifySocket(in: bench.directory)
            let car = try await SimulatedCar()
            let agent = try bench.start(
                Bench.Settings(adapter: car.address, vehicle: "van"),
                environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "1200000"]
            )
            defer { agent.signal() }
            #expect(try await socket.messages.next("the first message") == "READY=1")
            _ = try await socket.messages.next("the watchdog's food") { $0 == "WATCHDOG=1" }
            _ = try await socket.messages.next("the sentence") {
                $0.hasPrefix("STATUS=Reading van over ") && $0.hasSuffix("; broker connected")
            }
            agent.signal()
            _ = try await socket.messages.next("the end") { $0 == "STOPPING=1\nSTATUS=Stopping" }
            #expect(try await within("the end") { try await agent.exitStatus() } == .exited(0))
        }
    }

    @Test("Two agents on one machine with a directory each are two clients of the broker, even under one name")
    func twoAgents() async throws {
        try await Bench.run(weight: 2) { bench in
            let twin = Bench(
                broker: bench.broker,
                observer: bench.observer,
                directory: try TemporaryDirectory(),
                publisher: bench.publisher
            )
            let car = try await SimulatedCar()
            let other = try await SimulatedCar()
            let agents = [
                try bench.start(.init(adapter: car.address, vehicle: "van")),
                try twin.start(.init(adapter: other.address, vehicle: "van")),
            ]
            defer { agents.forEach { $0.signal() } }
            // Two agents with one client id would have one agent's id, and end each other's connections.
            let first = try await bench.first("telemetry", of: "van").json["agent"]
            let second = try await bench.first("telemetry", of: "van") { $0.json["agent"] != first }.json["agent"]
            let count = await bench.observer.count
            for agent in [first, second] {
                _ = try await bench.first("telemetry", of: "van", after: count) { $0.json["agent"] == agent }
            }
            let offline = await bench.observer.messages.filter { $0.topic.hasSuffix("/availability") }
            #expect(offline.allSatisfy { $0.text == "online" })
        }
    }

    @Test("An agent whose client id another client uses gives way, and both systemd and the log are told what to do")
    func sameClientID() async throws {
        try await Bench.run { bench in
            let socket = try NotifySocket(in: bench.directory)
            let car = try await SimulatedCar()
            let agent = try bench.start(
                Bench.Settings(adapter: car.address, vehicle: "van"),
                environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "30000000"]
            )
            defer { agent.signal() }
            let id = try #require(try await bench.first("status", of: "van").json["agent"].string)
            let rival = ConnectionOptions(
                server: Server(host: "127.0.0.1", port: bench.broker.port),
                clientID: "obd-\(id)-van"
            )
            // A copied card does so: it connects again whenever the agent has ended its connection.
            let copy = Task {
                while !Task.isCancelled {
                    let connection = try MQTTConnection(rival)
                    _ = try await connection.events.next("the end of the copy's connection") { event in
                        if case .disconnected = event { true } else { false }
                    }
                }
            }
            defer { copy.cancel() }
            let sentence = try await socket.messages.next("the sentence") { $0.contains("the client id obd-") }
            #expect(sentence.contains("obd-\(id)-van") && sentence.contains("/etc/machine-id"))
            _ = try await agent.errors.next("the log") { $0.contains("pgrep -a obd-agent") }
        }
    }

    @Test("SIGHUP reloads what may change, says what can't, and keeps what is right when the new file is wrong")
    func reloads() async throws {
        try await Bench.run { bench in
            let socket = try NotifySocket(in: bench.directory)
            let car = try await SimulatedCar()
            var settings = Bench.Settings(adapter: car.address, vehicle: "van")
            settings.parameters = ["engine_speed = 1"]
            let agent = try bench.start(settings, environment: ["NOTIFY_SOCKET": socket.path])
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: "van")
            let file = "\(bench.directory.path)/agent.toml"
            let text = try #require(TextFile.read(file))
            try bench.directory.write(text + "\nnonsense = 1\n", to: "agent.toml")
            agent.signal(1)
            _ = try await agent.errors.next("what is wrong") { $0.contains("not reloaded") && $0.contains("nonsense") }
            _ = try await socket.messages.next("the reload") { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }
            _ = try await socket.messages.next("its end") { $0 == "READY=1" }
            try bench.directory.write(
                text.replacing("engine_speed = 1", with: "vehicle_speed = 1")
                    .replacing("batch_seconds = 1", with: "batch_seconds = 2") + "\n",
                to: "agent.toml"
            )
            agent.signal(1)
            _ = try await agent.errors.next("what counts later") {
                $0.contains("[store], [uplink] changed. The change takes effect after")
            }
            _ = try await bench.first("parameters/vehicle_speed", of: "van")
        }
    }

    @Test("A password comes as a credential of systemd's")
    func credential() async throws {
        try await Bench.run { bench in
            let directory = try TemporaryDirectory()
            let car = try await SimulatedCar()
            var settings = Bench.Settings(adapter: car.address, vehicle: "van")
            settings.mqtt = [
                "url = \"mqtt://127.0.0.1:\(bench.broker.port)\"", "username = \"van\"",
                "password_file = \"credential:mqtt-password\"",
            ]
            let without = try bench.start(settings, environment: ["CREDENTIALS_DIRECTORY": directory.path])
            _ = try await without.errors.next("what is missing") {
                $0.contains("[mqtt] password_file: there is no credential \"mqtt-password\". ")
            }
            #expect(try await within("the end") { try await without.exitStatus() } == .exited(78))
            try directory.write("secret", to: "mqtt-password")
            let agent = try bench.start(settings, environment: ["CREDENTIALS_DIRECTORY": directory.path])
            defer { agent.signal() }
            _ = try await bench.first("availability", of: "van") { $0.text == "online" }
        }
    }
}
