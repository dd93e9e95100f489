// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Commands, sent with mosquitto_pub")
struct CommandTests {
    @Test("What a standing car stored, tested and tells of itself is read on CAN and before it", arguments: ["6", "5"])
    func standingCar(bus: String) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([
                "--trip", "1", "--pause", "3600", "--codes", "P0301,P0420,P0741", "--obeys-control", "--protocol", bus,
            ])
            let allow = ["read_codes", "read_monitors", "read_vehicle", "run_test"]
            let agent = try bench.start(.init(adapter: car.address, allow: allow))
            defer { agent.signal() }
            let engine = bus == "6" ? "7E8" : "10"
            _ = try await bench.first("codes", of: vin)

            let codes = try await bench.perform(CommandText(id: "c", command: "read_codes"), on: vin)
            let frame = codes["result"]["codes"].elements.first { $0["code"] == "P0301" }?["freeze_frame"]
            #expect((frame?["values"].members.count ?? 0) >= 15 && frame?["unread"] == [])
            #expect(codes["result"]["freeze_frames"][engine] == ["state": "stored", "code": "P0301"])

            let monitors = try await bench.perform(CommandText(id: "m", command: "read_monitors"), on: vin)
            #expect(monitors["result"]["tests"]["ecus"][engine] == "read")
            #expect(monitors["result"]["tests"]["results"].elements.count >= 10)
            #expect(!monitors["result"]["cycle"].isNull)
            _ = try await bench.first("monitors", of: vin) { !$0.json["tests"].isNull }

            let vehicle = try await bench.perform(CommandText(id: "v", command: "read_vehicle"), on: vin)
            let ecu = vehicle["result"]["ecus"].elements.first { $0["ecu"].string == engine }
            #expect(ecu?["in_use_performance"]["ignition"] == "spark" && ecu?["unread"] == [])

