// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base
import OBD2
import Testing

@testable import HomeAssistant

@Suite struct DiscoveryTests {
    @Test("A vehicle becomes one device with what is selected, once it has told it")
    func vehicleIsAnnounced() throws {
        var bench = try Bench()
        bench.connect()
        bench.meet()
        bench.discovery.selected(values(0x0C, 0x0D), at: bench.now)
        #expect(bench.run().isEmpty == false)
        bench.discovery.told(["engine_speed"], at: bench.now)
        let told = try #require(bench.run().last)
        #expect(told.messages.map(\.topic.description) == ["homeassistant/device/1HGCM82633A004352/config"])
        #expect(told.messages.allSatisfy { $0.retain && $0.qos == .atLeastOnce })
        let keys = try components(told.messages[0]).keys.sorted()
        #expect(
            keys == [
                "agent-online", "engine_speed", "last-seen", "trouble-codes", "vehicle-link", "vehicle-parked",
                "warning-lamp",
            ]
        )
    }

    @Test("The battery is shown once the adapter has told the voltage, and then stays")
    func batteryIsShown() throws {
        var bench = try Bench()
        bench.start()
        #expect(try components(#require(bench.published.last))["battery-low"] == nil)
        bench.discovery.told(["supply_voltage"], at: bench.now)
        let told = try #require(bench.run().last?.messages.first)
        #expect(try components(told)["battery-low"]?["uniq_id"] == "obd_1HGCM82633A004352_battery-low")
        var restarted = try Bench(announced: bench.remembered)
        restarted.start(isKnown: true)
        #expect(restarted.published.isEmpty)
    }

    @Test("Nothing is said twice: after a restart the same is not announced again, unless the broker knows nothing")
    func sameIsSilent() throws {
        var bench = try Bench()
        bench.start()
        var restarted = try Bench(announced: bench.remembered)
        restarted.start(isKnown: true)
        #expect(restarted.published.isEmpty)
        var elsewhere = try Bench(announced: bench.remembered)
        elsewhere.start(isKnown: false)
        #expect(elsewhere.published == bench.published)
    }

    @Test("What is not selected any more goes at once, also where that was decided while the agent was off")
    func deselectedGoes() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.selected(values(0x0C), at: bench.now)
        guard case .publish(let messages, _) = bench.discovery.due(at: bench.now) else {
            Issue.record("it waits")
            return
        }
        #expect(try components(messages[0])["vehicle_speed"] == ["p": "sensor"])

        var restarted = try Bench(announced: bench.remembered)
        restarted.connect(isKnown: true)
        restarted.discovery.selected(values(0x0C), at: restarted.now)
        restarted.meet()
        let message = try #require(restarted.run().last?.messages.first)
        #expect(try components(message)["vehicle_speed"] == ["p": "sensor"])
        #expect(try components(message)["engine_speed"]?["uniq_id"] == "obd_1HGCM82633A004352_engine_speed")
    }

    @Test("Home Assistant's start is answered, and what went while it was away is shown once more and removed")
    func withdrawnIsRemovedAgain() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.selected(values(0x0C), at: bench.now)
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

    @Test("However often Home Assistant starts, it is answered once in ten minutes: at once, and for the rest together")
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

    @Test("What changes is announced at once, also while Home Assistant's start has to wait")
    func changeBetweenBirths() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .zero)
        _ = bench.discovery.due(at: bench.now)
        let birth = bench.now
        bench.now = bench.now + .seconds(60)
        bench.discovery.homeAssistantStarted(at: bench.now, jitter: .zero)
        bench.discovery.selected(values(0x0C), at: bench.now)
        let steps = bench.run()
        // What was withdrawn meanwhile is shown once more, and removed.
        #expect(steps.map { ($0.at - birth).seconds } == [60, 600, 605])
    }

    @Test("The identifier outlives a new name, another machine, and a start at which the VIN can't be read")
    func identifierStays() throws {
        var bench = try Bench()
        bench.start()
        for (name, vin, agent) in [
            ("van-13", Bench.vin, "a1b2c3d4e5f6"), ("van-12", Bench.vin, "000000000000"),
            ("van-12", nil, "a1b2c3d4e5f6"),
        ] {
            var other = try Bench(announced: bench.remembered, agent: agent)
            other.connect(isKnown: false)
            other.discovery.selected(values(0x0C, 0x0D), at: other.now)
            other.discovery.told(["engine_speed", "vehicle_speed"], at: other.now)
            other.meet(name, vin: vin)
            other.discovery.told(["engine_speed", "vehicle_speed"], at: other.now)
            let messages = other.run().flatMap(\.messages)
            #expect(messages.map(\.topic.description) == ["homeassistant/device/1HGCM82633A004352/config"])
            #expect(try components(messages[0])["engine_speed"]?["uniq_id"] == "obd_1HGCM82633A004352_engine_speed")
        }
    }

    @Test("Another vehicle under the same name takes the device's place")
    func otherVehicleReplaces() throws {
        var bench = try Bench()
        bench.start()
        var other = try Bench(announced: bench.remembered)
        other.start(vin: "WVWZZZ1JZXW000001")
        #expect(
            other.published.map { "\($0.topic) \($0.payload.isEmpty)" } == [
                "homeassistant/device/1HGCM82633A004352/config true",
                "homeassistant/device/WVWZZZ1JZXW000001/config false",
            ]
        )
    }

    @Test("Between the forms entities are handed over, and the old topics are emptied", arguments: [true, false])
    func formsAreMigrated(toDevice: Bool) throws {
        let device = "homeassistant/device/1HGCM82633A004352/config"
        let lamp = "homeassistant/binary_sensor/1HGCM82633A004352/warning-lamp/config"
        var bench = try Bench(form: toDevice ? .component : .device)
        bench.start()
        #expect(bench.retained.keys.contains(toDevice ? lamp : device))
        var other = try Bench(form: toDevice ? .device : .component, announced: bench.remembered)
        other.start(isKnown: true)
        let old = toDevice ? lamp : device
        let history = other.published.filter { $0.topic.description == old }
            .map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(history == [#"{"migrate_discovery":true}"#, ""])
        #expect(other.retained.keys.contains(toDevice ? device : lamp))
        #expect(Set(other.retained.keys).isDisjoint(with: bench.retained.keys))
    }

    @Test("Switched off, it takes back what was announced", arguments: DiscoveryForm.allCases)
    func switchedOffRemoves(form: DiscoveryForm) throws {
        var bench = try Bench(form: form)
        bench.start()
        var other = try Bench(form: nil, announced: bench.remembered)
        other.connect(isKnown: true)
        _ = other.run()
        #expect(Set(other.published.map(\.topic.description)) == Set(bench.retained.keys))
        #expect(other.published.allSatisfy { $0.payload.isEmpty && $0.retain })
        #expect(other.remembered.isEmpty)
    }

    @Test("What the broker may not have is announced again, all of it")
    func lossIsMended() throws {
        var bench = try Bench()
        bench.start()
        let first = bench.published
        bench.discovery.disconnected(lost: true)
        bench.published = []
        bench.connect(isKnown: true)
        _ = bench.run()
        #expect(bench.published == first)
    }

    @Test("Monitors that were announced stay while nobody knows them")
    func monitorsStay() throws {
        var bench = try Bench()
        bench.start()
        bench.discovery.monitored([.catalyst, .misfire], at: bench.now)
        _ = bench.run()
        var restarted = try Bench(announced: bench.remembered)
        restarted.start(isKnown: true)
        #expect(restarted.published.isEmpty)
        restarted.discovery.monitored([.misfire], at: restarted.now)
        let message = try #require(restarted.run().last?.messages.first)
        #expect(try components(message)["monitor-catalyst"] == ["p": "binary_sensor"])
        #expect(try components(message)["monitor-misfire"]?["uniq_id"] != nil)
    }

    @Test("What is remembered comes back as it was; anything else is nothing")
    func bodyRoundTrip() throws {
        var bench = try Bench()
        bench.start()
        let vehicle = try #require(bench.remembered.first)
        #expect(AnnouncedVehicle(id: vehicle.id, body: vehicle.body) == vehicle)
        #expect(AnnouncedVehicle(id: "x", body: Array("{}".utf8)) == nil)
        #expect(AnnouncedVehicle(id: "x", body: [0xFF, 0x00]) == nil)
    }
}
