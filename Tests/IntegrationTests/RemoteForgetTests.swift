// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@Suite("The list of a fleet, and the vehicles that are gone from it")
struct RemoteForgetTests {
    private static let vin = "ZZZSMVLATR4700893"

    /// A broker with a vehicle that is gone, one that is online, and the provisional name of an agent.
    private static func broker() async throws -> (Broker, RemoteProgram) {
        let broker = try await Broker()
        let publisher = Publisher(broker)
        let gone = #"{"agent":"a1","time":"2026-01-01T10:00:00.000Z","outbox":{"records":7,"dropped":0}}"#
        let payloads = [
            ("obd/gone/availability", "offline"), ("obd/gone/status", gone),
            ("obd/gone/vehicle", "{\"vin\":\"\(Self.vin)\"}"), ("obd/gone/parameters/engine_speed/7E9", "{}"),
            ("homeassistant/device/\(Self.vin)/config", "{}"), ("homeassistant/sensor/\(Self.vin)/x/config", "{}"),
            ("homeassistant/device/other/config", "{}"), ("obd/here/availability", "online"),
            ("obd/here/status", #"{"agent":"b2"}"#), ("obd/agent-c3/availability", "offline"),
            ("obd/agent-c3/status", #"{"agent":"c3"}"#),
        ]
        for (topic, payload) in payloads { try await publisher.publish(payload, to: topic, retain: true) }
        return (broker, RemoteProgram(broker))
    }

    @Test("The provisional name of an agent is left out unless it is asked for, and the long form has the outbox")
    func list() async throws {
        let (broker, remote) = try await Self.broker()
        defer { withExtendedLifetime(broker) {} }
        let short = try await remote.run("list")
        #expect(short.status == .exited(0), "\(short.notes)")
        #expect(short.output.contains { $0.hasPrefix("gone") && $0.contains("offline, long") })
        #expect(!short.output.contains { $0.hasPrefix("agent-c3") })
        #expect(short.notes.contains { $0.contains("--all") })
        #expect(short.notes.contains { $0.contains("30 days: gone. Try: obd-remote forget") })
        let all = try await remote.run("list", ["--all", "-l"])
        #expect(all.output.contains { $0.hasPrefix("agent-c3") })
        #expect(all.output.first?.contains("outbox") == true)
        #expect(all.output.contains { $0.hasPrefix("gone") && $0.hasSuffix("  7") }, "\(all.output)")
    }

    @Test("A vehicle that is gone is removed from the broker and from Home Assistant, and nothing else is")
    func forget() async throws {
        let (broker, remote) = try await Self.broker()
        defer { withExtendedLifetime(broker) {} }
        let unsure = try await remote.run("forget", ["gone"])
        #expect(unsure.status == .exited(64) && unsure.notes.contains { $0.contains("the question cannot be asked") })
        let dry = try await remote.run("forget", ["gone", "agent-c3", "--dry-run"])
        #expect(dry.status == .exited(0) && dry.output.last == "Nothing was removed.", "\(dry.notes)")
        let present = try await remote.run("forget", ["here", "--yes"])
        #expect(present.status == .exited(64) && present.notes.contains { $0.contains("\"here\" is online") })
        let unknown = try await remote.run("forget", ["nobody", "--yes"])
        #expect(unknown.status == .exited(66) && unknown.notes.contains { $0.contains("nothing of \"nobody\"") })
        #expect(try await remote.run("list", ["--all"]).output.count == 4)

        let run = try await remote.run("forget", ["gone", "agent-c3", "--yes"])
        #expect(run.status == .exited(0), "\(run.notes)")
        #expect(run.output.contains { $0.hasPrefix("Emptied   8 topics on ") }, "\(run.output)")
        let rest = try await remote.run("list", ["--all"])
        #expect(rest.output.count == 2 && rest.output.last?.hasPrefix("here") == true, "\(rest.output)")
    }

    @Test("A user who may not publish there is told which topics remain")
    func permission() async throws {
        let directory = try TemporaryDirectory()
        let rules = "user admin\ntopic readwrite #\nuser anna\ntopic read obd/#\n"
        let list = try directory.write(rules, to: "acl")
        let broker = try await Broker(
            .init(users: ["admin": "secret", "anna": "secret"], configuration: ["acl_file \(list)"])
        )
        let publisher = Publisher(broker, ["-u", "admin", "-P", "secret"])
        try await publisher.publish("offline", to: "obd/gone/availability", retain: true)
        let password = try directory.write("secret\n", to: "password")
        let options = RemoteProgram(broker).options + ["--username", "anna", "--password-file", password]
        let run = try await RemoteProgram(options: options).run("forget", ["gone", "--yes"])
        #expect(run.status == .exited(77), "\(run.notes)")
        #expect(run.notes.contains { $0.contains("obd/gone/availability") }, "\(run.notes)")
    }
}
