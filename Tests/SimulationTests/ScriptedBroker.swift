// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// A broker in virtual time whose behavior a test sets: it may be away, refuse, keep silent, or be slow.
final class ScriptedBroker: Sendable {
    /// The behavior of the broker toward connections and packets.
    enum Mood: Hashable, Sendable {
        /// The broker acknowledges each message after this time.
        case acknowledges(after: Duration)
        /// The broker rejects messages below this topic prefix as not authorized.
        case forbids(String)
        /// The broker receives messages and never acknowledges them.
        case keepsSilent
        /// No broker listens, so connections are refused.
        case isAway
        /// The network loses all packets without an error, as on a half-open connection.
        case swallows
        /// Each connection ends with an error after this time, as when another client takes it over.
        case takesOver(after: Duration, MQTTError)
        /// The broker refuses CONNECT.
        case refuses(ConnectRefusal)
    }

    /// The travel time of a packet.
    static let delay = Duration.milliseconds(40)
    /// The time after which a silent connection ends: one and a half times the keep-alive.
    static let keepAliveLimit = Duration.seconds(45)

    struct State: Sendable {
        var mood = Mood.acknowledges(after: ScriptedBroker.delay)
        var connection: ScriptedConnection?
        var retained: [String: [UInt8]] = [:]
        /// The bytes of the packets with responses.
        var responseBytes = 0
        /// The number of messages that announced a vehicle to Home Assistant.
        var announcements = 0
        /// The times of the attempts to connect.
        var attempts: [MonotonicTime] = []
        /// The password of each attempt.
        var passwords: [String?] = []
        var session: String?
    }

    let time: VirtualTime
    /// Receives every message that reaches the broker, retained or not.
    private let receive: @Sendable (Message) -> Void
    let state = Locked(State())

    init(_ time: VirtualTime, receive: @escaping @Sendable (Message) -> Void) {
        self.time = time
        self.receive = receive
    }

    // MARK: - For tests

    /// Changes the behavior of the broker; a broker that is away or refuses drops the present connection.
    func turn(_ mood: Mood) {
        let connection = self.state.withLock { state in
            state.mood = mood
            return mood == .isAway || mood.refuses ? state.connection : nil
        }
        connection?.end(.connectionLost("the broker is gone"))
    }

    /// Cuts the present connection, if there is one.
    func cut() {
        self.state.withLock { $0.connection }?.end(.connectionLost("cut"))
    }

    /// Sends a message to the connected agent.
    func send(_ message: Message) {
        self.after(Self.delay) { self.state.withLock { $0.connection }?.deliver(message) }
    }

    /// Returns the retained payload of a topic as text.
    func retained(_ topic: String) -> String? {
        self.state.withLock { $0.retained[topic] }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The topics with a retained message.
    var topics: Set<String> { self.state.withLock { Set($0.retained.keys) } }

    /// The times of the attempts to connect so far.
    var attempts: [MonotonicTime] { self.state.withLock { $0.attempts } }

    /// The password of each attempt.
    var passwords: [String?] { self.state.withLock { $0.passwords } }

    // MARK: - For connections

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
                connection.end(.cannotConnect(host: "broker", port: 1883, .refused))
            case .refuses(let refusal):
                connection.end(.refused(refusal))
            case .swallows:
                self.after(options.connectTimeout) {
                    connection.end(.cannotConnect(host: "broker", port: 1883, .noAnswer))
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
                    // The connection ends after this silence, even if packets would pass again by then.
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
