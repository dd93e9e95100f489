// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

@Suite("Traffic on the network")
struct TrafficTests {
    @Test("Every byte that reaches the broker is counted, and no other", arguments: [ProtocolVersion.v5, .v311])
    func count(version: ProtocolVersion) async throws {
        let broker = try await Broker()
        let relay = try Relay(to: broker.port)
        let (answers, answered) = AsyncStream.makeStream(of: [UInt8].self)
        relay.rewrite { bytes in
            answered.yield(bytes)
            return bytes
        }
        let everything = Message.Properties(
            responseTopic: try Topic("answers/here"),
            correlationData: [1, 2, 3],
            expiry: 60,
            contentType: "application/json",
            userProperties: [.init(name: "a", value: "bc"), .init(name: "a", value: "")]
        )
        var options = broker.options(
            "one",
            will: try message("will", "offline", properties: everything),
            sessionExpiry: .seconds(3600),
            version: version
        )
        options.server.port = relay.port
        (options.username, options.password) = ("van", "secret")
        options.keepAlive = .seconds(5)
        let connection = try MQTTConnection(options)
        _ = try await connection.connected()
        #expect(connection.bytesSent == PacketSize.connect(options))
        try await connection.subscribed(to: "own/+", "other")
        for count in [0, 1, 100, 127, 128, 16_300, 16_400, 200_000] {
            let payload = [UInt8](repeating: 7, count: count)
            _ = try connection.publish(Message(topic: Topic("t"), payload: payload))
            try await connection.acknowledged(Message(topic: Topic("t"), payload: payload, qos: .atLeastOnce))
        }
        try await connection.acknowledged(message("t", "a", properties: everything))
        // The client receives its own messages and acknowledges them.
        for qos in [QoS.atMostOnce, .atLeastOnce] { _ = try connection.publish(message("own/a", "b", qos: qos)) }
        for _ in 0..<2 { _ = try await connection.messages.next("a message") }
        let unsubscribe = try connection.unsubscribe([TopicFilter("own/+"), TopicFilter("other")])
        _ = try await connection.events.next("UNSUBACK") { $0 == .unsubscribed(unsubscribe, after: 2) }
        // The answer to the library's own PINGREQ.
        _ = try await answers.next("PINGRESP") { $0 == [0xD0, 0] }
        // The library drops its DISCONNECT if a packet arrives at the same time.
        try await connection.acknowledged(message("t"))
        await connection.disconnect(endingSession: true)
        #expect(connection.bytesSent == relay.bytesFromNear)
    }

    @Test("A connection that goes silent without being closed ends by the keep alive")
    func halfOpen() async throws {
        let broker = try await Broker()
        let relay = try Relay(to: broker.port)
        var options = broker.options("one")
        options.server.port = relay.port
        options.keepAlive = .seconds(5)
        let connection = try MQTTConnection(options)
        _ = try await connection.connected()
        try await connection.acknowledged(message("t"))
        relay.stall()
        _ = try connection.publish(message("t"))
        let ending = try await connection.ended()
        // The broker has the same limit, and may be the first to end it.
        let reasons = ["the broker does not answer", "the broker closed the connection"]
        #expect(reasons.contains { ending == .connectionLost($0) }, "\(ending)")
    }
}
