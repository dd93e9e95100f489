// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import MQTT
import Testing

@testable import Uplink

@Suite("The choice of the next connection")
struct BrokerLinkTests {
    private final class Connection: BrokerConnection {
        let events: AsyncStream<MQTTConnection.Event>
        let messages: AsyncStream<Message>
        let sent = Locked(0)

        init() {
            self.events = AsyncStream { $0.finish() }
            self.messages = AsyncStream { $0.finish() }
        }

        var bytesSent: Int { self.sent.withLock { $0 } }

        func publish(_ message: Message) throws(MQTTError) -> PacketID { PacketID(rawValue: 1) }
        func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
            PacketID(rawValue: 1)
        }

        func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID { throw .notConnected }
        func disconnect(endingSession: Bool) async {}
    }

    private let dialed = Locked<[ConnectionOptions]>([])

    private func link(
        servers: Int = 2,
        markConnecting: @escaping @Sendable (Bool) -> Void = { _ in }
    ) throws -> BrokerLink {
        var options = UplinkOptions(
            servers: (0..<servers).map { Server(host: "broker-\($0)", port: 1883) },
            username: nil,
            topicPrefix: try Topic("obd"),
            agent: "a1b2",
            boot: "b",
            batchInterval: .seconds(10),
            compressesTelemetry: false,
            storeWindow: .seconds(10)
        )
        options.markConnecting = markConnecting
        let dialed = self.dialed
        return BrokerLink(options) { options throws(MQTTError) in
            dialed.withLock { $0.append(options) }
            return Connection()
        }
    }

    private let topics: VehicleTopics

    init() throws { self.topics = try VehicleTopics(prefix: Topic("obd"), vehicle: "van") }

    @Test("A broker that accepts no connection makes room for the next one; a broker that did is dialed again")
    func servers() throws {
        var link = try self.link()
        _ = try link.dial(for: self.topics)
        guard case .wait = link.ended(.closedUnanswered(""), generation: 0, at: .zero) else {
            Issue.record("no wait")
            return
        }
        #expect(link.server.host == "broker-1")
        let connection = try link.dial(for: self.topics)
        _ = link.accepted(at: .zero)
        #expect(link.opened(connection) && link.isConnected)
        _ = link.ended(.connectionLost(""), generation: 0, at: .zero + .seconds(10))
        #expect(link.server.host == "broker-1")
        #expect(self.dialed.withLock { $0.map(\.clientID) } == ["obd-a1b2-van", "obd-a1b2-van"])
        #expect(self.dialed.withLock { $0.last?.will?.topic.description } == "obd/van/availability")
    }

    @Test("A replaced connection is followed by the next one at once, and is not used after it was accepted late")
    func replaced() throws {
        var link = try self.link(servers: 1)
        let old = try link.dial(for: self.topics)
        link.replaceConnection()
        link.release()
        _ = link.accepted(at: .zero)
        #expect(!link.opened(old) && link.openConnection == nil)
        #expect(link.ended(.closed, generation: 0, at: .zero) == .connectNow)
        guard case .wait = link.ended(.closed, generation: 1, at: .zero) else {
            Issue.record("no wait")
            return
        }
    }

    @Test("A broker without MQTT 5 is dialed with 3.1.1 at once")
    func versions() throws {
        var link = try self.link(servers: 1)
        for expected in [BrokerLink.NextStep.connectNow, nil] {
            _ = try link.dial(for: self.topics)
            let step = link.ended(.refused(.unsupportedVersion), generation: 0, at: .zero)
            #expect((step == .connectNow) == (expected != nil))
        }
        #expect(self.dialed.withLock { $0.map(\.version) } == [.v5, .v311])
    }

    @Test("A broker that was away, and is not old, is left at once for a connection with MQTT 5")
    func doubtedVersion() throws {
        var link = try self.link(servers: 2)
        for _ in 0..<2 {
            _ = try link.dial(for: self.topics)
            _ = link.ended(.closedUnanswered("x"), generation: 0, at: .zero)
        }
        for isKept in [false, true] {
            _ = try link.dial(for: self.topics)
            let accepted = link.accepted(at: .zero)
            #expect(accepted == isKept)
            #expect((link.ended(.closed, generation: 0, at: .zero) == .connectNow) == !isKept)
        }
        let dialed = self.dialed.withLock { $0 }
        #expect(dialed.map(\.version) == [.v5, .v5, .v311, .v5])
        #expect(dialed[2].server == dialed[3].server)
    }

    @Test("An attempt is marked until the connection ends, is given up, or has stood for 10 s")
    func marks() throws {
        let marks = Locked<[Bool]>([])
        var link = try self.link(servers: 1) { isConnecting in marks.withLock { $0.append(isConnecting) } }
        for end in ["ended", "given up", "stands"] {
            _ = try link.dial(for: self.topics)
            #expect(marks.withLock { $0.last } == true, "\(end)")
            _ = link.accepted(at: .zero)
            link.ticked(at: .zero + .milliseconds(9999))
            #expect(marks.withLock { $0.last } == true, "\(end)")
            switch end {
            case "ended": _ = link.ended(.closed, generation: 0, at: .zero + .milliseconds(9999))
            case "given up": link.release()
            default: link.ticked(at: .zero + .seconds(10))
            }
            #expect(marks.withLock { $0.last } == false, "\(end)")
            _ = link.ended(.closed, generation: 0, at: .zero + .seconds(20))
        }
        #expect(marks.withLock { $0 } == [true, false, true, false, true, false])
    }

    @Test("Each connection counts its bytes from zero")
    func bytes() throws {
        var link = try self.link(servers: 1)
        for _ in 0..<2 {
            guard let connection = try link.dial(for: self.topics) as? Connection else { return }
            connection.sent.withLock { $0 = 100 }
            #expect(link.takeSentBytes(of: connection) == 100)
            connection.sent.withLock { $0 = 130 }
            #expect([link.takeSentBytes(of: connection), link.takeSentBytes(of: connection)] == [30, 0])
        }
    }

    @Test("The sign of a rival ends an hour after the connection was accepted")
    func rivalry() throws {
        var link = try self.link(servers: 1)
        #expect(link.rivalry(over: "van", at: .zero) == nil)
        _ = try link.dial(for: self.topics)
        _ = link.accepted(at: .zero)
        _ = link.ended(.closedByBroker(code: 0x8E, reason: ""), generation: 0, at: .zero + .seconds(1))
        #expect(link.rivalry(over: "van", at: .zero + .seconds(9))?.contains("obd-a1b2-van") == true)
        _ = link.accepted(at: .zero + .seconds(100))
        #expect(link.rivalry(over: "van", at: .zero + .seconds(3699)) != nil)
        #expect(link.rivalry(over: "van", at: .zero + .seconds(3700)) == nil)
    }
}
