// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

/// Tests with a fake broker that sends arbitrary bytes.
@Suite("A broker that misbehaves")
struct HostilePeerTests {
    private static let accepted311: [UInt8] = [0x20, 2, 0, 0]
    private static let accepted5: [UInt8] = [0x20, 3, 0, 0, 0]

    private func connection(
        to listener: LoopbackListener,
        version: ProtocolVersion = .v5,
        tls: TLS? = nil,
        timeout: Duration = .seconds(60)
    ) throws -> MQTTConnection {
        let server = Server(host: "127.0.0.1", port: listener.port, tls: tls)
        var options = ConnectionOptions(server: server, clientID: "one", version: version, connectTimeout: timeout)
        // The peers answer what they expect: a ping of a client that waits for its turn would be answered as something else.
        options.keepAlive = .seconds(3600)
        return try MQTTConnection(options)
    }

    /// Answers CONNECT with `bytes`, then closes the connection after the client does, or at once.
    private func ending(after bytes: [UInt8], version: ProtocolVersion = .v5) async throws -> MQTTError {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(bytes)
        }
        return try await self.connection(to: listener, version: version).ended()
    }

    @Test("A silent broker fails at the connect timeout, with and without TLS", arguments: [nil, TLS(caFile: nil)])
    func silence(tls: TLS?) async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in while !peer.read().isEmpty {} }
        let error = try await self.connection(to: listener, tls: tls, timeout: .milliseconds(300)).ended()
        #expect(error == .cannotConnect(host: "127.0.0.1", port: listener.port, .silentPort))
    }

    @Test("A TCP connection that never opens fails at the connect timeout")
    func neverOpens() async throws {
        let listener = try LoopbackListener(backlog: 0)
        // One connection fills the queue of a listener that never accepts; the kernel ignores the next ones.
        let first = try self.connection(to: listener, timeout: .milliseconds(300))
        _ = try await first.ended()
        let second = try self.connection(to: listener, timeout: .milliseconds(300))
        let error = try await second.ended()
        #expect(error == .cannotConnect(host: "127.0.0.1", port: listener.port, .noAnswer))
    }

    @Test("A disconnect does not wait for a silent broker")
    func impatient() async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in while !peer.read().isEmpty {} }
        let connection = try self.connection(to: listener)
        try await within("disconnect") { await connection.disconnect() }
        #expect(try await connection.ended() == .closed)
    }

    @Test("The two ways in which old brokers refuse MQTT 5 are distinguished")
    func oldBrokers() async throws {
        // Return code 1 in the short CONNACK of MQTT 3.1.1, and the reason code of MQTT 5.
        #expect(try await self.ending(after: [0x20, 2, 0, 1]) == .refused(.unsupportedVersion))
        #expect(try await self.ending(after: [0x20, 3, 0, 0x84, 0]) == .refused(.unsupportedVersion))
        guard case .closedUnanswered = try await self.ending(after: []) else {
            Issue.record("another error")
            return
        }
    }

    @Test(
        "The refusals of both versions are distinguished",
        arguments: [
            ([0x20, 3, 0, 0x86, 0], ProtocolVersion.v5, ConnectRefusal.badCredentials),
            ([0x20, 3, 0, 0x87, 0], .v5, .notAuthorized),
            ([0x20, 3, 0, 0x89, 0], .v5, .serverBusy),
            ([0x20, 3, 0, 0x9C, 0], .v5, .serverMoved),
            ([0x20, 3, 0, 0x99, 0], .v5, .other(0x99)),
            ([0x20, 2, 0, 2], .v311, .clientIDNotValid),
            ([0x20, 2, 0, 3], .v311, .serverUnavailable),
            ([0x20, 2, 0, 4], .v311, .badCredentials),
            ([0x20, 2, 0, 5], .v311, .notAuthorized),
        ] as [([UInt8], ProtocolVersion, ConnectRefusal)]
    )
    func refusals(bytes: [UInt8], version: ProtocolVersion, refusal: ConnectRefusal) async throws {
        #expect(try await self.ending(after: bytes, version: version) == .refused(refusal))
    }

    @Test("Too many unread events end the connection, and the last event is still delivered")
    func unreadEvents() async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(Self.accepted311)
            for _ in 0..<5000 { peer.write([0x90, 3, 0, 1, 0]) }
            while !peer.read().isEmpty {}
        }
        let connection = try self.connection(to: listener, version: .v311)
        // The connection ends after all events are emitted, and before any event is read.
        for await _ in connection.messages {}
        var last: MQTTConnection.Event?
        for await event in connection.events { last = event }
        #expect(last == .disconnected(.connectionLost("too many unread events")))
    }

    @Test("The reason of the broker's DISCONNECT is reported")
    func disconnected() async throws {
        guard
            case .closedByBroker(0x8B, let reason) = try await self.ending(after: Self.accepted5 + [0xE0, 2, 0x8B, 0])
        else {
            Issue.record("another error")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("A subscription is answered filter by filter, refusals included", arguments: [ProtocolVersion.v5, .v311])
    func subscriptionRefused(version: ProtocolVersion) async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(version == .v5 ? Self.accepted5 : Self.accepted311)
            let id = Array(peer.read().dropFirst(2).prefix(2))
            let code: UInt8 = version == .v5 ? 0x87 : 0x80
            let answer = id + (version == .v5 ? [0] : []) + [1, code, 0]
            peer.write([0x90, UInt8(answer.count)] + answer)
            while !peer.read().isEmpty {}
        }
        let connection = try self.connection(to: listener, version: version)
        _ = try await connection.connected()
        let refused = MQTTConnection.Grant.refused(code: version == .v5 ? 0x87 : 0x80)
        #expect(
            try await connection.subscribed(to: "a", "b", "c") == [
                .granted(.atLeastOnce), refused, .granted(.atMostOnce),
            ]
        )
    }

    @Test("Arbitrary bytes end the connection and do no other harm")
    func garbage() async throws {
        var generator = SplitMix(state: 4711)
        for round in 0..<60 {
            let prefix = round % 3 == 0 ? [] : Self.accepted311
            let packets = (0..<4).flatMap { _ in
                let body = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                return [UInt8.random(in: 0...255, using: &generator), UInt8(body.count)] + body
            }
            _ = try await self.ending(after: prefix + packets, version: .v311)
        }
    }

    @Test("A truncated packet ends the connection")
    func cutShort() async throws {
        // CONNACK with a session expiry, SUBACK, PUBACK, PUBLISH and DISCONNECT, each with a property.
        let packets: [[UInt8]] = [
            [0x20, 8, 0, 0, 5, 0x11, 0, 0, 0, 9], [0x90, 8, 0, 1, 4, 0x1F, 0, 1, 0x61, 1],
            [0x40, 8, 0, 1, 0, 4, 0x1F, 0, 1, 0x61], [0x32, 11, 0, 1, 0x61, 0, 7, 4, 0x08, 0, 1, 0x62, 9],
            [0xE0, 6, 0x8B, 4, 0x1F, 0, 1, 0x61],
        ]
        for packet in packets {
            for count in 1..<packet.count {
                // The length matches the bytes, so the packet is complete for the reader and its body is invalid.
                var cut = Array(packet[..<count])
                if count > 1 { cut[1] = UInt8(count - 2) }
                let prefix = packet[0] == 0x20 ? [] : Self.accepted5
                #expect(try await self.ending(after: prefix + cut) != .closed)
            }
        }
    }

    @Test("A topic or a property that is not UTF-8 does no harm")
    func invalidText() async throws {
        // PUBLISH, QoS 0: topic length, topic, property length, properties, payload.
        let bodies: [[UInt8]] = [
            [0, 2, 0xC3, 0x28, 0, 1],
            [0, 1, 0x2B, 0, 1],
            [0, 0, 0, 1],
            [0, 1, 0x61, 5, 0x03, 0, 2, 0xC3, 0x28, 1],
            [0, 1, 0x61, 4, 0x08, 0, 1, 0x23, 1],
            [0, 1, 0x61, 0x7F, 1],
        ]
        for body in bodies {
            let error = try await self.ending(after: Self.accepted5 + [0x30, UInt8(body.count)] + body)
            #expect(error != .closed)
        }
    }

    @Test("An unknown property in any packet ends the connection, and not the process")
    func unknownProperty() async throws {
        for packet in PacketGateTests.packets(with: [0x7E, 0]) {
            let prefix = packet[0] == 0x20 ? [] : Self.accepted5
            #expect(try await self.ending(after: prefix + packet) == .malformed("the unknown property 126"))
        }
    }

    @Test("No bytes in the properties end the process")
    func mutatedProperties() async throws {
        var generator = SplitMix(state: 815)
        for round in 0..<400 {
            // Most properties that are valid in one packet are invalid in another; one or two bytes are wrong anywhere.
            let list = PacketGateTests.properties.shuffled(using: &generator).prefix(round % 4).flatMap(\.self)
            guard var bytes = PacketGateTests.packets(with: list).randomElement(using: &generator) else { continue }
            for _ in 0..<(round % 3) {
                let position = Int.random(in: 2..<bytes.count, using: &generator)
                bytes[position] = UInt8.random(in: 0...255, using: &generator)
            }
            let prefix = bytes[0] == 0x20 ? [] : Self.accepted5
            _ = try await self.ending(after: prefix + bytes)
        }
    }

    @Test(
        "A message over the limit is acknowledged, dropped and counted, and the next message is received",
        arguments: [ProtocolVersion.v5, .v311]
    )
    func tooLarge(version: ProtocolVersion) async throws {
        let (answers, answered) = AsyncStream.makeStream(of: [UInt8].self)
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(version == .v5 ? Self.accepted5 : Self.accepted311)
            let list: [UInt8] = version == .v5 ? [0] : []
            peer.write(packet(0x32, [0, 1, 0x61, 0x12, 0x34] + list + [UInt8](repeating: 1, count: 10_000_000)))
            peer.write(packet(0x30, [0, 1, 0x61] + list + [0x78]))
            while case let bytes = peer.read(), !bytes.isEmpty { answered.yield(bytes) }
        }
        let connection = try self.connection(to: listener, version: version)
        #expect(try await connection.messages.next("the small message").payload == [0x78])
        #expect(connection.droppedMessages == 1)
        #expect(try await answers.next("PUBACK") == [0x40, 2, 0x12, 0x34])
    }

    @Test("Unread messages are bounded, and dropped messages are counted")
    func unread() async throws {
        let count = MQTTConnection.receiveLimit + 10
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            _ = peer.read()
            peer.write(Self.accepted311)
            for number in 0..<count { peer.write([0x30, 5, 0, 1, 0x61, UInt8(number >> 8), UInt8(number & 0xFF)]) }
        }
        let connection = try self.connection(to: listener, version: .v311)
        _ = try await connection.ended()
        #expect(connection.droppedMessages == 10)
        var numbers: [Int] = []
        for await message in connection.messages { numbers.append(message.payload.reduce(0) { $0 << 8 | Int($1) }) }
        #expect(numbers == Array(0..<MQTTConnection.receiveLimit))
    }
}

/// Reproducible random numbers (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
