// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport

extension Broker {
    /// Options for a connection to this broker.
    func options(
        _ clientID: String,
        will: Message? = nil,
        sessionExpiry: Duration = .zero,
        version: ProtocolVersion = .v5
    ) -> ConnectionOptions {
        ConnectionOptions(
            server: Server(host: "127.0.0.1", port: self.port),
            clientID: clientID,
            will: will,
            sessionExpiry: sessionExpiry,
            version: version
        )
    }

    /// Returns a connection that has received its CONNACK.
    func connect(_ clientID: String, version: ProtocolVersion = .v5) async throws -> MQTTConnection {
        let connection = try MQTTConnection(self.options(clientID, version: version))
        _ = try await connection.connected()
        return connection
    }
}

extension MQTTConnection {
    /// Waits for the CONNACK; returns whether the broker had kept the session.
    func connected() async throws -> Bool {
        let event = try await self.events.next("connected or disconnected") { _ in true }
        guard case .connected(let sessionPresent) = event else { throw Unexpected(event: event) }
        return sessionPresent
    }

    /// Waits for the end of the connection; returns its reason.
    func ended() async throws -> MQTTError {
        let event = try await self.events.next("disconnected") { event in
            if case .disconnected = event { true } else { false }
        }
        guard case .disconnected(let error) = event else { throw Unexpected(event: event) }
        return error
    }

    /// Subscribes and waits for the answer.
    @discardableResult
    func subscribed(
        to filters: String...,
        qos: QoS = .atLeastOnce,
        retainAsPublished: Bool = true
    ) async throws -> [Grant] {
        let list = try filters.map { (try TopicFilter($0), qos) }
        let id = try self.subscribe(list, retainAsPublished: retainAsPublished)
        let event = try await self.events.next("the answer to SUBSCRIBE") { event in
            if case .subscribed(id, _) = event { true } else { false }
        }
        guard case .subscribed(_, let grants) = event else { throw Unexpected(event: event) }
        return grants
    }

    /// Publishes with QoS 1 and waits for the broker's acknowledgement.
    func acknowledged(_ message: Message) async throws {
        let id = try self.publish(message)
        _ = try await self.events.next("PUBACK") { $0 == .acknowledged(id) }
    }
}

struct Unexpected: Error {
    let event: MQTTConnection.Event
}

func message(
    _ topic: String,
    _ text: String = "",
    qos: QoS = .atLeastOnce,
    retain: Bool = false,
    properties: Message.Properties = Message.Properties()
) throws -> Message {
    Message(topic: try Topic(topic), payload: Array(text.utf8), qos: qos, retain: retain, properties: properties)
}
