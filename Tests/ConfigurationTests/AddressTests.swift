// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// Returns the error that `parse` throws for `text`.
private func parsingError<Value>(_ text: String, _ parse: (String) throws(ValueError) -> Value) -> ValueError? {
    do {
        _ = try parse(text)
        return nil
    } catch {
        return error
    }
}

@Suite struct AddressTests {
    @Test(
        "An adapter address is parsed, and its description is the same text",
        arguments: [
            ("tcp:192.168.0.10:35000", AdapterAddress.tcp(host: "192.168.0.10", port: 35000)),
            ("tcp:wifi-obd.local:1", .tcp(host: "wifi-obd.local", port: 1)),
            ("tcp:[::1]:35000", .tcp(host: "::1", port: 35000)),
            ("tcp:[fe80::1%wlan0]:65535", .tcp(host: "fe80::1%wlan0", port: 65535)),
            ("can:can0", .can("can0")),
            ("serial:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", baud: 38400)),
            ("serial:/dev/rfcomm0?baud=115200", .serial(path: "/dev/rfcomm0", baud: 115_200)),
            ("serial:/dev/serial/by-id/usb-FTDI_1:0", .serial(path: "/dev/serial/by-id/usb-FTDI_1:0", baud: 38400)),
            ("ble", .ble(nil)),
            ("ble:AA:BB:CC:DD:EE:0F", .ble("AA:BB:CC:DD:EE:0F")),
            ("rfcomm:00:0D:18:3A:67:89", .rfcomm("00:0D:18:3A:67:89")),
        ]
    )
    func adapterAddress(text: String, address: AdapterAddress) throws {
        #expect(try AdapterAddress(text) == address)
        #expect(address.description == text)
    }

    @Test("A Bluetooth address may be written in small letters, and the kind in capitals")
    func smallLetters() throws {
        #expect(try AdapterAddress("BLE").description == "ble")
        #expect(try AdapterAddress("TCP:127.0.0.1:35000").description == "tcp:127.0.0.1:35000")
        #expect(try AdapterAddress("Serial:/dev/ttyUSB0").description == "serial:/dev/ttyUSB0")
        #expect(try AdapterAddress("ble:aa:bb:cc:dd:ee:0f").description == "ble:AA:BB:CC:DD:EE:0F")
        #expect(try AdapterAddress("rfcomm:aA:bb:cc:dd:ee:0f").description == "rfcomm:AA:BB:CC:DD:EE:0F")
    }

    @Test(
        "An invalid adapter address throws the matching error",
        arguments: [
            ("", ValueError.unknownAdapter("")),
            ("192.168.0.10:35000", .unknownAdapter("192.168.0.10:35000")),
            ("simulator", .unknownAdapter("simulator")),
            ("BLEE", .unknownAdapter("BLEE")),
            ("rfcomm", .unknownAdapter("rfcomm")),
            ("AA:BB:CC:DD:EE:FF", .unknownAdapter("AA:BB:CC:DD:EE:FF")),
            ("ble:", .invalidBluetoothAddress("")),
            ("ble:OBDII", .invalidBluetoothAddress("OBDII")),
            ("ble:AA:BB:CC:DD:EE", .invalidBluetoothAddress("AA:BB:CC:DD:EE")),
            ("ble:AA:BB:CC:DD:EE:FF:00", .invalidBluetoothAddress("AA:BB:CC:DD:EE:FF:00")),
            ("ble:AA:BB:CC:DD:EE:F", .invalidBluetoothAddress("AA:BB:CC:DD:EE:F")),
            ("ble:AA:BB:CC:DD::FF", .invalidBluetoothAddress("AA:BB:CC:DD::FF")),
            ("ble:AA:BB:CC:DD:EE:FG", .invalidBluetoothAddress("AA:BB:CC:DD:EE:FG")),
            ("ble:AA:BB:CC:DD:EE:+F", .invalidBluetoothAddress("AA:BB:CC:DD:EE:+F")),
            ("ble:AA-BB-CC-DD-EE-FF", .invalidBluetoothAddress("AA-BB-CC-DD-EE-FF")),
            ("ble:AABBCCDDEEFF", .invalidBluetoothAddress("AABBCCDDEEFF")),
            ("ble: AA:BB:CC:DD:EE:FF", .invalidBluetoothAddress(" AA:BB:CC:DD:EE:FF")),
            ("ble:AA:BB:CC:DD:EE:\u{FF11}", .invalidBluetoothAddress("AA:BB:CC:DD:EE:\u{FF11}")),
            ("rfcomm:AA:BB:CC:DD:EE:FF:1", .invalidBluetoothAddress("AA:BB:CC:DD:EE:FF:1")),
            ("tcp:192.168.0.10", .missingPort("tcp:192.168.0.10")),
            ("tcp:192.168.0.10:", .invalidPort("")),
            ("tcp:192.168.0.10:0", .invalidPort("0")),
            ("tcp:192.168.0.10:+1", .invalidPort("+1")),
            ("tcp:192.168.0.10:65536", .invalidPort("65536")),
            ("tcp::35000", .invalidHost("")),
            ("tcp:300.1.1.1:1", .invalidHost("300.1.1.1")),
            ("tcp:127.1:1", .invalidHost("127.1")),
            ("tcp:a..b:1", .invalidHost("a..b")),
            ("tcp:-a:1", .invalidHost("-a")),
            ("tcp:büro:1", .invalidHost("büro")),
            ("tcp:fe80::1:1", .unbracketedAddress("fe80::1:1")),
            ("tcp:[fe80::1", .unbracketedAddress("[fe80::1")),
            ("tcp:[127.0.0.1]:1", .invalidHost("127.0.0.1")),
            ("tcp:[::1]1", .invalidPort("1")),
            ("serial:ttyUSB0", .invalidDevice("ttyUSB0")),
            ("serial:/", .invalidDevice("/")),
            ("can", .unknownAdapter("can")),
            ("can:", .invalidInterface("")),
            ("can:can0/x", .invalidInterface("can0/x")),
            ("can:a-name-that-is-long", .invalidInterface("a-name-that-is-long")),
            ("serial:/dev/tty USB0", .invalidDevice("/dev/tty USB0")),
            ("serial:/dev/ttyUSB0?115200", .invalidDevice("/dev/ttyUSB0?115200")),
            ("serial:/dev/ttyUSB0?baud=38401", .invalidBaudRate("38401")),
        ]
    )
    func noAdapterAddress(text: String, error: ValueError) {
        #expect(parsingError(text) { (text) throws(ValueError) in try AdapterAddress(text) } == error)
    }

    @Test("A protocol is chosen by number or by name")
    func protocolChoice() throws {
        #expect(try ProtocolChoice("auto") == .automatic)
        for (index, name) in ProtocolChoice.names.enumerated() {
            let number = UInt8(index + 1)
            #expect(try ProtocolChoice(String(number, radix: 16, uppercase: true)) == .fixed(number))
            #expect(try ProtocolChoice(name) == .fixed(number))
        }
        for text in ["", "0", "10", "+1", "B", "CAN"] {
            #expect(throws: ValueError.self) { try ProtocolChoice(text) }
        }
    }

    @Test(
        "A broker URL is parsed",
        arguments: [
            ("mqtt://broker.example", "mqtt://broker.example:1883"),
            ("mqtts://broker.example/", "mqtts://broker.example:8883"),
            ("MQTTS://[2001:db8::1]", "mqtts://[2001:db8::1]:8883"),
            ("mqtt://[fe80::1%eth0]:1", "mqtt://[fe80::1%eth0]:1"),
        ]
    )
    func server(url: String, spelt: String) throws {
        #expect(try Configuration.Server(url: url).description == spelt)
    }

    @Test(
        "An invalid broker URL throws the matching error",
        arguments: [
            ("broker.example:8883", ValueError.invalidURL("broker.example:8883")),
            ("tcp://broker.example", .invalidURL("tcp://broker.example")),
            ("mqtt://", .invalidHost("")),
            ("mqtts://broker.example/topic", .unexpectedPath("mqtts://broker.example/topic")),
            ("mqtts://me:s3cret@broker.example", .credentialsInURL),
            ("me:s3cret@broker.example", .credentialsInURL),
            ("mqtts://broker.example:port", .invalidPort("port")),
            ("mqtts://2001:db8::1", .unbracketedAddress("2001:db8::1")),
        ]
    )
    func noServer(url: String, error: ValueError) {
        #expect(parsingError(url) { (text) throws(ValueError) in try Configuration.Server(url: text) } == error)
    }

    @Test(
        "A broker on this machine or in the local network counts as local",
        arguments: [
            ("localhost", true), ("LocalHost", true), ("pi.local", true), ("127.255.0.1", true), ("10.0.0.1", true),
            ("172.16.0.1", true), ("172.31.255.255", true), ("192.168.0.1", true), ("169.254.1.1", true),
            ("[::1]", true), ("[fe80::1]", true), ("[febf::1]", true), ("[fd00::1]", true), ("[::ffff:10.0.0.1]", true),
            ("172.15.0.1", false), ("172.32.0.1", false), ("192.169.0.1", false), ("11.0.0.1", false),
            ("broker", true), ("local", true), ("my_broker", true), ("Broker.LAN", true), ("mqtt.pi.lan", true),
            ("hub.home.arpa", true), ("a.localhost", true), ("0.0.0.0", false), ("0x08080808", false),
            ("8.8.8.8", false), ("10.0.0.1.example", false), ("broker.lan.example", false), ("notlocal.example", false),
            ("home.arpa", false), ("broker.arpa", false), ("my-lan.example", false), ("broker.wlan", false),
            ("[::]", false), ("[::2]", false), ("[fec0::1]", false), ("[2001:db8::1]", false),
            ("[::ffff:8.8.8.8]", false),
        ]
    )
    func local(host: String, isLocal: Bool) throws {
        #expect(try Configuration.Server(url: "mqtt://\(host)").isLocal == isLocal)
    }

    @Test(
        "An IPv6 address is parsed as a whole or refused",
        arguments: [
            ("::", [UInt8](repeating: 0, count: 16)),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("1::ABCD", [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD]),
            ("1:2:3:4:5:6:7::", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]),
            ("64:ff9b::1.2.3.4", [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
            (":", nil), (":::", nil), ("1::2::3", nil), ("1:2:3:4:5:6:7", nil), ("1:2:3:4:5:6:7:8:9", nil),
            ("1:2:3:4:5:6:7:8::", nil), ("12345::", nil), ("-1::", nil), ("g::", nil), ("1.2.3.4::", nil),
            ("::1.2.3", nil), ("::1%", nil), ("::1%eth 0", nil), ("::1%abcdefghijklmnop", nil),
        ]
    )
    func addressVersion6(text: String, bytes: [UInt8]?) {
        #expect(IPAddress(text)?.bytes == bytes)
    }
}
