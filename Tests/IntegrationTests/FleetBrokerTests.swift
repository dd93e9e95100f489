// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import MQTT
import TestSupport
import Testing

@Suite("The fleet's broker in etc/mosquitto")
struct FleetBrokerTests {
    private static let own = [
        "availability", "status", "vehicle", "parameters/engine_speed", "parameters/engine_speed/7E9", "codes",
        "monitors", "finding", "telemetry", "telemetry/zlib", "events", "responses", "responses/desk",
    ]

    @Test("An agent of this name serves its vehicle: what it says arrives, and a command is answered")
    func agent() async throws {
        let fleet = try await Fleet()
        try await Bench.run(
            fleet.options,
            credentials: fleet.credentials(of: Fleet.dashboard),
            sender: fleet.credentials(of: Fleet.specialist)
        ) { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let mqtt = try await fleet.mqtt(bench.broker, "van-12")
            let agent = try bench.start(.init(adapter: car.address, vehicle: "van-12", mqtt: mqtt))
            for topic in ["availability", "status", "vehicle", "codes", "parameters/engine_speed", "telemetry"] {
                _ = try await bench.first(topic, of: "van-12")
            }
            let properties = ["-D", "publish", "response-topic", "obd/van-12/responses/desk"]
            let command = CommandText(id: "read", command: "read_codes")
            let response = try await bench.perform(command, on: "van-12", properties: properties)
            #expect(response["state"] == "succeeded")
            _ = try await bench.first("responses/desk", of: "van-12") { $0.json["state"] == "succeeded" }

            // The agent's session, with a command in it, and retained messages outlive the agent and the broker.
            agent.signal()
            _ = try await agent.exitStatus()
            let late = CommandText(id: "late", command: "describe")
            try await bench.publisher.publish(try late.text(), to: "obd/van-12/commands")
            try await bench.broker.stop()
            let count = await bench.observer.count
            try await bench.broker.restart()
            let offline = try await bench.first("availability", of: "van-12", after: count)
            #expect(offline.retain && offline.text == "offline")
            let next = try bench.start(.init(adapter: car.address, vehicle: "van-12", mqtt: mqtt))
            _ = try await bench.first("responses", of: "van-12", after: count) { $0.json["id"] == "late" }

            // The broker publishes the last will of a killed agent.
            let running = await bench.observer.count
            next.signal(9)
            _ = try await bench.first("availability", of: "van-12", after: running) { $0.text == "offline" }
        }
    }

    @Test("Each role publishes what is its own, and nothing else is taken from it")
    func publishing() async throws {
        let fleet = try await Fleet()
        let broker = try await Broker(fleet.options)
        let vehicle = try await fleet.vehicle("van-12", to: broker)
        let specialist = try fleet.person(Fleet.specialist, to: broker)
        let dashboard = try fleet.person(Fleet.dashboard, to: broker)
        let collector = try fleet.person(Fleet.collector, to: broker)
        let nobody = try fleet.person(Fleet.nobody, to: broker)
        for connection in [vehicle, specialist, dashboard, collector, nobody] {
            let failure = try await connection.outcome()
            #expect(failure == nil)
        }
        for path in Self.own {
            #expect(try await vehicle.tries("x", on: "obd/van-12/\(path)", retain: true), "\(path)")
        }
        let foreign = (Self.own + ["commands"]).map { "obd/van-13/\($0)" }
        for topic in foreign + ["obd/van-12/commands", "obd/van-12", "obd/van-12/else", "van-12/status", "$SYS/x"] {
            #expect(try await !vehicle.tries("x", on: topic, retain: true), "\(topic)")
        }

        #expect(try await specialist.tries("x", on: "obd/van-12/commands"))
        #expect(try await specialist.tries("x", on: "obd/van-13/commands"))
        #expect(try await collector.tries("x", on: "obd/van-12/commands"))
        for path in Self.own {
            #expect(try await !specialist.tries("x", on: "obd/van-12/\(path)"), "\(path)")
            #expect(try await !collector.tries("x", on: "obd/van-12/\(path)"), "\(path)")
        }
        for path in Self.own + ["commands"] {
            #expect(try await !dashboard.tries("x", on: "obd/van-12/\(path)"), "\(path)")
            #expect(try await !nobody.tries("x", on: "obd/van-12/\(path)"), "\(path)")
        }
    }

    @Test("Each role hears what it may, whatever it subscribes to")
    func listening() async throws {
        let fleet = try await Fleet()
        let broker = try await Broker(fleet.options)
        let vehicle = try await fleet.vehicle("van-12", to: broker)
        let other = try await fleet.vehicle("van-13", to: broker)
        let specialist = try fleet.person(Fleet.specialist, to: broker)
        let dashboard = try fleet.person(Fleet.dashboard, to: broker)
        for connection in [vehicle, other, specialist, dashboard] {
            let failure = try await connection.outcome()
            #expect(failure == nil)
        }
        #expect(try await vehicle.tries("codes", on: "obd/van-12/codes", retain: true))
        try await other.listens(to: ["#", "$SYS/#", "obd/+/commands", "obd/van-12/#"])
        try await dashboard.listens(to: ["#", "$SYS/#"])
        try await specialist.listens(to: ["$share/desk/obd/+/events"])

        #expect(try await specialist.tries("for 12", on: "obd/van-12/commands"))
        #expect(try await vehicle.tries("status", on: "obd/van-12/status"))
        #expect(try await vehicle.tries("event", on: "obd/van-12/events"))
        #expect(try await specialist.tries("for 13", on: "obd/van-13/commands"))
        let heard = try await other.heard(upTo: "for 13")
        #expect(heard == ["for 13"])
        let seen = try await dashboard.heard(upTo: "for 13")
        #expect(seen == ["codes", "for 12", "status", "event", "for 13"])
        let shared = try await specialist.heard(upTo: "event")
        #expect(shared == ["event"])
    }

