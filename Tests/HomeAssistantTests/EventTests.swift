// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import HomeAssistant

@Suite("The entities of events and of buttons, and the device of Home Assistant")
struct EventTests {
    private static func topic(_ path: TopicPath) -> String { "obd/van-12/\(path.text)" }

    @Test("An event entity has the types of its events, and takes no other event")
    func events() {
        let codes = Entity.happening(.codes, Self.topic)
        #expect(codes.component == .event && codes.settings["stat_t"] == "obd/van-12/events")
        #expect(codes.settings["evt_typ"] == ["code_appeared", "code_found", "code_gone"])
        #expect(
            codes.settings["val_tpl"]
                == .string(
                    "{% set v, a = value_json, this.attributes %}"
                        + "{% if v.event in ['code_appeared', 'code_found', 'code_gone'] and not "
                        + "(a.get('agent') == v.agent and (v.epoch == a.epoch and v.seq <= a.seq "
                        + "or v.epoch < a.epoch and v.time <= a.time)) %}"
                        + "{{ dict(event_type=v.event, time=v.time, agent=v.agent | default(None), "
                        + "epoch=v.epoch | default(None), seq=v.seq | default(None), code=v.code | default(None), "
                        + "description=v.description | default(None), ecu=v.ecu | default(None), "
                        + "states=v.states | default(None)) | tojson }}{% endif %}"
                )
        )
        let types = VehicleHappening.allCases.flatMap { $0.events.map(\.rawValue) }
        #expect(Set(types).isSuperset(of: ["code_appeared", "mil_on", "battery_low", "trip"]))
        #expect(Set(types).count == types.count)
    }

    @Test("A stub of an event entity has a type, without which Home Assistant refuses it")
    func stub() {
        #expect(Entity.stub("code-event", .event, topic: "t").settings["evt_typ"] == ["code-event"])
        #expect(Entity.stub("x", .sensor, topic: "t").settings["evt_typ"] == nil)
    }

    @Test(
        "A button sends an unsigned command for its vehicle",
        arguments: [
            (.readCodes, #""command": "read_codes", "vehicle": "van-12""#),
            (.wake, #""command": "wake", "arguments": {"duration": 300}, "vehicle": "van-12""#),
            (.clearCodes, #""command": "clear_codes", "arguments": {"confirm": "all"}, "vehicle": "van-12""#),
        ] as [(VehicleButton, String)]
    )
    func buttons(button: VehicleButton, part: String) {
        let settings = Entity.button(button, vehicle: "van-12", Self.topic).settings
        #expect(settings["cmd_t"] == "obd/van-12/commands" && settings["ret"] == false)
        guard case .string(let template) = settings["cmd_tpl"] else {
            Issue.record("no template")
            return
        }
        #expect(template.contains(part), "\(template)")
    }

    @Test("Only the offered buttons are announced, and the trip event only with trips")
    func offered() throws {
        for (buttons, keys) in [([], []), ([.wake], ["wake"])] as [(Set<VehicleButton>, Set<String>)] {
            var bench = try Bench()
            bench.discovery.buttonsOffered(buttons, at: bench.now)
            bench.start()
            let names = Set(try components(try #require(bench.published.last)).keys)
            #expect(names.intersection(["read-codes", "wake", "clear-codes"]) == keys)
            #expect(names.isSuperset(of: ["code-event", "lamp-event", "battery-event"]))
            #expect(!names.contains("trip-event"))
        }
    }

    @Test(
        "The device has the makes of its VIN, and the detected model or the model year",
        arguments: [
            ("KNDCE3LG5K5000001", "Kia EV6", 2022, "Kia", "EV6 (2022)"),
            ("KNDCE3LG5K5000001", "Kia", nil, "Kia", "Kia"),
            ("KNDCE3LG5K5000001", nil, 2019, "Kia", "Model year 2019"),
            (nil, "Kia EV6", nil, nil, "Kia EV6"), (nil, nil, nil, nil, nil),
        ] as [(String?, String?, Int?, String?, String?)]
    )
    func device(vin: String?, model: String?, year: Int?, manufacturer: String?, name: String?) {
        let facts = DeviceFacts(vin: vin.flatMap { VIN($0) }, model: model, modelYear: year)
        #expect(facts.manufacturer == manufacturer && facts.model == name)
    }

    @Test("A detected model is announced, and the device links to the vehicle on the console")
    func describedAndLinked() throws {
        var bench = try Bench(consoleURL: "https://console.example/")
        bench.start()
        let before = try device(in: try #require(bench.published.last))
        #expect(before["cu"] == "https://console.example/#/van-12" && before["mf"] == "Honda" && before["mdl"] == nil)
        bench.discovery.vehicleDescribed(DeviceFacts(model: "Honda Accord", modelYear: 2003), at: bench.now)
        let message = try #require(bench.run().last?.messages.last)
        #expect(try device(in: message)["mdl"] == "Honda Accord (2003)")
        bench.discovery.vehicleDescribed(DeviceFacts(model: "Honda Accord", modelYear: 2003), at: bench.now)
        #expect(bench.run().isEmpty)
    }

    private func device(in message: Message) throws -> [String: JSON] {
        guard case .object(let payload) = try JSON(parsing: message.payload, depthLimit: 8),
            case .object(let device) = payload["dev"]
        else { return [:] }
        return device
    }

    @Test("A name in the link has percent signs for all but letters, digits and some marks")
    func link() throws {
        let announcement = Announcement(
            id: "x",
            prefix: try Topic("homeassistant"),
            form: .device,
            name: "Ä van/1",
            vin: nil,
            version: "1",
            consoleURL: "https://c/"
        )
        let message = try #require(announcement.messages([], removed: [:]).first)
        #expect(try device(in: message)["cu"] == "https://c/#/%C3%84%20van%2F1")
    }

    @Test("Diagnostics are disabled until a person enables them, but for the agent, the link and the last answer")
    func diagnostics() throws {
        #expect(Entity.monitor(.misfire, Self.topic).settings["en"] == false)
        let mil = VehicleValue.all(of: [.pid(0x01)], custom: []).map { Entity($0, topic: "t", isImperial: false) }
        let diagnostic = mil.filter { $0.settings["ent_cat"] == "diagnostic" }
        #expect(!diagnostic.isEmpty && diagnostic.allSatisfy { $0.settings["en"] == false })
        for entity in Entity.presence(Self.topic) + [Entity.lastAnswer(Self.topic)] {
            #expect(entity.settings["en"] == nil)
        }
    }

    @Test("Of the whole catalogue, only the values that a driver looks at are enabled")
    func wholeCatalogue() {
        let keys = Parameter.catalogue.map { ParameterKey.pid($0.pid) }
        let values = VehicleValue.all(of: keys, custom: [])
        let enabled = Set(values.filter(\.isEnabled).map(\.field.name))
        #expect(values.count > 300 && enabled.count < 20)
        #expect(enabled.isSuperset(of: ["engine_speed", "vehicle_speed", "coolant_temperature", "fuel_level"]))
        #expect(enabled.isSuperset(of: SupplyValue.allCases.map(\.rawValue)))
    }
}
