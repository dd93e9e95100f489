// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import HomeAssistant

/// The announced entities, compared with what releases of Home Assistant accept.
@Suite struct EntityTests {
    static let releases = ["2024.3.3", "2025.4.4", "2026.11.0"]

    /// The allowed abbreviations: those that all components share, and those of each component.
    private static let common: Set = ["name", "uniq_id", "dev_cla", "ent_cat", "en", "ic", "p", "dev", "o"]
    private static let allowed: [Entity.Component: Set<String>] = [
        .sensor: [
            "stat_t", "val_tpl", "stat_cla", "unit_of_meas", "sug_dsp_prc", "ops", "json_attr_t", "json_attr_tpl",
        ],
        .binarySensor: ["stat_t", "val_tpl", "pl_on", "pl_off", "avty_t"],
        .button: ["cmd_t", "cmd_tpl", "qos", "ret", "avty", "avty_mode", "avty_t"],
        .event: ["stat_t", "val_tpl", "evt_typ"],
        .deviceTracker: ["stat_t", "val_tpl", "src_type", "json_attr_t", "json_attr_tpl"],
    ]

    /// A custom parameter of each role and each unit that the role allows.
    private static func withRoles() -> [VehicleValue] {
        guard let formula = try? Formula("A"), let request = try? CustomRequest(payload: [0x22, 1, 1]) else {
            return []
        }
        return ParameterRole.allCases.flatMap { role in
            (role.isTruth ? [nil] : role.units.map(Optional.some)).enumerated().map { index, unit in
                let field = Field(custom: "with_\(role.rawValue)_\(index)", formula, symbol: unit, role: role)
                return VehicleValue(CustomParameter(request: request, field: field))
            }
        }
    }

    private static let derived = ["kW", "L/h", "kWh/100 km"].enumerated().map { index, unit in
        VehicleValue(derived: Field(derived: "computed_\(index)", symbol: unit), title: nil)
    }

    private static func all(isImperial: Bool) -> [Entity] {
        let topic = { (path: TopicPath) in "obd/van-12/\(path)" }
        let keys = Parameter.catalogue.map { ParameterKey.pid($0.pid) }
        return Entity.presence(topic) + [Entity.parked(topic), Entity.battery(topic)] + Entity.codes(topic)
            + Monitor.allCases.map { Entity.monitor($0, topic) }
            + [Entity.position(topic), Entity.limit("low", title: nil, topic), Entity.lastAnswer(topic)]
            + VehicleButton.allCases.map { Entity.button($0, vehicle: "van-12", topic) }
            + VehicleHappening.allCases.map { Entity.happening($0, topic) } + Entity.findings(topic)
            + TripFigure.allCases.map { Entity.trip($0, topic) }
            + (VehicleValue.all(of: keys, custom: []) + Self.withRoles() + Self.derived).map {
                Entity($0, topic: topic(.parameter($0.field.name, ecu: nil)), isImperial: isImperial)
            }
    }

    @Test("Every entity has only settings that its component allows, and a unique key and name")
    func settingsAreKnown() throws {
        let entities = Self.all(isImperial: false)
        #expect(entities.count > 300)
        for entity in entities {
            let allowed = try #require(Self.allowed[entity.component]).union(Self.common)
            #expect(allowed.isSuperset(of: entity.settings.keys), "\(entity)")
            #expect(entity.key.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) })
        }
        #expect(Set(entities.map(\.key)).count == entities.count)
        let names = entities.compactMap { $0.settings["name"]?.text }
        #expect(Set(names).count == names.count, "\(Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }.keys)")
        for name in names { #expect(!name.contains("_") && name.count < 100) }
    }

    @Test("Units and state classes are allowed for the device class", arguments: releases, [false, true])
    func classesAreAllowed(release: String, isImperial: Bool) throws {
        let classes = try object(Facts.json(release))
        for entity in Self.all(isImperial: isImperial) where entity.component == .sensor {
            let settings = entity.settings
            guard let name = settings["dev_cla"] else { continue }
            guard case .string(let name) = name, name != "timestamp", name != "enum" else {
                #expect(settings["unit_of_meas"] == nil && settings["stat_cla"] == nil)
                continue
            }
            let known = try object(classes[name])
            let unit = settings["unit_of_meas"] ?? .null
            guard case .array(let units) = known["units"], case .array(let states) = known["state_classes"] else {
                Issue.record("\(release) has no \(name)")
                continue
            }
            #expect(units.contains(unit), "\(entity.key): \(unit) is no unit of \(name) in \(release)")
            #expect(states.contains(settings["stat_cla"] ?? .null), "\(entity.key) in \(release)")
        }
    }

    @Test("A value has its title, its device class and the decimals of its resolution")
    func valuesAreDescribed() throws {
        func entity(_ pid: UInt8, isImperial: Bool = false) throws -> [String: JSON] {
            try #require(values(pid).map { Entity($0, topic: "t", isImperial: isImperial) }.last).settings
        }
        // The 12 V supply is announced for every selection.
        let supply = VehicleValue.all(of: [], custom: []).map { Entity($0, topic: "t", isImperial: false).settings }
        #expect(supply.map { $0["dev_cla"] } == ["voltage", "voltage", "voltage", nil])
        #expect(supply.map { $0["unit_of_meas"] } == ["V", "V", "V", "V/d"])
        let speed = try entity(0x0D)
        #expect(speed["name"] == "Vehicle speed" && speed["dev_cla"] == "speed" && speed["unit_of_meas"] == "km/h")
        #expect(speed["sug_dsp_prc"] == 0 && speed["stat_cla"] == "measurement" && speed["ic"] == nil)
        let engine = try entity(0x0C)
        #expect(engine["dev_cla"] == nil && engine["unit_of_meas"] == "rpm" && engine["ic"] == "mdi:engine")
        #expect(try entity(0x0D, isImperial: true)["unit_of_meas"] == "mph")
        #expect(try entity(0x42)["sug_dsp_prc"] == 2)
        #expect(try entity(0x33)["dev_cla"] == "atmospheric_pressure")
        #expect(try entity(0xA6)["stat_cla"] == "total_increasing")
        #expect(try entity(0x44)["unit_of_meas"] == nil)
        #expect(try entity(0x2F)["ic"] == "mdi:gas-station")
        #expect(try entity(0x51)["dev_cla"] == "enum")
        #expect(NamePhrase.phrase("o2_sensor_b1s1_voltage") == "O2 sensor B1S1 voltage")
    }

    @Test("Only the buttons and the link can become unavailable, and no value expires")
    func availability() {
        for entity in Self.all(isImperial: false) {
            let isLost = entity.settings["avty"] != nil || entity.settings["avty_t"] != nil
            #expect(
                isLost == ["clear-codes", "read-codes", "wake", "vehicle-link"].contains(entity.key),
                "\(entity.key)"
            )
            #expect(entity.settings["exp_aft"] == nil)
        }
    }

