// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

@Suite("A connection to a real broker")
struct ConnectionTests {
    @Test("A thousand messages of each QoS are received in order", arguments: [ProtocolVersion.v5, .v311])
    func roundTrip(version: ProtocolVersion) async throws {
        let broker = try await Broker(.init(configuration: ["max_queued_messages 0"]))
        let connection = try await broker.connect("one", version: version)
        #expect(try await connection.subscribed(to: "t/+") == [.granted(.atLeastOnce)])
        for qos in [QoS.atMostOnce, .atLeastOnce, .exactlyOnce] {
            // Sends and reads in turn, because the number of unread messages is bounded.
            let expected = (0..<1000).map { "\(qos) \($0)" }
            var received: [String] = []
            for start in stride(from: 0, to: 1000, by: 100) {
                var open: Set<PacketID> = []
                for text in expected[start..<start + 100] {
                    let id = try connection.publish(message("t/\(qos)", text, qos: qos))
                    if qos != .atMostOnce { open.insert(id) }
                }
                for _ in 0..<100 {
                    let message = try await connection.messages.next("message")
                    #expect(message.topic.description == "t/\(qos)")
                    received.append(String(decoding: message.payload, as: UTF8.self))
                }
                while !open.isEmpty {
                    if case .acknowledged(let id) = try await connection.events.next("PUBACK") { open.remove(id) }
                }
            }
            #expect(received == expected)
        }
        #expect(connection.droppedMessages == 0)
        await connection.disconnect()
        #expect(try await connection.ended() == .closed)
    }

