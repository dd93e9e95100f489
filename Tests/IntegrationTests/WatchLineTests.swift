// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("watch and record without a terminal")
struct WatchLineTests {
    private static let record = #"""
        {"v": 1, "agent": "12ab", "epoch": 1, "seq": 1, "clock": "synchronised", "t0": "2026-11-21T10:00:00.000Z",
        "series": {"engine_speed": {"ecu": "7E8", "scale": 0.25, "dt": [0], "dv": [4]}}}
        """#

    private static func publish(_ broker: Broker) async throws {
        try await Publisher(broker).publish("online", to: "obd/van/availability", retain: true)
        try await Publisher(broker).publish(#"{"agent": "12ab"}"#, to: "obd/van/status", retain: true)
    }

    /// Reads lines up to one with `text`.
    private static func find(_ text: String, in lines: inout AsyncStream<String>.Iterator) async {
        while let line = await lines.next(isolation: #isolation) { if line.contains(text) { return } }
        Issue.record("no line with \(text)")
    }

    @Test("watch and record outlive the loss of the broker, and tell it")
    func losses() async throws {
        let broker = try await Broker()
        try await Self.publish(broker)
        let directory = try TemporaryDirectory()
        let remote = RemoteProgram(broker, vehicle: "van")
        let watch = try remote.start("watch")
        let record = try remote.start("record", ["--csv", "\(directory.path)/drive.csv"])
        try await within("the losses", limit: .seconds(120)) {
            var lines = watch.output.makeAsyncIterator()
            var notes = record.errors.makeAsyncIterator()
            await Self.find("availability", in: &lines)
            await Self.find("recording van until Ctrl-C", in: &notes)
            for _ in 0..<3 {
                try await broker.stop()
                await Self.find("All values are last known", in: &lines)
                await Self.find("reconnecting", in: &notes)
                try await broker.restart()
                await Self.find("connected again", in: &lines)
                await Self.find("connected again", in: &notes)
            }
            try await Publisher(broker).publish(Self.record, to: "obd/van/telemetry")
            // The note about the next one shows that the first one is in the file.
            let later = Self.record.replacing(#""seq": 1"#, with: #""seq": 3"#)
            try await Publisher(broker).publish(later, to: "obd/van/telemetry")
            await Self.find("before 1/3", in: &notes)
            try await Publisher(broker).publish("offline", to: "obd/van/availability")
            await Self.find("offline", in: &lines)
            watch.signal(SIGINT)
            record.signal(SIGINT)
            #expect(try await watch.exitStatus() == .exited(0))
            #expect(try await record.exitStatus() == .exited(0))
        }
        let text = try String(contentsOfFile: "\(directory.path)/drive.csv", encoding: .utf8)
        #expect(text.contains("engine_speed"))
    }

    @Test("A closed output ends watch as SIGPIPE would, also while nothing arrives")
    func closedOutput() async throws {
        let broker = try await Broker()
        try await Self.publish(broker)
        let program = try Program(builtHere: "obd-remote").path
        let options = "--broker mqtt://127.0.0.1:\(broker.port) --vehicle van"
        let script = "{ \(program) watch \(options); echo $? >&2; } | head -n 1"
        let shell = try ChildProcess(Program("sh", debianPackage: "dash"), ["-c", script])
        let errors = try await within("the end of watch") {
            await shell.errors.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(errors == ["141"])
    }

    @Test("A full device ends watch with the status of a failed write")
    func fullDevice() async throws {
        let broker = try await Broker()
        try await Self.publish(broker)
        let program = try Program(builtHere: "obd-remote").path
        let options = "--broker mqtt://127.0.0.1:\(broker.port) --vehicle van"
        let script = "\(program) watch \(options) >/dev/full; echo $?"
        let shell = try ChildProcess(Program("sh", debianPackage: "dash"), ["-c", script])
        let output = try await within("the end of watch") {
            await shell.output.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(output == ["74"])
    }

    @Test("A broker that sends nothing, because its access list forbids to read, is told with 69 or 64 and a next step")
    func silence() async throws {
        let directory = try TemporaryDirectory()
        let list = try directory.write("topic write obd/#\n", to: "acl")
        let broker = try await Broker(.init(configuration: ["acl_file \(list)"]))
        try await Self.publish(broker)
        for (vehicle, status) in [(nil, 69), ("van", 64)] as [(String?, Int32)] {
            let run = try await RemoteProgram(broker, vehicle: vehicle).run("watch", ["--for", "1s"])
            #expect(run.status == .exited(status), "\(run.notes)")
            #expect(run.notes.contains { $0.contains("shows no vehicle") }, "\(run.notes)")
            #expect(run.notes.joined().contains("access list") && run.notes.last?.hasPrefix("Try: ") == true)
        }
    }
}