    @Test("A custom parameter with any name and unit is a sensor")
    func customValues() throws {
        let field = Field(custom: "hv_battery_charge", try Formula("A/2"), symbol: "furlong")
        let request = try CustomRequest(payload: [0x22, 0x01, 0x01])
        let custom = CustomParameter(title: "Traction battery", request: request, field: field)
        let entity = Entity(VehicleValue(custom), topic: "t", isImperial: false)
        #expect(entity.settings["name"] == "Traction battery")
        #expect(entity.settings["unit_of_meas"] == "furlong" && entity.settings["dev_cla"] == nil)
    }

    @Test("A power is one, whether a formula or a manufacturer gives it", arguments: ["kW", "W"])
    func powers(unit: String) throws {
        let derived = VehicleValue(derived: Field(derived: "engine_power", symbol: unit), title: "Engine power")
        let field = Field(custom: "heater", try Formula("A"), symbol: unit)
        let custom = CustomParameter(request: try CustomRequest(payload: [0x22, 0x01, 0x01]), field: field)
        for value in [derived, VehicleValue(custom)] {
            let settings = Entity(value, topic: "t", isImperial: false).settings
            #expect(settings["dev_cla"] == "power" && settings["unit_of_meas"] == .string(unit))
            #expect(settings["stat_cla"] == "measurement" && settings["ic"] == nil)
        }
    }

    @Test(
        "Of more than 50 values only the main ones and those with a role are enabled at first",
        arguments: [49, 50, 300]
    )
    func longLists(count: Int) throws {
        let request = try CustomRequest(payload: [0x22, 0x01, 0x01])
        let formula = try Formula("A")
        let custom = (0..<count).map { index in
            let role = index == 0 ? ParameterRole.stateOfCharge : nil
            return CustomParameter(
                request: request,
                field: Field(custom: "value_\(index)", formula, symbol: "%", role: role)
            )
        }
        let keys = [ParameterKey.pid(0x0C)] + custom.map { ParameterKey.custom($0.name) }
        // Parameters that are not polled do not count.
        let unpolled = CustomParameter(request: request, field: Field(custom: "other", formula))
        let entities = VehicleValue.all(of: keys, custom: custom + [unpolled])
            .map { Entity($0, topic: "t", isImperial: false) }
        let disabled = entities.filter { $0.settings["en"] == false }
        #expect(disabled.count == (count > 49 ? count - 1 : 0))
        #expect(disabled.allSatisfy { $0.key.hasPrefix("value_") && $0.key != "value_0" })
        #expect(entities.filter { $0.settings["en"] != nil }.count == disabled.count)
        #expect(entities.count == SupplyValue.allCases.count + 1 + count)
    }