    @Test("Publishing wakes the connection's thread at once")
    func latency() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("quick")
        try await connection.subscribed(to: "t")
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<200 {
            let start = clock.now
            _ = try connection.publish(message("t", "x"))
            _ = try await connection.messages.next("message")
            times.append(clock.now - start)
        }
        // If a message waited for the thread's next check, up to a second later, no round trip could be this short.
        #expect(times.sorted()[100] < .milliseconds(500))
    }

    @Test("Properties are received as they were published")
    func properties() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        try await connection.subscribed(to: "t")
        let properties = Message.Properties(
            responseTopic: try Topic("t/réponses"),
            correlationData: [0, 255, 0],
            expiry: 3600,
            contentType: "application/json",
            userProperties: [.init(name: "a", value: "1"), .init(name: "b", value: ""), .init(name: "a", value: "2")]
        )
        _ = try connection.publish(message("t", "x", properties: properties))
        var received = try await connection.messages.next("message").properties
        #expect(received.expiry.map { (3500...3600).contains($0) } == true)
        received.expiry = 3600
        #expect(received == properties)
        _ = try connection.publish(message("t", "x"))
        #expect(try await connection.messages.next("message").properties == Message.Properties())
    }

    @Test("A message with an empty payload is received")
    func emptyPayload() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        try await connection.subscribed(to: "t")
        _ = try connection.publish(message("t"))
        #expect(try await connection.messages.next("message").payload == [])
    }

    @Test("A forwarded message keeps its retain flag only with Retain As Published")
    func retainAsPublished() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        for (topic, flag) in [("kept", true), ("lost", false)] {
            try await connection.subscribed(to: topic, retainAsPublished: flag)
            _ = try connection.publish(message(topic, "x", retain: true))
            #expect(try await connection.messages.next("message").retain == flag)
            _ = try connection.publish(message(topic, "x", retain: false))
            #expect(try await connection.messages.next("message").retain == false)
        }
        let later = try await broker.connect("two")
        try await later.subscribed(to: "kept")
        #expect(try await later.messages.next("the retained message").retain)
    }

    @Test("The will is published when a connection is dropped, and not after a disconnect")
    func will() async throws {
        let broker = try await Broker()
        let witness = try await broker.connect("witness")
        try await witness.subscribed(to: "#")
        for isClean in [true, false] {
            let will = try message("availability", isClean ? "never" : "offline")
            var doomed: MQTTConnection? = try MQTTConnection(broker.options("doomed", will: will))
            _ = try await doomed?.connected()
            if isClean {
                await doomed?.disconnect()
                // The marker arrives after any message that the broker publishes for the first client.
                _ = try witness.publish(message("marker"))
                #expect(try await witness.messages.next("marker").topic.description == "marker")
            }
            doomed = nil
        }
        #expect(try await witness.messages.next("the will") == message("availability", "offline"))
    }

    @Test("A disconnect waits for the messages published before it", arguments: [QoS.atMostOnce, .atLeastOnce])
    func disconnectFlushes(qos: QoS) async throws {
        let broker = try await Broker(.init(configuration: ["max_queued_messages 0"]))
        let witness = try await broker.connect("witness")
        try await witness.subscribed(to: "t")
        let leaving = try await broker.connect("leaving")
        for number in 0..<200 { _ = try leaving.publish(message("t", "\(number)", qos: qos)) }
        await leaving.disconnect()
        for number in 0..<200 {
            let text = String(decoding: try await witness.messages.next("message \(number)").payload, as: UTF8.self)
            #expect(text == "\(number)")
        }
        #expect(throws: MQTTError.notConnected) { try leaving.publish(message("t")) }
        #expect(throws: MQTTError.notConnected) { try leaving.subscribe([], retainAsPublished: false) }
        // A second disconnect is harmless.
        await leaving.disconnect()
    }

    @Test("A kept session delivers the messages of the meantime", arguments: [ProtocolVersion.v5, .v311])
    func sessionKept(version: ProtocolVersion) async throws {
        let broker = try await Broker()
        let options = broker.options("van", sessionExpiry: .seconds(3600), version: version)
        let first = try MQTTConnection(options)
        #expect(try await first.connected() == false)
        try await first.subscribed(to: "commands")
        await first.disconnect()

        let other = try await broker.connect("other")
        try await other.acknowledged(message("commands", "read_codes"))

        let second = try MQTTConnection(options)
        #expect(try await second.connected())
        #expect(try await second.messages.next("what was kept") == message("commands", "read_codes"))
    }

    @Test("An ended session delivers nothing")
    func sessionEnded() async throws {
        let broker = try await Broker()
        let options = broker.options("van", sessionExpiry: .seconds(3600))
        let first = try MQTTConnection(options)
        _ = try await first.connected()
        try await first.subscribed(to: "commands")
        await first.disconnect(endingSession: true)

        let other = try await broker.connect("other")
        try await other.acknowledged(message("commands", "read_codes"))

        let second = try MQTTConnection(options)
        #expect(try await second.connected() == false)
        try await second.subscribed(to: "marker")
        try await other.acknowledged(message("marker"))
        #expect(try await second.messages.next("marker").topic.description == "marker")
    }

    @Test("Messages can be exchanged with mosquitto_pub and mosquitto_sub")
    func clients() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        try await connection.subscribed(to: "in")
        let port = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "mqttv5", "-q", "1"]
        let pub = try Program("mosquitto_pub", debianPackage: "mosquitto-clients")
        let correlation = ["-D", "publish", "correlation-data", "abc"]
        try await pub.run(port + ["-t", "in", "-m", "grüße", "-D", "publish", "response-topic", "out"] + correlation)
        let properties = Message.Properties(responseTopic: try Topic("out"), correlationData: Array("abc".utf8))
        #expect(try await connection.messages.next("message") == message("in", "grüße", properties: properties))

        try await connection.acknowledged(message("out", "kept", retain: true))
        let sub = try Program("mosquitto_sub", debianPackage: "mosquitto-clients")
        let lines = try await sub.run(port + ["-t", "out", "-C", "1", "-F", "%r %q %t %p"])
        #expect(lines == ["1 1 out kept"])
    }

    @Test("A full queue refuses a message with an error")
    func queueFull() async throws {
        let listener = try LoopbackListener()
        // Accepts CONNECT with MQTT 3.1.1 and acknowledges nothing.
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write([0x20, 2, 0, 0])
            while !peer.read().isEmpty {}
        }
        let server = Server(host: "127.0.0.1", port: listener.port)
        let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one", version: .v311))
        _ = try await connection.connected()
        for _ in 0..<MQTTConnection.queueLimit { _ = try connection.publish(message("t")) }
        #expect(throws: MQTTError.queueFull) { try connection.publish(message("t")) }
        // The broker never acknowledges anything, so the disconnect takes its full 2 seconds and no longer.
        try await within("the disconnect") { await connection.disconnect() }
        #expect(try await connection.ended() == .closed)
    }
}
