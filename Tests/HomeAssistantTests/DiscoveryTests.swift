// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import HomeAssistant

@Suite struct DiscoveryTests {
    @Test("A vehicle becomes one device with the selected values that it has reported")
    func vehicleIsAnnounced() throws {
        var bench = try Bench()
        bench.connect()
        bench.identify()
        bench.discovery.valuesSelected(values(0x0C, 0x0D), at: bench.now)
        #expect(bench.run().isEmpty == false)
        bench.discovery.valuesReceived(named: ["engine_speed"], at: bench.now)
        let step = try #require(bench.run().last)
        #expect(step.messages.map(\.topic.description) == ["homeassistant/device/1HGCM82633A004352/config"])
        #expect(step.messages.allSatisfy { $0.retain && $0.qos == .atLeastOnce })
        let keys = try components(step.messages[0]).keys.sorted()
        #expect(
            keys == [
                "agent-online", "battery-event", "code-event", "engine_speed", "finding", "lamp-event", "last-answer",
                "last-seen", "trouble-codes", "urgent-finding", "vehicle-link", "vehicle-parked", "warning-lamp",
            ]
        )
    }

    @Test("The battery is announced once the adapter has reported the voltage, and stays after a restart")
    func batteryIsShown() throws {
        var bench = try Bench()
        bench.start()
        #expect(try components(#require(bench.published.last))["battery-low"] == nil)
        bench.discovery.valuesReceived(named: ["supply_voltage"], at: bench.now)
        let message = try #require(bench.run().last?.messages.first)
        #expect(try components(message)["battery-low"]?["uniq_id"] == "obd_1HGCM82633A004352_battery-low")
        var restarted = try Bench(announced: bench.persisted)
        restarted.start(isSessionPresent: true)
        #expect(restarted.published.isEmpty)
    }

    @Test("After a restart the same vehicle is announced again only if the broker has lost the session")
    func sameIsSilent() throws {
        var bench = try Bench()
        bench.start()
        var restarted = try Bench(announced: bench.persisted)
        restarted.start(isSessionPresent: true)
        #expect(restarted.published.isEmpty)
        var elsewhere = try Bench(announced: bench.persisted)
        elsewhere.start(isSessionPresent: false)
        #expect(elsewhere.published == bench.published)
    }

    @Test("The entity of a deselected value is removed at once, and also if it was deselected while the agent was off")
    func deselectedIsRemoved() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.valuesSelected(values(0x0C), at: bench.now)
        guard case .publish(let messages, _) = bench.discovery.due(at: bench.now) else {
            Issue.record("the removal waits")
            return
        }
        #expect(try components(messages[0])["vehicle_speed"] == ["p": "sensor"])

        var restarted = try Bench(announced: bench.persisted)
        restarted.connect(isSessionPresent: true)
        restarted.discovery.valuesSelected(values(0x0C), at: restarted.now)
        restarted.identify()
        let message = try #require(restarted.run().last?.messages.first)
        #expect(try components(message)["vehicle_speed"] == ["p": "sensor"])
        #expect(try components(message)["engine_speed"]?["uniq_id"] == "obd_1HGCM82633A004352_engine_speed")
    }

    @Test("300 values of a maker are announced, and removed again", arguments: DiscoveryForm.allCases)
    func longList(form: DiscoveryForm) throws {
        let request = try CustomRequest(payload: [0x22, 0x01, 0x01])
        let formula = try Formula("A")
        let custom = (0..<300).map { index in
            CustomParameter(
                title: "Temperature of module \(index) of the traction battery",
                request: request,
                field: Field(custom: "battery_module_\(index)_temperature", formula, symbol: "°C")
            )
        }
        var bench = try Bench(form: form)
        bench.start()
        let values = VehicleValue.all(of: custom.map { ParameterKey.custom($0.name) }, custom: custom)
        bench.discovery.valuesSelected(values, at: bench.now)
        bench.discovery.valuesReceived(named: custom.map(\.name), at: bench.now)
        _ = bench.run()
        #expect(bench.persisted.last?.entities.keys.count { $0.hasPrefix("battery_module") } == 300)
        let largest = bench.published.map(\.payload.count).max() ?? 0
        #expect(largest < (form == .device ? 160_000 : 2000), "\(largest)")
        bench.discovery.valuesSelected([], at: bench.now)
        let removal = bench.run().flatMap(\.messages)
        switch form {
        case .device:
            let removed = try components(try #require(removal.last)).filter { $0.value == ["p": "sensor"] }
            #expect(removed.keys.count { $0.hasPrefix("battery_module") } == 300)
        case .component: #expect(removal.count { $0.payload.isEmpty } >= 300)
        }
    }

    @Test("After a start of Home Assistant the withdrawn entities are added once more and removed")
    func withdrawnIsRemovedAgain() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.valuesSelected(values(0x0C), at: bench.now)
        _ = bench.run()
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .seconds(3))
        let before = bench.now
        let steps = bench.run()
        #expect(steps.count == 2)
        #expect(steps[0].at - before >= .seconds(3))
        #expect(steps[1].at - steps[0].at >= Discovery.pause)
        #expect(try components(steps[0].messages[0])["vehicle_speed"]?["uniq_id"] != nil)
        #expect(try components(steps[1].messages[0])["vehicle_speed"] == ["p": "sensor"])
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .zero)
        let again = bench.run()
        #expect(again.count == 1)
        #expect(try components(again[0].messages[0])["vehicle_speed"] == nil)
    }

    @Test("Starts of Home Assistant are answered once in ten minutes: the first at once, later ones together")
    func births() throws {
        var bench = try Bench()
        bench.start()
        let start = bench.now
        var announced: [MonotonicTime] = []
        for second in 0..<3600 {
            bench.now = start + .seconds(second)
            if second < 1800 { bench.discovery.homeAssistantStarted(at: bench.now, jitter: .seconds(second % 3)) }
            if case .publish = bench.discovery.due(at: bench.now) { announced.append(bench.now) }
        }
        #expect(announced.map { ($0 - start).seconds } == [0, 600, 1200, 1800])
        #expect(bench.discovery.deadline == nil)
    }

    @Test("A change is announced at once, even while the answer to a start of Home Assistant waits")
    func changeBetweenBirths() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .zero)
        _ = bench.discovery.due(at: bench.now)
        let birth = bench.now
        bench.now = bench.now + .seconds(60)
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .zero)
        bench.discovery.valuesSelected(values(0x0C), at: bench.now)
        let steps = bench.run()
        // The entity withdrawn meanwhile is added once more and removed.
        #expect(steps.map { ($0.at - birth).seconds } == [60, 600, 605])
    }

    @Test("The identifier outlives a new name, another machine, and a start without a readable VIN")
    func identifierStays() throws {
        var bench = try Bench()
        bench.start()
        for (name, vin, agent) in [
            ("van-13", Bench.vin, "a1b2c3d4e5f6"), ("van-12", Bench.vin, "000000000000"),
            ("van-12", nil, "a1b2c3d4e5f6"),
        ] {
            var other = try Bench(announced: bench.persisted, agent: agent)
            other.connect(isSessionPresent: false)
            other.discovery.valuesSelected(values(0x0C, 0x0D), at: other.now)
            other.discovery.valuesReceived(named: ["engine_speed", "vehicle_speed"], at: other.now)
            other.identify(name, vin: vin)
            other.discovery.valuesReceived(named: ["engine_speed", "vehicle_speed"], at: other.now)
            let messages = other.run().flatMap(\.messages)
            #expect(messages.map(\.topic.description) == ["homeassistant/device/1HGCM82633A004352/config"])
            #expect(try components(messages[0])["engine_speed"]?["uniq_id"] == "obd_1HGCM82633A004352_engine_speed")
        }
    }

    @Test("Another vehicle with the same name replaces the device")
    func otherVehicleReplaces() throws {
        var bench = try Bench()
        bench.start()
        var other = try Bench(announced: bench.persisted)
        other.start(vin: "WVWZZZ1JZXW000001")
        #expect(
            other.published.map { "\($0.topic) \($0.payload.isEmpty)" } == [
                "homeassistant/device/1HGCM82633A004352/config true",
                "homeassistant/device/WVWZZZ1JZXW000001/config false",
            ]
        )
    }

    @Test("A change of the discovery form migrates the entities and clears the old topics", arguments: [true, false])
    func formsAreMigrated(toDevice: Bool) throws {
        let device = "homeassistant/device/1HGCM82633A004352/config"
        let lamp = "homeassistant/binary_sensor/1HGCM82633A004352/warning-lamp/config"
        var bench = try Bench(form: toDevice ? .component : .device)
        bench.start()
        #expect(bench.retained.keys.contains(toDevice ? lamp : device))
        var other = try Bench(form: toDevice ? .device : .component, announced: bench.persisted)
        other.start(isSessionPresent: true)
        let old = toDevice ? lamp : device
        let history = other.published.filter { $0.topic.description == old }
            .map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(history == [#"{"migrate_discovery":true}"#, ""])
        #expect(other.retained.keys.contains(toDevice ? device : lamp))
        #expect(Set(other.retained.keys).isDisjoint(with: bench.retained.keys))
    }

    @Test("Without a discovery form, earlier announcements are removed", arguments: DiscoveryForm.allCases)
    func switchedOffRemoves(form: DiscoveryForm) throws {
        var bench = try Bench(form: form)
        bench.start()
        var other = try Bench(form: nil, announced: bench.persisted)
        other.connect(isSessionPresent: true)
        _ = other.run()
        #expect(Set(other.published.map(\.topic.description)) == Set(bench.retained.keys))
        #expect(other.published.allSatisfy { $0.payload.isEmpty && $0.retain })
        #expect(other.persisted.isEmpty)
    }

    @Test("If the broker may not have the last message, the whole vehicle is announced again")
    func lossIsMended() throws {
        var bench = try Bench()
        bench.start()
        let first = bench.published
        bench.discovery.brokerDisconnected(isLastMessageLost: true)
        bench.published = []
        bench.connect(isSessionPresent: true)
        _ = bench.run()
        #expect(bench.published == first)
    }

    @Test("Announced monitors stay until the vehicle's monitors are read")
    func monitorsStay() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.monitorsRead([.catalyst, .misfire], at: bench.now)
        _ = bench.run()
        var restarted = try Bench(announced: bench.persisted)
        restarted.start(isSessionPresent: true)
        #expect(restarted.published.isEmpty)
        restarted.discovery.monitorsRead([.misfire], at: restarted.now)
        let message = try #require(restarted.run().last?.messages.first)
        #expect(try components(message)["monitor-catalyst"] == ["p": "binary_sensor"])
        #expect(try components(message)["monitor-misfire"]?["uniq_id"] != nil)
    }

    @Test("An announced vehicle survives a round trip, and other bytes are not one")
    func bodyRoundTrip() throws {
        var bench = try Bench()
        bench.start()
        let vehicle = try #require(bench.persisted.first)
        #expect(AnnouncedVehicle(id: vehicle.id, body: vehicle.body) == vehicle)
        #expect(AnnouncedVehicle(id: "x", body: Array("{}".utf8)) == nil)
        #expect(AnnouncedVehicle(id: "x", body: [0xFF, 0x00]) == nil)
    }
}