    @Test("A quantity has device class, state class, unit and icon of its role")
    func roles() {
        let entities = Dictionary(
            Self.withRoles().map { ($0.field.name, Entity($0, topic: "t", isImperial: false)) },
            uniquingKeysWith: { first, _ in first }
        )
        let expected: [(String, String?, String, String, String?)] = [
            ("state_of_charge_0", "battery", "%", "measurement", nil),
            ("state_of_health_0", nil, "%", "measurement", "mdi:battery-heart-variant"),
            ("range_1", "distance", "mi", "measurement", "mdi:map-marker-distance"),
            ("odometer_0", "distance", "km", "total_increasing", "mdi:counter"),
            ("charged_energy_0", "energy", "kWh", "total_increasing", nil),
            ("charged_energy_1", "energy", "Wh", "total_increasing", nil),
            ("charger_power_0", "power", "kW", "measurement", nil),
            ("traction_battery_power_1", "power", "W", "measurement", nil),
            ("traction_battery_voltage_0", "voltage", "V", "measurement", nil),
            ("traction_battery_current_0", "current", "A", "measurement", nil),
            ("traction_battery_temperature_0", "temperature", "°C", "measurement", nil),
            ("outside_temperature_1", "temperature", "°F", "measurement", nil),
            ("vehicle_speed_2", "speed", "m/s", "measurement", nil),
            ("engine_speed_0", nil, "rpm", "measurement", "mdi:engine"),
            ("fuel_level_0", nil, "%", "measurement", "mdi:gas-station"),
        ]
        for (name, deviceClass, unit, state, icon) in expected {
            let settings = entities["with_\(name)"]?.settings
            #expect(settings?["dev_cla"] == deviceClass.map { .string($0) }, "\(name)")
            #expect(settings?["unit_of_meas"] == .string(unit) && settings?["stat_cla"] == .string(state), "\(name)")
            #expect(settings?["ic"] == icon.map { .string($0) }, "\(name)")
        }
    }

    @Test("A truth value is a binary sensor, whether it is a flag or a code with labels")
    func truths() throws {
        func entity(_ role: ParameterRole, labels: [Int: String] = [:], trueValues: Set<Int>? = nil) throws -> Entity {
            let field = Field(custom: "x", try Formula("A"), labels: labels, role: role, trueValues: trueValues)
            let request = try CustomRequest(payload: [0x22, 1, 1])
            return Entity(VehicleValue(CustomParameter(request: request, field: field)), topic: "t", isImperial: false)
        }
        func template(_ condition: String) -> JSON {
            .string("{{ ('ON' if \(condition) else 'OFF') if value_json is defined else None }}")
        }
        let plug = try entity(.pluggedIn)
        #expect(plug.component == .binarySensor && plug.settings["dev_cla"] == "plug")
        #expect(plug.settings["val_tpl"] == template("value_json.value") && plug.settings["ops"] == nil)
        let charging = try entity(.charging, labels: [0: "no", 5: "yes"], trueValues: [7, 5])
        #expect(charging.component == .binarySensor && charging.settings["dev_cla"] == "battery_charging")
        #expect(charging.settings["val_tpl"] == template("value_json.value in [5, 7]"))
        let ready = try entity(.ready, labels: [0: "no", 1: "yes"])
        #expect(ready.settings["dev_cla"] == "running")
        #expect(ready.settings["val_tpl"] == template("value_json.value != 0"))
    }

    @Test("Sixty values fit into a message of 36 kB, and all of the catalogue into 256 kB")
    func sizes() throws {
        for (count, limit) in [(60, 36_000), (500, 256_000)] {
            var bench = try Bench()
            bench.connect()
            let keys = Parameter.catalogue.map { ParameterKey.pid($0.pid) }
            let values = Array(VehicleValue.all(of: keys, custom: []).filter { $0.field.kind == .number }.prefix(count))
            bench.discovery.valuesSelected(values, at: bench.now)
            bench.identify()
            bench.discovery.valuesReceived(named: values.map(\.field.name), at: bench.now)
            bench.discovery.monitorsRead(Set(Monitor.allCases), at: bench.now)
            let size = try #require(bench.run().last?.messages.first).payload.count
            #expect(size > limit / 2)
            #expect(size < limit)
        }
    }

    @Test("The announcement equals the golden file", arguments: DiscoveryForm.allCases, [false, true])
    func golden(form: DiscoveryForm, isImperial: Bool) throws {
        var bench = try Bench(form: form, isImperial: isImperial)
        bench.connect()
        bench.discovery.valuesSelected(values(0x03, 0x05, 0x0C, 0x0D, 0x33, 0x51), at: bench.now)
        bench.identify()
        bench.discovery.valuesReceived(
            named: [
                "fuel_system_status_system1", "coolant_temperature", "engine_speed", "vehicle_speed",
                "barometric_pressure", "fuel_type", "supply_voltage",
            ],
            at: bench.now
        )
        bench.discovery.monitorsRead([.misfire, .evaporativeSystem], at: bench.now)
        bench.discovery.buttonsOffered([.readCodes, .clearCodes], at: bench.now)
        _ = bench.run()
        let lines = bench.published.map { "\($0.topic)\n\(String(decoding: $0.payload, as: UTF8.self))\n" }
        let text = (Facts.head + lines).joined()
        let name = form.rawValue + (isImperial ? "-imperial" : "")
        #expect(text == (try? Facts.text("\(name).golden")), "of \(name):\n\(text)")
    }
}
