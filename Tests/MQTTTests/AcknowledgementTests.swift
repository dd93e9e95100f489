// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@testable import MQTT

@Suite("Acknowledgements that are held back")
struct AcknowledgementTests {
    private static let session = Duration.seconds(3600)

    /// Connects with a kept session, and holds acknowledgements.
    private func connect(_ broker: Broker, maximum: UInt16? = nil) async throws -> MQTTConnection {
        var options = broker.options("holder", sessionExpiry: Self.session)
        options.holdsAcknowledgements = true
        options.receiveMaximum = maximum
        let connection = try MQTTConnection(options)
        if try await !connection.connected() { try await connection.subscribed(to: "t") }
        return connection
    }

    private func received(_ count: Int, over connection: MQTTConnection) async throws -> [Message] {
        var messages: [Message] = []
        for _ in 0..<count { messages.append(try await connection.messages.next("message")) }
        return messages
    }

    private func texts(_ messages: [Message]) -> [String] {
        messages.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("The broker sends again what was not acknowledged, and nothing else")
    func redelivery() async throws {
        let broker = try await Broker()
        let publisher = try await broker.connect("publisher")
        var connection = try await self.connect(broker)
        for text in ["a", "b", "c", "d", "e"] { try await publisher.acknowledged(message("t", text)) }
        let first = try await self.received(5, over: connection)
        #expect(self.texts(first) == ["a", "b", "c", "d", "e"])
        connection.acknowledge([first[3], first[0]].compactMap(\.packet))
        await connection.disconnect()
        connection = try await self.connect(broker)
        let second = try await self.received(3, over: connection)
        #expect(self.texts(second) == ["b", "c", "e"])
        connection.acknowledge(second.compactMap(\.packet))
        await connection.disconnect()
        connection = try await self.connect(broker)
        try await publisher.acknowledged(message("t", "f"))
        #expect(try await self.texts(self.received(1, over: connection)) == ["f"])
    }

    @Test("The broker waits for acknowledgements before it sends more than the receive maximum")
    func receiveMaximum() async throws {
        let broker = try await Broker()
        let publisher = try await broker.connect("publisher")
        let connection = try await self.connect(broker, maximum: 3)
        for number in 0..<9 { try await publisher.acknowledged(message("t", "\(number)")) }
        // A message of QoS 0 overtakes those that wait.
        _ = try publisher.publish(message("t", "now", qos: .atMostOnce))
        let first = try await self.received(4, over: connection)
        #expect(self.texts(first) == ["0", "1", "2", "now"])
        #expect(first.map { $0.packet == nil } == [false, false, false, true])
        connection.acknowledge(first.compactMap(\.packet))
        #expect(try await self.texts(self.received(3, over: connection)) == ["3", "4", "5"])
    }

    @Test("Nothing is lost of what a broker sends beyond the receive maximum")
    func excess() async throws {
        let broker = try await Broker(.init(configuration: ["max_queued_messages 0"]))
        let publisher = try await broker.connect("publisher")
        let expected = Set((0..<200).map { "\($0)" })
        _ = try await self.connect(broker, maximum: 10).disconnect()
        for text in expected { try await publisher.acknowledged(message("t", text)) }
        var received: Set<String> = []
        while received != expected {
            let connection = try await self.connect(broker, maximum: 10)
            for await message in connection.messages {
                received.formUnion(self.texts([message]))
                connection.acknowledge([message.packet].compactMap(\.self))
                if received == expected { break }
            }
            await connection.disconnect()
        }
    }

    @Test("Messages without room are left out, and the connection ends after the last acknowledgement")
    func limit() {
        var hold = AcknowledgementHold(limit: 9)
        // A message, its acknowledgement, a PINGRESP, a message of QoS 0, and two more messages.
        let first = hold.leavesOut([0x32, 5, 0, 1, 0x74, 0, 1])
        let sent = hold.sent([0x40, 2, 0, 1])
        let others = [hold.leavesOut([0xD0, 0]), hold.leavesOut([0x30, 5, 0, 1, 0x74, 0, 2])]
        let second = hold.leavesOut([0x3B, 5, 0, 1, 0x74, 0, 2])
        #expect(!first && sent.isEmpty && others == [false, false] && second)
        #expect(!hold.mustReconnect)
        let released = hold.release([1])
        #expect(released.count == 4 && hold.mustReconnect)
        let third = hold.leavesOut([0x32, 5, 0, 1, 0x74, 0, 3])
        #expect(third)
    }

    @Test("Packets pass in order at every split, and only acknowledgements are held")
    func splits() {
        let ping: [UInt8] = [0xC0, 0]
        let publish: [UInt8] = [0x32, 0x85, 0x01] + [UInt8](repeating: 0x40, count: 133)
        let acknowledgement: [UInt8] = [0x40, 2, 1, 7]
        let bytes = ping + acknowledgement + publish + acknowledgement + ping
        for index in 0...bytes.count {
            var hold = AcknowledgementHold()
            var passed = Array(hold.sent(bytes[..<index]))
            passed += hold.sent(bytes[index...])
            #expect(passed == ping + publish + ping)
            let released = Array(hold.release([0x0107, 8]))
            #expect(released == acknowledgement)
        }
    }

    @Test("An acknowledgement that was released before the library sent it passes")
    func early() {
        var hold = AcknowledgementHold()
        let released = hold.release([9])
        let (first, second) = (hold.sent([0x40, 2, 0, 9]), hold.sent([0x40, 2, 0, 9]))
        #expect(released.isEmpty && Array(first) == [0x40, 2, 0, 9] && second.isEmpty)
    }
}
