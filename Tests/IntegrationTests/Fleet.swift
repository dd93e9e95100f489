// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

/// A fleet's broker with the configuration in `etc/mosquitto`, and its clients.
struct Fleet: Sendable {
    static let specialist = "specialist+anna"
    static let dashboard = "dashboard+hall"
    static let collector = "collector+one"
    /// A user with a password whom no line of the access list names.
    static let nobody = "nobody+else"
    private static let password = "secret"

    let certificates: Certificates

    init() async throws {
        self.certificates = try await Certificates()
    }

    var options: Broker.Options {
        let names = [Self.specialist, Self.dashboard, Self.collector, Self.nobody]
        return Broker.Options(
            users: Dictionary(uniqueKeysWithValues: names.map { ($0, Self.password) }),
            certificates: self.certificates,
            fleet: "\(PythonTools.packageRoot)/etc/mosquitto"
        )
    }

    /// Returns the options with which programs of Mosquitto connect as this person.
    func credentials(of person: String) -> [String] {
        ["--cafile", self.certificates.bothCAFile, "-u", person, "-P", Self.password]
    }

    /// Returns the lines of `[mqtt]` for the agent of a vehicle.
    func mqtt(_ broker: Broker, _ name: String) async throws -> [String] {
        let (certificate, key) = try await self.certificates.client(name)
        return [
            "url = \"mqtts://localhost:\(broker.tlsPort)\"", "ca_file = \"\(self.certificates.caFile)\"",
            "certificate_file = \"\(certificate)\"", "key_file = \"\(key)\"",
        ]
    }

    /// Connects as a vehicle with a certificate of this name.
    func vehicle(
        _ name: String,
        to broker: Broker,
        signedBy signer: Certificates.Signer = .authority
    ) async throws -> MQTTConnection {
        let (certificate, key) = try await self.certificates.client(name, signedBy: signer)
        return try self.connect(
            broker.tlsPort,
            TLS(caFile: self.certificates.caFile, certificateFile: certificate, keyFile: key)
        )
    }

    /// Connects as a person.
    func person(_ name: String, to broker: Broker) throws -> MQTTConnection {
        try self.connect(broker.port, TLS(caFile: self.certificates.caFile), name, Self.password)
    }

    /// Connects with any of the credentials, or with none.
    func connect(
        _ port: UInt16,
        _ tls: TLS?,
        _ username: String? = nil,
        _ password: String? = nil
    ) throws -> MQTTConnection {
        try MQTTConnection(
            ConnectionOptions(
                server: Server(host: "localhost", port: port, tls: tls),
                clientID: "test-\(UInt32.random(in: 0 ... .max))",
                username: username,
                password: password
            )
        )
    }
}

extension MQTTConnection {
    /// Waits for the CONNACK; returns the error if there is none.
    func outcome() async throws -> MQTTError? {
        let event = try await self.events.next("connected or disconnected")
        guard case .disconnected(let error) = event else { return nil }
        return error
    }

    /// Publishes with QoS 1; returns whether the broker took it.
    func tries(_ text: String, on topic: String, retain: Bool = false) async throws -> Bool {
        let message = Message(topic: try Topic(topic), payload: Array(text.utf8), qos: .atLeastOnce, retain: retain)
        let id = try self.publish(message)
        let event = try await self.events.next("PUBACK") { event in
            switch event {
            case .acknowledged(id), .rejected(id, _): true
            default: false
            }
        }
        // The code means "not authorized": MQTT 5, section 3.4.2.1.
        if case .rejected(_, let code) = event { #expect(code == 0x87) }
        return event == .acknowledged(id)
    }

    /// Subscribes; Mosquitto grants every subscription, and checks the access list before it sends a message.
    func listens(to filters: [String]) async throws {
        let id = try self.subscribe(try filters.map { (try TopicFilter($0), .atLeastOnce) }, retainAsPublished: true)
        _ = try await self.events.next("SUBACK") { event in
            if case .subscribed(id, _) = event { true } else { false }
        }
    }

    /// Returns the texts that arrive up to `last`.
    func heard(upTo last: String) async throws -> [String] {
        try await within("the message \(last)") {
            var texts: [String] = []
            for await message in self.messages {
                texts.append(String(decoding: message.payload, as: UTF8.self))
                if texts.last == last { return texts }
            }
            throw Missing(description: "the connection ended before \(last): \(texts)")
        }
    }
}