            let test = try await bench.perform(
                CommandText(
                    id: "t",
                    command: "run_test",
                    arguments: #"{"test": "01"}"#,
                    vehicle: vin,
                    key: Bench.engineer
                ),
                on: vin
            )
            #expect(test["state"] == "succeeded")
            #expect(test["result"]["ecus"][engine] == ["answer": "done", "data": "0000000000"])
        }
    }

    @Test("A running car is read, described and polled as asked, and keeps its codes")
    func runningCar() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301,P0420"])
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin) { ($0.json["value"].double ?? 0) > 500 }

            let description = try await bench.perform(CommandText(id: "d-1", command: "describe"), on: vin)
            #expect(description["state"] == "succeeded")
            #expect(description["result"]["vehicle"]["vin"] == .string(vin))
            #expect(description["result"]["commands"].elements.count == 5)

            let names = "[\"engine_speed\", \"fuel_type\", \"commanded_egr\"]"
            let reading = try await bench.perform(
                CommandText(
                    id: "r-1",
                    command: "read_parameters",
                    arguments: "{\"parameters\": \(names)}",
                    vehicle: vin
                ),
                on: vin
            )
            #expect(reading["state"] == "succeeded")
            #expect((reading["result"]["values"]["engine_speed"]["value"].double ?? 0) > 500)
            #expect(reading["result"]["values"]["fuel_type"]["value"] == 1)
            #expect(reading["result"]["missing"] == ["commanded_egr"])

            let codes = try await bench.perform(CommandText(id: "c-1", command: "read_codes"), on: vin)
            #expect(codes["state"] == "succeeded")
            #expect(codes["result"]["codes"].elements.map { $0["code"] } == ["P0301", "P0420"])

            let selection = try await bench.perform(
                CommandText(
                    id: "s-1",
                    command: "select_parameters",
                    arguments: "{\"parameters\": {\"oil_temperature\": 0.5, \"commanded_egr\": 1}}"
                ),
                on: vin
            )
            #expect(selection["state"] == "succeeded")
            #expect(selection["result"]["unsupported"] == ["commanded_egr"])
            _ = try await bench.first("parameters/oil_temperature", of: vin)
            let vehicle = try await bench.first("vehicle", of: vin) { !$0.json["selected"]["oil_temperature"].isNull }
            #expect(vehicle.json["selected"].members.count == 2)
            // The agent removes the retained value of a parameter that it no longer polls.
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.payload.isEmpty }

            for (confirm, reason) in [("\"all\"", "engine_running"), ("[\"P0301\"]", "codes_differ")] {
                let clear = try await bench.perform(
                    CommandText(id: reason, command: "clear_codes", arguments: "{\"confirm\": \(confirm)}"),
                    on: vin
                )
                #expect(clear["state"] == "refused")
                #expect(clear["reason"] == .string(reason))
                #expect(clear["result"]["codes_before"].elements.count == 2)
            }
        }
    }

    @Test("A standing car is cleared once, and everybody sees it")
    func standingCar() async throws {
        try await Bench.run { bench in
            let codes = ["--codes", "P0301,P0420", "--permanent", "P0420"]
            let car = try await SimulatedCar(["--trip", "1", "--pause", "3600"] + codes)
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }
            _ = try await bench.first("codes", of: vin)

            let count = await bench.observer.count
            let confirm = "{\"confirm\": [\"P0301\", \"P0420\"]}"
            let command = CommandText(id: "clear-1", command: "clear_codes", arguments: confirm)
            let clear = try await bench.perform(command, on: vin)
            #expect(clear["state"] == "succeeded")
            #expect(clear["repeat"] == false)
            #expect(clear["result"]["ecus"] == ["7E8": "cleared", "7E9": "cleared"])
            #expect(clear["result"]["codes_before"].elements.count == 2)
            #expect(clear["result"]["mil"] == false)
            #expect(clear["result"]["gone"].elements.map { $0["code"] } == ["P0301"])
            #expect(clear["result"]["stayed"].elements.map { $0["code"] } == ["P0420"])
            let kept = try await bench.first("events", of: vin) { $0.json["event"] == "before_clear" }
            #expect(kept.json["command_id"] == "clear-1")
            #expect(kept.json["codes"]["codes"].elements.map { $0["code"] } == ["P0301", "P0420"])
            let frames = kept.json["codes"]["codes"].elements.map { $0["freeze_frame"]["values"] }
            #expect(frames.contains { $0["engine_speed"]["unit"] == "rpm" })
            #expect(kept.json["monitors"]["code_count"] == 2)
            #expect(!kept.json["monitors"]["tests"]["results"].elements.isEmpty)
            let after = try await bench.first("codes", of: vin, after: count) { $0.json["mil"] == false }
            // Permanent codes stay until the ECU itself has verified that the fault is gone.
            #expect(after.json["codes"].elements.map { $0["states"] } == [["permanent"]])
            let gone = try await bench.first("events", of: vin) { $0.json["event"] == "code_gone" }
            #expect(gone.json["code"] == "P0301" && gone.json["description"] == "Misfire in cylinder 1")
            _ = try await bench.first("events", of: vin) { $0.json["event"] == "mil_off" }

            let again = try await bench.perform(command, on: vin)
            #expect(again["repeat"] == true)
            #expect(again["result"] == clear["result"])
            let accepted = await bench.observer.messages.filter {
                $0.topic == "obd/\(vin)/responses" && $0.json["state"] == "accepted"
            }
            #expect(accepted.count == 1)
        }
    }

    @Test("Of two ECUs one refuses to clear: it is told what each did, what is gone, and what stayed")
    func oneRefuses() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(
                ["--trip", "1", "--pause", "3600", "--codes", "P0301,P0741", "--keeps-codes", "transmission"]
            )
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin)
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }
            let clear = try await bench.perform(
                CommandText(id: "half-1", command: "clear_codes", arguments: #"{"confirm": "all"}"#),
                on: vin
            )
            #expect(clear["state"] == "failed" && clear["reason"] == "negative_response")
            #expect(clear["result"]["ecus"]["7E8"] == "cleared")
            #expect(clear["result"]["ecus"]["7E9"] == "conditions not correct")
            #expect(clear["result"]["gone"].elements.map { $0["code"] } == ["P0301"])
            #expect(clear["result"]["stayed"].elements.map { $0["code"] } == ["P0741"])
        }
    }

    @Test("A command that must not be obeyed is refused, with the reason")
    func refusals() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let agent = try bench.start(.init(adapter: car.address, allow: ["describe", "read_parameters"]))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin)

            let describe = CommandText(id: "", command: "describe")
            var refused: [String: CommandText] = [:]
            for reason in ["expired", "issued_in_future", "lifetime_too_long", "wrong_vehicle"] {
                refused[reason] = describe
            }
            refused["expired"]?.issued = -100
            refused["expired"]?.expires = -10
            refused["issued_in_future"]?.issued = 300
            refused["lifetime_too_long"]?.expires = 86_500
            refused["wrong_vehicle"]?.vehicle = "ZZZSMVLATR4700894"
            refused["not_allowed"] = CommandText(id: "", command: "read_codes")
            refused["unknown_command"] = CommandText(id: "", command: "open_the_doors")
            refused["bad_arguments"] = CommandText(
                id: "",
                command: "read_parameters",
                arguments: "{\"parameters\": [\"x\"]}"
            )
            refused["malformed"] = CommandText(id: "", command: "describe", arguments: "[]")
            refused["malformed"]?.arguments = "{}, \"please\": true"
            for (reason, var command) in refused.sorted(by: { $0.key < $1.key }) {
                command.id = "id-\(reason)"
                let response = try await bench.perform(command, on: vin)
                #expect(response["state"] == "refused")
                #expect(response["reason"] == .string(reason), "\(response)")
            }

            let retained = CommandText(id: "id-retained", command: "describe")
            let topic = "obd/\(vin)/commands"
            try await bench.publisher.publish(try retained.text(), to: topic, retain: true)
            let response = try await bench.first("responses", of: vin) { $0.json["id"] == "id-retained" }
            #expect(response.json["reason"] == "retained")
        }
    }

    @Test(
        "While the clock is not set, reading is allowed and writing is not",
        .disabled(if: KernelClock.now.isSynchronised, "the kernel says that this machine's clock is set")
    )
    func unknownClock() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--trip", "1", "--pause", "3600", "--codes", "P0301"])
            let agent = try bench.start(.init(adapter: car.address, trust: "kernel"))
            defer { agent.signal() }
            let speed = try await bench.first("parameters/engine_speed", of: vin)
            #expect(speed.json["quality"] == "unsynchronised")

            let clear = CommandText(id: "w-1", command: "clear_codes", arguments: "{\"confirm\": \"all\"}")
            let refusal = try await bench.perform(clear, on: vin)
            #expect(refusal["reason"] == "clock_unknown")
            let reading = try await bench.perform(CommandText(id: "r-1", command: "read_codes"), on: vin)
            #expect(reading["state"] == "succeeded")
            #expect(reading["result"]["codes"].elements.count == 1)
        }
    }

    @Test("A response topic counts below the vehicle's own responses only")
    func responseTopics() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin)

            func properties(_ topic: String) -> [String] {
                ["-D", "publish", "response-topic", topic, "-D", "publish", "correlation-data", "desk-7"]
            }
            let own = "obd/\(vin)/responses/desk"
            let describe = CommandText(id: "own", command: "describe")
            try await bench.perform(describe, on: vin, properties: properties(own))
            let answers = await bench.observer.messages.filter { $0.topic == own }
            #expect(answers.map { $0.json["state"] } == ["accepted", "succeeded"])
            #expect(answers.allSatisfy { $0.correlationData == "desk-7" && !$0.retain })

            let foreign = ["elsewhere", "obd/\(vin)/responses", "obd/\(vin)/availability", "obd/OTHER/responses/desk"]
            for (number, topic) in foreign.enumerated() {
                let describe = CommandText(id: "foreign-\(number)", command: "describe")
                try await bench.perform(describe, on: vin, properties: properties(topic))
            }
            // A response to the foreign topic would have arrived before the awaited response.
            for message in await bench.observer.messages where message.json["id"].string?.hasPrefix("foreign") == true {
                #expect(["obd/\(vin)/responses", "obd/\(vin)/commands"].contains(message.topic))
            }
            let count = await bench.observer.messages.count { message in
                message.topic == "obd/\(vin)/responses" && message.json["id"] == "foreign-1"
            }
            #expect(count == 2)
        }
    }
}
