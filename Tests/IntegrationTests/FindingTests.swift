// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("What a specialist has found reaches the owner")
struct FindingTests {
    private static func command(_ id: String, _ text: String, codes: String = "[]") -> CommandText {
        CommandText(
            id: id,
            command: "record_finding",
            arguments: #"{"text": "\#(text)", "codes": \#(codes), "severity": "attention"}"#
        )
    }

    private static func settings(_ car: SimulatedCar) -> Bench.Settings {
        .init(adapter: car.address, allow: ["record_finding"])
    }

    @Test("A finding outlives the power, and is published again when the vehicle is there again")
    func durable() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            var agent = try bench.start(Self.settings(car))
            _ = try await bench.first("vehicle", of: vin)
            try await bench.perform(Self.command("f-1", "Look at coil 1.", codes: #"["P0301"]"#), on: vin)
            let first = try await bench.first("finding", of: vin)
            #expect(first.json["id"] == "f-1" && first.json["issuer"].isNull && first.retain)
            let text = #"It is coil 1.\nReplace it."#
            let response = try await bench.perform(Self.command("f-2", text, codes: #"["P0301"]"#), on: vin)
            #expect(response["state"] == "succeeded" && response["result"]["text"] == "It is coil 1.\nReplace it.")
            // After the response "succeeded", the finding must outlive even a kill.
            agent.signal(9)
            _ = try await agent.exitStatus()
            let count = await bench.observer.count
            agent = try bench.start(Self.settings(car))
            defer { agent.signal() }
            let again = try await bench.first("finding", of: vin, after: count)
            #expect(again.json == response["result"] && again.retain && again.json["severity"] == "attention")
            let event = try await bench.first("events", of: vin) { $0.json["finding"]["id"] == "f-2" }
            #expect(event.json["event"] == "finding_recorded" && event.json["finding"] == again.json)
        }
    }

    @Test("The command line shows the newest, or all, and exports them while the agent runs")
    func commandLine() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(Self.settings(car))
            defer { agent.signal() }
            _ = try await bench.first("vehicle", of: vin)
            for (id, text) in [("f-1", "Worn pads."), ("f-2", #"New pads.\nAll is well."#)] {
                #expect(try await bench.perform(Self.command(id, text), on: vin)["state"] == "succeeded")
            }
            let program = try Program(builtHere: "obd-agent")
            let directory = ["--directory", bench.directory.path]
            let lines = try await program.run(["finding"] + directory)
            #expect(lines.first == "Vehicle   \(vin)")
            #expect(lines.contains { $0.hasSuffix("attention, by an unsigned command") })
            #expect(lines.suffix(2) == ["  New pads.", "  All is well."])
            let json = try await program.run(["finding", "--all", "--json", "--vehicle", vin] + directory)
            let all = JSON(parsing: Array(json.joined(separator: "\n").utf8))["findings"].elements
            #expect(all.map { $0["id"] } == ["f-2", "f-1"])
            let rows = try await program.run(["export", "--what", "findings", "--format", "jsonl"] + directory)
            #expect(rows.map { JSON(parsing: Array($0.utf8))["text"] } == ["Worn pads.", "New pads.\nAll is well."])
        }
    }

    @Test("A vehicle's finding stays its own, and is there again when the vehicle is")
    func otherVehicle() async throws {
        try await Bench.run(weight: 2) { bench in
            let other = "ZZZSMVLATR4700894"
            let car = try await SimulatedCar()
            let second = try await SimulatedCar(["--vin", other, "--seed", "2"])
            let relay = try Relay(to: car.port)
            var settings = Self.settings(car)
            settings.adapter = "tcp:127.0.0.1:\(relay.port)"
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("vehicle", of: vin)
            try await bench.perform(Self.command("f-1", "Of the first."), on: vin)
            _ = try await bench.first("finding", of: vin)
            relay.retarget(to: second.port)
            relay.drop()
            _ = try await bench.first("vehicle", of: other)
            try await bench.perform(Self.command("f-2", "Of the second."), on: other)
            _ = try await bench.first("finding", of: other)
            let count = await bench.observer.count
            relay.retarget(to: car.port)
            relay.drop()
            let back = try await bench.first("finding", of: vin, after: count)
            #expect(back.json["id"] == "f-1")
            let topics = await bench.observer.messages.filter { $0.topic.hasSuffix("/finding") }
            #expect(topics.allSatisfy { ($0.json["id"] == "f-1") == ($0.topic == "obd/\(vin)/finding") })
        }
    }

    @Test("While nobody knows which vehicle it is, nobody's finding is recorded")
    func unknownVehicle() async throws {
        try await Bench.run { bench in
            // No adapter answers on this port.
            let nowhere = try Loopback.freePort()
            let agent = try bench.start(.init(adapter: "tcp:127.0.0.1:\(nowhere)", allow: ["record_finding"]))
            defer { agent.signal() }
            let status = try await bench.observer.first("the status") { $0.topic.hasSuffix("/status") }
            let vehicle = String(status.topic.split(separator: "/")[1])
            let response = try await bench.perform(Self.command("f-1", "Whose?"), on: vehicle)
            #expect(response["state"] == "refused" && response["reason"] == "not_connected")
        }
    }
}
