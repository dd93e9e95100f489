// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

/// The entities that Home Assistant would show for the messages of a real broker, with its kind of templates.
private struct House {
    let entities: JSON

    init(_ bench: Bench) async throws {
        let lines = await bench.observer.messages.map { "\($0.topic)\t\($0.payload.hexadecimal)" }
        let file = try bench.directory.write(lines.joined(separator: "\n"), to: "house")
        let output = try await PythonTools().run("home_assistant", [file])
        self.entities = JSON(parsing: Array(output.joined().utf8))
    }

    subscript(key: String) -> JSON { self.entities["obd_\(vin)_\(key)"] }
}

@Suite("For Home Assistant")
struct HomeAssistantTests {
    private static let standing = ["--trip", "1", "--pause", "3600", "--codes", "P0301,P0420"]

    private static func settings(_ car: SimulatedCar, _ lines: [String]) -> Bench.Settings {
        var settings = Bench.Settings(adapter: car.address)
        settings.parameters = ["engine_speed = 0.2", "coolant_temperature = 0.5", "fuel_type = 0.5"]
        settings.homeAssistant = lines
        return settings
    }

    /// Waits until a value is announced and published, and returns the entities.
    private static func house(_ bench: Bench, _ form: String, after count: Int = 0) async throws -> House {
        let topic = form == "device" ? "device/\(vin)" : "sensor/\(vin)/coolant_temperature"
        _ = try await bench.observer.first("the announcement", after: count) {
            $0.topic == "homeassistant/\(topic)/config" && $0.text.contains("parameters/coolant_temperature")
        }
        if form == "device" {
            _ = try await bench.observer.first("the monitors", after: count) {
                $0.topic == "homeassistant/\(topic)/config" && $0.text.contains("monitor-catalyst")
            }
        } else {
            _ = try await bench.observer.first("the monitors", after: count) {
                $0.topic == "homeassistant/binary_sensor/\(vin)/monitor-catalyst/config"
            }
        }
        _ = try await bench.observer.first("the battery", after: count) {
            $0.topic.hasPrefix("homeassistant/") && $0.text.contains("battery-low")
        }
        _ = try await bench.first("status", of: vin) {
            $0.json["vehicle_seen"].string != nil && $0.json["parked"] == false && $0.json["battery"] != .null
        }
        return try await House(bench)
    }

