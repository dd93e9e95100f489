// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Configuration

@Suite struct ConfigurationTests {
    @Test("Keys that the shortest file omits have their defaults")
    func defaults() throws {
        let configuration = try configuration(shortest)
        #expect(configuration.vehicle.name == nil)
        #expect(
            configuration.adapter == .init(address: .tcp(host: "192.168.0.10", port: 35000), protocolChoice: .automatic)
        )
        #expect(configuration.mqtt.servers.map(\.description) == ["mqtts://broker.example:8883"])
        #expect(configuration.mqtt.username == nil)
        #expect(configuration.mqtt.passwordFile == nil)
        #expect(configuration.mqtt.caFile == nil)
        #expect(configuration.mqtt.certificateFile == nil)
        #expect(configuration.mqtt.keyFile == nil)
        #expect(configuration.mqtt.topicPrefix.description == "obd")
        #expect(configuration.mqtt.units == .metric)
        #expect(
            configuration.commands.allow == [
                "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters",
                "boost", "record_finding", "capture", "resend",
            ]
        )
        #expect(!configuration.commands.rawWriting && !configuration.commands.engineOverride)
        #expect(configuration.clock.trust == .kernel)
        #expect(configuration.uplink.batchInterval == .seconds(10))
        #expect(configuration.uplink.compression == .none)
        #expect(configuration.uplink.live == .always)
        #expect(configuration.uplink.dailyBudget == nil)
    }

    @Test(
        "Without an address, any Bluetooth LE adapter is used",
        arguments: ["", "[adapter]\n", "[adapter]\naddress = \"\"\n", "[adapter]\naddress = \"ble\"\n"]
    )
    func anyBluetoothAdapter(table: String) throws {
        let configuration = try configuration(table + "[mqtt]\nurl = \"mqtts://broker.example\"\n")
        #expect(configuration.adapter == .init(address: .ble(nil)))
    }

    @Test("A PIN keeps its leading zeros, and UUIDs may be short or long")
    func pairing() throws {
        let adapter = try configuration(
            """
            [adapter]
            address = "ble:AA:BB:CC:DD:EE:FF"
            pin = "001234"
            notify_uuid = "FFE1"
            write_uuid = "BEF8D6C9-9C21-4C9E-B632-bd58c1009f9f"
            [mqtt]
            url = "mqtts://broker.example"
            """
        ).adapter
        #expect(adapter.address == .ble("AA:BB:CC:DD:EE:FF"))
        #expect(adapter.pin == "001234")
        #expect(adapter.notifyUUID == "FFE1")
        #expect(adapter.writeUUID == "BEF8D6C9-9C21-4C9E-B632-bd58c1009f9f")
    }

    @Test("Without a selection eight parameters are polled", arguments: ["", "[parameters]\n"])
    func defaultParameters(table: String) throws {
        let intervals: [String: Duration] = [
            "engine_speed": .milliseconds(500), "vehicle_speed": .milliseconds(500), "engine_load": .seconds(1),
            "throttle_position": .seconds(1), "coolant_temperature": .seconds(10),
            "intake_air_temperature": .seconds(30), "control_module_voltage": .seconds(30), "fuel_level": .seconds(60),
        ]
        let parameters = try configuration(shortest + table).parameters
        #expect(parameters.count == 8)
        for (name, interval) in intervals {
            let pid = try #require(Parameter.named(name)).pid
            #expect(parameters.contains(.init(key: .pid(pid), interval: interval)), "\(name)")
        }
    }

    @Test("Every key of a file sets its value")
    func everything() throws {
        let configuration = try configuration(
            """
            adapter = { address = "serial:/dev/ttyUSB0?baud=115200", protocol = "can-11-500" }
            vehicle.name = 'van 12'
            [mqtt]
            url = [
                "mqtts://broker.example",   # the first
                "mqtt://192.168.1.2:1884",
            ]
            username = "van-12"
            password_file = "/etc/obd-agent/password"
            ca_file = "/etc/obd-agent/ca.pem"
            certificate_file = "/etc/obd-agent/agent.pem"
            key_file = "/etc/obd-agent/agent.key"
            topic_prefix = "fleet/north"
            units = "imperial"
            [parameters]
            010D = 1
            engine_speed = 0.05
            [commands]
            allow = ["describe", "clear_codes"]
            unsigned_role = "none"
            trusted_keys = "/etc/obd-agent/keys.json"
            [clock]
            trust = "system"
            [store]
            directory = "/var/lib/van"
            limit_mib = 64
            batch_seconds = 0
            keep_days = 0
            [uplink]
            batch_seconds = 2.5
            compression = "zlib"
            live = "on-demand"
            daily_budget_mib = 2.5
            """
        )
        #expect(configuration.vehicle.name == "van 12")
        #expect(configuration.adapter.address == .serial(path: "/dev/ttyUSB0", baud: 115_200))
        #expect(configuration.adapter.protocolChoice == .fixed(6))
        #expect(
            configuration.mqtt.servers.map(\.description) == ["mqtts://broker.example:8883", "mqtt://192.168.1.2:1884"]
        )
        #expect(configuration.mqtt.username == "van-12")
        #expect(configuration.mqtt.passwordFile == "/etc/obd-agent/password")
        #expect(configuration.mqtt.caFile == "/etc/obd-agent/ca.pem")
        #expect(configuration.mqtt.certificateFile == "/etc/obd-agent/agent.pem")
        #expect(configuration.mqtt.keyFile == "/etc/obd-agent/agent.key")
        #expect(configuration.mqtt.topicPrefix.description == "fleet/north")
        #expect(configuration.mqtt.units == .imperial)
        #expect(
            configuration.parameters == [
                .init(key: 0x0C, interval: .milliseconds(50)), .init(key: 0x0D, interval: .seconds(1)),
            ]
        )
        #expect(configuration.commands.allow == ["describe", "clear_codes"])
        #expect(configuration.commands.unsignedRole == .none)
        #expect(configuration.commands.trustedKeys == "/etc/obd-agent/keys.json")
        #expect(configuration.clock.trust == .system)
        let store = Configuration.Store(directory: "/var/lib/van", limit: 67_108_864, batchInterval: .zero, keepDays: 0)
        #expect(configuration.store == store)
        #expect(configuration.uplink.batchInterval == .milliseconds(2500))
        #expect(configuration.uplink.compression == .zlib)
        #expect(configuration.uplink.live == .onDemand)
        #expect(configuration.uplink.dailyBudget == 2_621_440)
    }

    @Test("Two fields of one PID can be selected together")
    func fieldsOfOnePID() throws {
        let text = shortest + "[parameters]\no2_sensor_b1s1_voltage = 1\no2_sensor_b1s1_trim = 1.0\n"
        #expect(try configuration(text).parameters == [.init(key: 0x14, interval: .seconds(1))])
    }

    @Test("Raw writing and the engine override can be allowed")
    func commandRules() throws {
        let allow = "[commands]\nallow = [\"raw_request\", \"clear_codes\"]\ntrusted_keys = \"/etc/keys.json\"\n"
        let text = allow + "raw_writing = true\nengine_override = true"
        let commands = try configuration(shortest + text).commands
        #expect(commands.rawWriting && commands.engineOverride)
    }

    @Test("Without a URL there is no broker", arguments: ["", "[mqtt]\nunits = \"imperial\"", "[mqtt]\nurl = \"\""])
    func withoutBroker(text: String) throws {
        #expect(try configuration(text).mqtt.servers.isEmpty)
    }

    @Test("An empty list allows no command")
    func noCommands() throws {
        #expect(try configuration(shortest + "[commands]\nallow = []").commands.allow.isEmpty)
    }

    @Test(
        "Plain MQTT in the local network needs no allow_plaintext",
        arguments: [
            "mqtt://localhost", "mqtt://pi.local", "mqtt://broker", "mqtt://broker.lan", "mqtt://hub.home.arpa",
            "mqtt://[::1]", "mqtt://[fe80::1%eth0]", "mqtt://[fd00::1]", "mqtt://10.1.2.3",
        ]
    )
    func plaintextAtHome(url: String) throws {
        let text = shortest.replacing("mqtts://broker.example", with: url)
        #expect(try configuration(text).mqtt.servers.map(\.tls) == [false])
    }

    @Test(
        "Plain MQTT to any other network is refused without allow_plaintext",
        arguments: [
            "8.8.8.8", "broker.example", "[2001:db8::1]", "broker.lan.example", "100.64.0.1", "[::ffff:8.8.8.8]",
        ]
    )
    func plaintextAbroad(host: String) throws {
        let text = shortest.replacing("mqtts://broker.example", with: "mqtt://\(host)")
        let message = """
            agent.toml:4: [mqtt] url: mqtt://\(host):1883 would send everything, including the password, unencrypted \
            over a public network. Try: mqtts://, or allow_plaintext = true in [mqtt] of agent.toml
            """
        #expect(problems(text) == message)
        #expect(problems(text + "allow_plaintext = false") == message)
        #expect(try configuration(text + "allow_plaintext = true").mqtt.servers.map(\.tls) == [false])
    }

    @Test("allow_plaintext permits plain MQTT to any network")
    func plaintextPermitted() throws {
        let text = shortest.replacing("mqtts:", with: "mqtt:") + "allow_plaintext = true"
        #expect(try configuration(text).mqtt.servers.map(\.port) == [1883])
    }

    @Test("CR LF and a byte order mark make no difference")
    func encodings() throws {
        let expected = try configuration(shortest)
        #expect(try configuration(shortest.replacing("\n", with: "\r\n")) == expected)
        #expect(try configuration("\u{FEFF}" + shortest) == expected)
    }
}