    @Test("The sample for Mosquitto 2.1 differs from the one for 2.0 in its plug-ins and its persistence only")
    func newerSample() throws {
        func lines(_ name: String) throws -> Set<Substring> {
            let text = try #require(TextFile.read("\(PythonTools.packageRoot)/etc/mosquitto/\(name)"))
            return Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") })
        }
        let (old, new) = (try lines("mosquitto.conf"), try lines("mosquitto-2.1.conf"))
        let replaced: Set<Substring> = [
            "per_listener_settings false", "password_file /etc/mosquitto/passwords", "acl_file /etc/mosquitto/acl",
            "persistence true", "autosave_interval 60",
        ]
        #expect(old.subtracting(new) == replaced)
        #expect(new.subtracting(old).allSatisfy { $0.contains("plugin") })
    }

    @Test("Nobody comes in without a certificate or a password, or becomes somebody else with them")
    func entrance() async throws {
        let fleet = try await Fleet()
        let broker = try await Broker(fleet.options)
        let trust = TLS(caFile: fleet.certificates.caFile)
        // Both ports refuse plain text.
        for port in [broker.port, broker.tlsPort] {
            let failure = try await fleet.connect(port, nil).outcome()
            #expect(failure != nil)
        }
        // The encrypted clients have no name, a name without a password, or a wrong password.
        for (name, password) in [(nil, nil), (Fleet.specialist, nil), (Fleet.specialist, "wrong")] {
            let failure = try await fleet.connect(broker.port, trust, name, password).outcome()
            #expect(failure == .refused(.notAuthorized) || failure == .refused(.badCredentials), "\(name ?? "")")
        }
        // Neither a password nor a certificate of another authority replaces a certificate.
        let failure = try await fleet.connect(broker.tlsPort, trust, Fleet.specialist, "secret").outcome()
        #expect(failure != nil)
        let (certificate, key) = try await fleet.certificates.client("van-12")
        let vehicle = Certificates.Signer.client(certificateFile: certificate, keyFile: key)
        for signer in [Certificates.Signer.stranger, vehicle] {
            let stranger = try await fleet.vehicle("van-13", to: broker, signedBy: signer).outcome()
            #expect(stranger != nil)
        }
        // The certificate decides, and not the name and password beside it.
        let tls = TLS(caFile: trust.caFile, certificateFile: certificate, keyFile: key)
        let impostor = try fleet.connect(broker.tlsPort, tls, Fleet.specialist, "secret")
        let refusal = try await impostor.outcome()
        #expect(refusal == nil)
        #expect(try await !impostor.tries("x", on: "obd/van-12/commands"))
        #expect(try await impostor.tries("x", on: "obd/van-12/status"))
    }

    @Test("The commands in the document make certificates, each good for its purpose and no other")
    func document() async throws {
        let directory = try TemporaryDirectory()
        let document = try #require(TextFile.read("\(PythonTools.packageRoot)/docs/tasks/set-up-broker.md"))
        let begin = try #require(document.split(separator: "```bash\n").dropFirst().first)
        let block = try #require(begin.split(separator: "```").first)
        // A vehicle could also try to sign a certificate for another vehicle.
        let rogue = "cp van-12.pem vehicles-ca.pem; cp van-12.key vehicles-ca.key; certificate van-13 clientAuth"
        let lines = ["set -e", "cd '\(directory.path)'", "\(block)", "cp vehicles-ca.pem ca.pem", rogue]
        let bash = try Program("bash", debianPackage: "bash")
        try await bash.run([try directory.write(lines.joined(separator: "\n"), to: "make")])
        func isGood(_ name: String, _ purpose: String, _ more: [String] = []) async throws -> Bool {
            let arguments = ["verify", "-purpose", purpose, "-CAfile", "\(directory.path)/ca.pem"]
            do {
                try await Program("openssl", debianPackage: "openssl")
                    .run(arguments + more + ["\(directory.path)/\(name).pem"])
                return true
            } catch is ProgramFailed {
                return false
            }
        }
        #expect(try await isGood("van-12", "sslclient"))
        #expect(try await !isGood("van-12", "sslserver"))
        #expect(try await isGood("broker.example", "sslserver", ["-verify_hostname", "broker.example"]))
        #expect(try await !isGood("broker.example", "sslclient"))
        #expect(try await !isGood("van-13", "sslclient", ["-untrusted", "\(directory.path)/van-12.pem"]))
    }

    @Test("A last will in another's name is not published")
    func will() async throws {
        let fleet = try await Fleet()
        let broker = try await Broker(fleet.options)
        let dashboard = try fleet.person(Fleet.dashboard, to: broker)
        _ = try await dashboard.outcome()
        try await dashboard.listens(to: ["obd/#"])
        let (certificate, key) = try await fleet.certificates.client("van-12")
        let trust = TLS(caFile: fleet.certificates.caFile, certificateFile: certificate, keyFile: key)
        for name in ["van-13", "van-12"] {
            var options = ConnectionOptions(
                server: Server(host: "localhost", port: broker.tlsPort, tls: trust),
                clientID: "will-\(name)"
            )
            options.will = Message(topic: try Topic("obd/\(name)/availability"), payload: Array(name.utf8))
            var connection: MQTTConnection? = try MQTTConnection(options)
            _ = try await connection?.outcome()
            // The connection ends without DISCONNECT.
            connection = nil
        }
        let heard = try await dashboard.heard(upTo: "van-12")
        #expect(heard == ["van-12"])
    }
}