    @Test("The vehicle shows up with its values, and its button clears the codes", arguments: ["device", "component"])
    func vehicleShowsUp(form: String) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            let agent = try bench.start(Self.settings(car, ["discovery = \"\(form)\"", "clear_button = true"]))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin) { $0.json["codes"].elements.count == 2 }
            _ = try await bench.first("events", of: vin) { $0.json["event"] == "code_found" }
            let house = try await Self.house(bench, form)
            for (key, member) in house.entities.members {
                #expect(member["available"] == true, "\(key)")
                // There is no finding yet, and no answer to a command.
                let isUnknown = ["finding", "urgent-finding", "last-answer"].contains { key.hasSuffix("_\($0)") }
                let isKnown = member["state"].string != nil
                let isStateless = member["platform"] == "button" || member["platform"] == "event"
                #expect(isStateless || isKnown != isUnknown, "\(key): \(member)")
            }
            let temperature = house["coolant_temperature"]
            let last = await bench.observer.messages.last { $0.topic == temperature["state_topic"].string }
            #expect(temperature["state"].string.flatMap { Double($0) } == last?.json["value"].double)
            #expect(temperature["unit_of_measurement"] == "°C" && temperature["device_class"] == "temperature")
            #expect(house["agent-online"]["state"] == "on" && house["vehicle-link"]["state"] == "on")
            #expect(house["warning-lamp"]["state"] == "on" && house["trouble-codes"]["state"] == "2")
            let attributes = house["trouble-codes"]["attributes"]
            #expect(attributes["codes"] == ["P0301", "P0420"] && attributes["known"] == true)
            #expect(attributes["descriptions"]["P0301"].string?.isEmpty == false)
            #expect(house["last-seen"]["state"].string?.hasSuffix("Z") == true)
            #expect(house["monitor-catalyst"]["state"].string != nil)
            #expect(house["vehicle-parked"]["state"] == "off" && house["battery-low"]["state"] == "off")
            #expect(house["battery-low"]["device_class"] == "battery")
            #expect(house["monitor-catalyst"]["enabled"] == false && house["coolant_temperature"]["enabled"] == true)
            // The codes were there at the first reading.
            #expect(house["code-event"]["state"] == "code_found", "\(house["code-event"])")
            #expect(house["code-event"]["attributes"]["code"].string?.hasPrefix("P0") == true)
            #expect(house["read-codes"]["command_topic"] == house["clear-codes"]["command_topic"])

            let button = house["clear-codes"]
            #expect(button["command_topic"].string == "obd/\(vin)/commands" && button["retain"] == false)
            let command = try #require(button["command"].string)
            let id = JSON(parsing: Array(command.utf8))["id"].string
            try await bench.publisher.publish(command, to: "obd/\(vin)/commands")
            let answer = try await bench.first("responses", of: vin) {
                $0.json["id"].string == id && $0.json["state"] != "accepted" && $0.json["state"] != "running"
            }
            #expect(answer.json["state"] == "succeeded", "\(answer.text)")
            _ = try await bench.first("codes", of: vin) {
                $0.json["codes"].elements.isEmpty && $0.json["known"] == true
            }
            for event in ["code_gone", "mil_off"] {
                _ = try await bench.first("events", of: vin) { $0.json["event"].string == event }
            }
            let cleared = try await House(bench)
            #expect(cleared["warning-lamp"]["state"] == "off" && cleared["trouble-codes"]["state"] == "0")
            #expect(cleared["last-answer"]["state"] == "clear codes succeeded", "\(cleared["last-answer"])")
            #expect(cleared["code-event"]["state"] == "code_gone", "\(cleared["code-event"])")
            #expect(cleared["lamp-event"]["state"] == "mil_off", "\(cleared["lamp-event"])")
            #expect(JSON(parsing: Array((cleared["clear-codes"]["command"].string ?? "").utf8))["id"].string != id)
        }
    }

    @Test("Asleep, the vehicle keeps its values and says so; back again, only what is still selected is there")
    func asleepAndBack() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            var settings = Self.settings(car, ["clear_button = true"])
            let agent = try bench.start(settings)
            defer { agent.signal() }
            let awake = try await Self.house(bench, "device")
            agent.signal()
            _ = try await bench.first("availability", of: vin) { $0.text == "offline" }
            _ = try await agent.exitStatus()
            let asleep = try await House(bench)
            #expect(asleep["coolant_temperature"]["state"].string != nil)
            #expect(asleep["coolant_temperature"]["available"] == true)
            #expect(asleep["agent-online"]["state"] == "off" && asleep["vehicle-link"]["available"] == false)
            #expect(asleep["clear-codes"]["available"] == false)
            #expect(asleep["last-seen"]["state"].string ?? "" >= awake["last-seen"]["state"].string ?? "-")

            var count = await bench.observer.count
            settings.parameters = ["engine_speed = 0.2", "coolant_temperature = 0.5"]
            let again = try bench.start(settings)
            defer { again.signal() }
            _ = try await bench.observer.first("the removal", after: count) {
                $0.topic == "homeassistant/device/\(vin)/config" && $0.text.contains(#""fuel_type":{"p":"sensor"}"#)
            }
            let back = try await House(bench)
            #expect(back["fuel_type"] == .null && back["coolant_temperature"]["state"].string != nil)
            let kept = Set(awake.entities.members.map(\.key)).subtracting(["obd_\(vin)_fuel_type"])
            #expect(Set(back.entities.members.map(\.key)) == kept)

            // The message tells that Home Assistant has restarted.
            count = await bench.observer.count
            try await bench.publisher.publish("online", to: "homeassistant/status")
            _ = try await bench.observer.first("it once more, to be forgotten", after: count) {
                $0.topic == "homeassistant/device/\(vin)/config" && $0.text.contains("obd_\(vin)_fuel_type")
            }
            _ = try await bench.observer.first("its end", after: count) {
                $0.topic == "homeassistant/device/\(vin)/config" && $0.text.contains(#""fuel_type":{"p":"sensor"}"#)
            }
        }
    }

    @Test("There is no button where commands are signed, and nothing at all where it is switched off")
    func withoutButton() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(Self.standing)
            var settings = Self.settings(car, ["clear_button = true"])
            settings.unsignedRole = "observer"
            let agent = try bench.start(settings)
            let house = try await Self.house(bench, "device")
            #expect(house["clear-codes"] == .null && house["read-codes"] != .null && house["wake"] == .null)
            agent.signal()
            _ = try await agent.exitStatus()

            let count = await bench.observer.count
            settings.homeAssistant = ["enabled = false"]
            let other = try bench.start(settings)
            defer { other.signal() }
            let removal = try await bench.observer.first("the removal", after: count) {
                $0.topic == "homeassistant/device/\(vin)/config"
            }
            #expect(removal.payload.isEmpty && removal.retain)
        }
    }
}
