// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("A vehicle as a device of MQTT discovery")
struct DiscoveryDeviceTests {
    @Test(
        "The identifier has letters, digits, low lines and hyphens only",
        arguments: [
            ("ZZZSMVLATR4700893", "ZZZSMVLATR4700893"), ("a+b/#", "a_b__"), ("é1 ²", "_1__"), ("a_b-c", "a_b-c"),
            ("\r\n", "_"), ("", ""),
        ]
    )
    func identifiers(text: String, id: String) {
        #expect(DiscoveryDevice(vin: text).id == id && DiscoveryDevice.identifier(text) == id)
    }

    @Test("Without a VIN, the agent and the vehicle's name identify it; the agent's own name is not told twice")
    func provisional() {
        #expect(DiscoveryDevice(agent: "a1", vehicle: "van 7").id == "agent-a1-van_7")
        #expect(DiscoveryDevice(agent: "a1", vehicle: "agent-a1").id == "agent-a1")
        #expect(DiscoveryDevice(agent: "a1", vehicle: "agent-a2").id == "agent-a1-agent-a2")
    }

    @Test("The filters match both forms of an announcement, and none of another device")
    func filters() throws {
        let filters = try DiscoveryDevice(vin: "V1").filters(Topic("ha/x"))
        #expect(filters.map(\.description) == ["ha/x/device/V1/config", "ha/x/+/V1/+/config"])
        let isMatched = { (text: String) in
            let topic = try Topic(text)
            return filters.contains { $0.matches(topic) }
        }
        for topic in ["ha/x/device/V1/config", "ha/x/sensor/V1/speed/config"] { #expect(try isMatched(topic)) }
        for topic in ["ha/x/device/V2/config", "ha/x/sensor/V2/speed/config", "ha/x/V1/config"] {
            #expect(try !isMatched(topic))
        }
    }

    @Test("An identifier of elsewhere that cannot be a level throws")
    func wildcard() throws {
        #expect(DiscoveryDevice(id: "agent a").id == "agent a")
        #expect(throws: TopicError.self) { try DiscoveryDevice(id: "a+").filters(Topic("ha")) }
    }
}
