// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

@Suite("Connections that fail")
struct FailureTests {
    @Test("A closed port: cannot connect")
    func nobody() async throws {
        let port = try Loopback.freePort()
        let server = Server(host: "127.0.0.1", port: port)
        let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one"))
        #expect(throws: MQTTError.notConnected) { try connection.publish(message("t")) }
        let error = try await connection.ended()
        #expect(error == .cannotConnect(host: "127.0.0.1", port: port, .refused))
    }

    @Test("A name that does not exist: cannot connect")
    func noName() async throws {
        let server = Server(host: "nowhere.invalid", port: 1883)
        let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one"))
        let error = try await connection.ended()
        #expect(error == .cannotConnect(host: "nowhere.invalid", port: 1883, .unknownHost))
    }

    @Test("A killed broker: the connection is lost, and a new one reaches the next broker")
    func killed() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        try await broker.kill()
        let error = try await connection.ended()
        guard case .connectionLost = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(throws: MQTTError.notConnected) { try connection.publish(message("t")) }
        // The streams have ended, so a reader does not hang.
        for await _ in connection.messages {}
        try await broker.restart()
        _ = try await broker.connect("one")
    }

    @Test("Another client with the same id ends the connection, and stays connected itself")
    func takenOver() async throws {
        let broker = try await Broker()
        let first = try await broker.connect("same")
        let second = try await broker.connect("same")
        let error = try await first.ended()
        guard case .connectionLost = error else {
            Issue.record("another error: \(error)")
            return
        }
        try await second.acknowledged(message("t"))
    }

    @Test("Wrong credentials are reported as wrong credentials", arguments: [ProtocolVersion.v5, .v311])
    func credentials(version: ProtocolVersion) async throws {
        let broker = try await Broker(.init(users: ["van": "right"]))
        var options = broker.options("one", version: version)
        for (name, password) in [("van", "wrong"), ("nobody", "right"), (nil, nil)] as [(String?, String?)] {
            options.username = name
            options.password = password
            let error = try await MQTTConnection(options).ended()
            guard case .refused(let refusal) = error else {
                Issue.record("another error: \(error)")
                return
            }
            #expect(refusal == .notAuthorized || refusal == .badCredentials)
            #expect(MQTTError.refused(refusal).needsHuman)
        }
        options.username = "van"
        options.password = "right"
        _ = try await MQTTConnection(options).connected()
    }

    @Test("A message that the broker does not allow is rejected, not acknowledged")
    func messageRejected() async throws {
        let directory = try TemporaryDirectory()
        let acl = try directory.write("topic readwrite mine/#\n", to: "acl")
        let broker = try await Broker(.init(configuration: ["acl_file \(acl)"]))
        let connection = try await broker.connect("one")
        let id = try connection.publish(message("foreign"))
        #expect(try await connection.events.next("the answer") == .rejected(id, code: 0x87))
        try await connection.acknowledged(message("mine/a"))
    }

    @Test("TLS with the right authority connects, with and without a client certificate")
    func tls() async throws {
        let certificates = try await Certificates()
        let broker = try await Broker(.init(certificates: certificates, requiresClientCertificate: true))
        for host in ["localhost", "127.0.0.1"] {
            let tls = TLS(
                caFile: certificates.caFile,
                certificateFile: certificates.clientCertificateFile,
                keyFile: certificates.clientKeyFile
            )
            let server = Server(host: host, port: broker.tlsPort, tls: tls)
            let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one"))
            _ = try await connection.connected()
            try await connection.subscribed(to: "t")
            let payload = [UInt8](repeating: 7, count: 200_000)
            try await connection.acknowledged(Message(topic: Topic("t"), payload: payload, qos: .atLeastOnce))
            #expect(try await connection.messages.next("message").payload == payload)
            await connection.disconnect()
        }
    }

    @Test("TLS without a client certificate fails if the broker requires one")
    func tlsWithoutClientCertificate() async throws {
        let certificates = try await Certificates()
        let broker = try await Broker(.init(certificates: certificates, requiresClientCertificate: true))
        let server = Server(host: "localhost", port: broker.tlsPort, tls: TLS(caFile: certificates.caFile))
        // In TLS 1.3 the client's handshake completes before the broker checks for a certificate: the broker's alert
        // and the end of the connection arrive in either order.
        switch try await MQTTConnection(ConnectionOptions(server: server, clientID: "one")).ended() {
        case .tls, .closedUnanswered, .cannotConnect: break
        case let error: Issue.record("another error: \(error)")
        }
    }

    @Test("A certificate of another authority, or of one that the system does not trust, is refused")
    func wrongAuthority() async throws {
        let certificates = try await Certificates()
        let broker = try await Broker(.init(certificates: certificates))
        for file in [certificates.strangerCAFile, nil] {
            let error = try await self.tlsError(broker, TLS(caFile: file))
            #expect(error.contains("certificate verify failed"))
        }
    }

    @Test(
        "A certificate is valid only for its subject alternative names, and a wildcard not for its bare domain",
        arguments: [
            ("localhost", "elsewhere", "DNS:localhost", nil), ("127.0.0.1", "elsewhere", "IP:127.0.0.1", nil),
            ("localhost", "localhost", nil, "hostname mismatch"),
            ("localhost", "localhost", "IP:127.0.0.1", "hostname mismatch"),
            ("localhost", "localhost", "DNS:elsewhere.example", "hostname mismatch"),
            ("localhost", "localhost", "DNS:*.localhost", "hostname mismatch"),
            ("localhost", "localhost", "DNS:*", "hostname mismatch"),
            ("localhost", "localhost", "DNS:local*", "hostname mismatch"),
            ("127.0.0.1", "127.0.0.1", nil, "IP address mismatch"),
            ("127.0.0.1", "127.0.0.1", "DNS:127.0.0.1", "IP address mismatch"),
            ("127.0.0.1", "127.0.0.1", "IP:127.0.0.2", "IP address mismatch"),
        ] as [(String, String, String?, String?)]
    )
    func names(host: String, subject: String, names: String?, problem: String?) async throws {
        let certificates = try await Certificates()
        let own = try await certificates.server(subject, names: names)
        let broker = try await Broker(.init(certificates: certificates, serverCertificate: own))
        let server = Server(host: host, port: broker.tlsPort, tls: TLS(caFile: certificates.caFile))
        let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one"))
        if let problem {
            let error = try await connection.ended()
            #expect(error == .tls("certificate verify failed: \(problem)"))
        } else {
            _ = try await connection.connected()
        }
    }

    private func tlsError(_ broker: Broker, _ tls: TLS) async throws -> String {
        let server = Server(host: "localhost", port: broker.tlsPort, tls: tls)
        let connection = try MQTTConnection(ConnectionOptions(server: server, clientID: "one"))
        let error = try await connection.ended()
        guard case .tls(let reason) = error else {
            Issue.record("another error: \(error)")
            return ""
        }
        return reason
    }

    @Test("Invalid options are refused at once")
    func invalidOptions() throws {
        let good = ConnectionOptions(server: Server(host: "127.0.0.1", port: 1883), clientID: "one")
        let changes: [(inout ConnectionOptions) -> Void] = [
            { $0.clientID = "" }, { $0.clientID = "a\0b" }, { $0.keepAlive = .seconds(1) },
            { $0.keepAlive = .seconds(70000) }, { $0.sessionExpiry = .seconds(-1) }, { $0.password = "a\0b" },
            { $0.server.tls = TLS(caFile: "/nowhere/ca.pem") },
            { $0.server.tls = TLS(certificateFile: "/dev/null") },
        ]
        for change in changes {
            var options = good
            change(&options)
            #expect(throws: MQTTError.self) { try MQTTConnection(options) }
        }
    }

    @Test("A message that MQTT cannot carry is refused, and the connection stays open")
    func invalidMessages() async throws {
        let broker = try await Broker()
        let connection = try await broker.connect("one")
        let cases: [(Message.Properties, MQTTError)] = [
            (.init(correlationData: [UInt8](repeating: 0, count: 65536)), .tooLarge),
            (.init(contentType: "a\0b"), .invalid("a text with a NUL")),
            (.init(userProperties: [.init(name: String(repeating: "a", count: 65536), value: "")]), .tooLarge),
        ]
        for (properties, error) in cases {
            #expect(throws: error) { try connection.publish(message("t", properties: properties)) }
        }
        #expect(throws: MQTTError.invalid("no filters")) { try connection.subscribe([], retainAsPublished: true) }
        try await connection.acknowledged(message("t"))
    }
}
