// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// A broker in virtual time that does what a test says: it may be away, refuse, keep silent, or take its time.
final class ScriptedBroker: Sendable {
    /// What becomes of packets.
    enum Mood: Hashable, Sendable {
        /// Each message is acknowledged after so long.
        case acknowledges(after: Duration)
        /// What is published below this prefix is rejected: not authorised.
        case forbids(String)
        /// Messages are taken, and never acknowledged.
        case keepsSilent
        /// Nobody listens.
        case isAway
        /// Packets get lost, and nobody says so: a half-open connection.
        case swallows
        /// Each connection is taken over by another client after so long.
        case takesOver(after: Duration, MQTTError)
        /// CONNECT is refused.
        case refuses(ConnectRefusal)
    }

    /// How long packets travel.
    static let delay = Duration.milliseconds(40)
    /// When a silent connection is given up: half as long again as the keep-alive.
    static let keepAliveLimit = Duration.seconds(45)

    struct State: Sendable {
        var mood = Mood.acknowledges(after: ScriptedBroker.delay)
        var connection: ScriptedConnection?
        var retained: [String: [UInt8]] = [:]
        /// The bytes of the packets with responses.
        var responseBytes = 0
        /// The number of messages that announced a vehicle to Home Assistant.
        var announcements = 0
        /// How often somebody tried to connect.
        var attempts: [MonotonicTime] = []
        /// With which password, each time.
        var passwords: [String?] = []
        var session: String?
    }

    let time: VirtualTime
    /// Told of every message that reaches the broker, retained or not.
    private let receive: @Sendable (Message) -> Void
    let state = Locked(State())

    init(_ time: VirtualTime, receive: @escaping @Sendable (Message) -> Void) {
        self.time = time
        self.receive = receive
    }

    // MARK: - What tests do

    /// Changes what becomes of packets; who is away has no connections.
    func turn(_ mood: Mood) {
        let connection = self.state.withLock { state in
            state.mood = mood
            return mood == .isAway || mood.refuses ? state.connection : nil
        }
        connection?.end(.connectionLost("the broker is gone"))
    }

    /// Cuts the connection that there is.
    func cut() {
        self.state.withLock { $0.connection }?.end(.connectionLost("cut"))
    }

    /// Sends a message to the agent that is connected.
    func send(_ message: Message) {
        self.after(Self.delay) { self.state.withLock { $0.connection }?.deliver(message) }
    }

    /// What a retained topic has.
    func retained(_ topic: String) -> String? {
        self.state.withLock { $0.retained[topic] }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The topics that have something.
    var topics: Set<String> { self.state.withLock { Set($0.retained.keys) } }

    /// When somebody tried to connect, so far.
    var attempts: [MonotonicTime] { self.state.withLock { $0.attempts } }

    /// With which password, each time.
    var passwords: [String?] { self.state.withLock { $0.passwords } }

    // MARK: - What connections do

    func connect(_ options: ConnectionOptions, isCut: @escaping @Sendable () -> Bool) -> ScriptedConnection {
        let connection = ScriptedConnection(self, options, isCut: isCut)
        self.state.withLock { state in
            state.attempts.append(self.time.now)
            state.passwords.append(options.password)
        }
        self.after(Self.delay) {
            guard !connection.isEnded else { return }
            if isCut() { return connection.end(.closed) }
            let mood = self.state.withLock { $0.mood }
            switch mood {
            case .isAway:
                connection.end(.cannotConnect(host: "broker", port: 1883, reason: "Connection refused"))
            case .refuses(let refusal):
                connection.end(.refused(refusal))
            case .swallows:
                self.after(options.connectTimeout) {
                    connection.end(.cannotConnect(host: "broker", port: 1883, reason: "Connection timed out"))
                }
            case .acknowledges, .forbids, .keepsSilent:
                self.accept(connection, options)
            case .takesOver(let delay, let error):
                self.accept(connection, options)
                self.after(delay) { connection.end(error) }
            }
        }
        return connection
    }

    private func accept(_ connection: ScriptedConnection, _ options: ConnectionOptions) {
        let (old, isPresent) = self.state.withLock { state in
            defer { (state.connection, state.session) = (connection, options.clientID) }
            return (state.connection, state.session == options.clientID)
        }
        old?.end(.closedByBroker(code: 0x8E, reason: "taken over"))
        connection.accepted(sessionPresent: isPresent)
    }

    func ended(_ connection: ScriptedConnection, will: Message?) {
        let isPresent = self.state.withLock { state in
            guard state.connection === connection else { return false }
            state.connection = nil
            return true
        }
        if isPresent, let will { self.take(will) }
    }

    func published(_ message: Message, id: PacketID, over connection: ScriptedConnection) {
        self.after(Self.delay) {
            let mood = self.state.withLock { $0.connection === connection ? $0.mood : .isAway }
            switch mood {
            case .acknowledges(let delay):
                self.take(message)
                guard message.qos != .atMostOnce else { return }
                self.after(delay) { connection.acknowledged(id) }
            case .forbids(let prefix):
                if message.topic.description.hasPrefix(prefix) { return connection.rejected(id) }
                self.take(message)
                if message.qos != .atMostOnce { connection.acknowledged(id) }
            case .keepsSilent, .takesOver:
                self.take(message)
            case .swallows:
                self.after(Self.keepAliveLimit) {
                    // Who hears nothing for so long gives it up; also where the packets would come through again.
                    connection.end(.connectionLost("the broker does not answer"))
                }
            case .isAway, .refuses:
                break
            }
        }
    }

    /// The bytes of the responses so far.
    var responseBytes: Int { self.state.withLock { $0.responseBytes } }

    /// The number of messages that announced a vehicle to Home Assistant.
    var announcements: Int { self.state.withLock { $0.announcements } }

    private func take(_ message: Message) {
        let topic = message.topic.description
        self.state.withLock { state in
            if topic.contains("/responses") { state.responseBytes += PacketSize.publish(message, .v5) }
            if topic.hasPrefix("homeassistant/") { state.announcements += 1 }
        }
        if message.retain {
            self.state.withLock { $0.retained[message.topic.description] = message.payload }
        }
        self.receive(message)
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: self.time) {
            await self.time.sleep(for: delay)
            body()
        }
    }
}

extension ScriptedBroker.Mood {
    fileprivate var refuses: Bool { if case .refuses = self { true } else { false } }
}
