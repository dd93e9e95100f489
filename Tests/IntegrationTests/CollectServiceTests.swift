// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import CommandLine
import EventLoop
import TestSupport
import Testing

@testable import obd_remote

@Suite("The collector as a service")
struct CollectServiceTests {
    @Test("It is ready once broker and database are there, feeds the watchdog, and says that it ends")
    func notifies() async throws {
        try await Bench.run { bench in
            let socket = try NotifySocket(in: bench.directory)
            try await bench.broker.stop()
            let collect = CollectBench(bench)
            let collector = try collect.start(
                environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "4000000"]
            )
            defer { collector.signal(9) }
            _ = try await socket.messages.next("the sentence") { $0.hasPrefix("STATUS=No broker: cannot connect") }
            try await bench.broker.restart()
            let isReady = try await socket.messages.next("a message after that") { !$0.hasPrefix("STATUS=") }
            #expect(isReady == "READY=1")
            _ = try await socket.messages.next("the watchdog's food") { $0 == "WATCHDOG=1" }
            collector.signal()
            _ = try await socket.messages.next("the end") { $0.hasPrefix("STOPPING=1") }
            #expect(try await within("the end") { try await collector.exitStatus() } == .exited(0))
        }
    }

    @Test("--status tells whether it runs, and the file of metrics has the same figures")
    func status() async throws {
        try await Bench.run { bench in
            let metrics = "\(bench.directory.path)/collector.prom"
            let collect = CollectBench(bench, ["--metrics", metrics])
            let program = RemoteProgram(options: ["--status-file", collect.statusFile])
            let absent = try await program.run("collect", ["--status"])
            #expect(absent.status == .exited(69) && absent.output.isEmpty)

            let collector = try collect.start()
            defer { collector.signal(9) }
            let run = try await within("a healthy collector") {
                while true {
                    let run = try await program.run("collect", ["--status", "--json"])
                    if run.status == .exited(0) { return run }
                    try Task.checkCancellation()
                }
            }
            let json = JSON(payload: Array(run.output.joined(separator: "\n").utf8))
            #expect(json["running"] == true && json["samples"] == 0 && json["missing"] == 0)
            #expect(json["broker"]["connected_since"].time != nil && json["database"]["connected_since"].time != nil)
            let text = try await program.run("collect", ["--status"])
            #expect(text.output.contains { $0.hasPrefix("Broker      mqtt://127.0.0.1:") }, "\(text.output)")

            collector.signal()
            _ = try await collector.exitStatus()
            let lines = try #require(TextFile.read(metrics)).split(separator: "\n")
            #expect(lines.contains("obd_collect_samples_total 0") && lines.contains("obd_collect_database_connected 1"))
            #expect(lines.contains("# TYPE obd_collect_records_total counter"))
            let ended = try await program.run("collect", ["--status"])
            #expect(ended.status == .exited(69) && ended.notes.contains { $0.contains("the collector has ended") })
        }
    }

    @Test("A wrong password at the broker ends it at the start, with the next step")
    func password() async throws {
        try await Bench.run(
            Broker.Options(users: ["collector": "right", "bench": "bench"]),
            credentials: ["-u", "bench", "-P", "bench"],
            sender: ["-u", "bench", "-P", "bench"]
        ) { bench in
            let file = try bench.directory.write("wrong", to: "password")
            let collector = try CollectBench(bench).start(["--username", "collector", "--password-file", file])
            let run = try await RemoteProgram.end(of: collector, "collect")
            #expect(run.status == .exited(77) && run.notes.contains { $0.contains("check --username") }, "\(run.notes)")
        }
    }

    @Test("A wrong password at PostgreSQL ends it at the start; a right one of a file lets it in")
    func databasePassword() async throws {
        try await Bench.run { bench in
            let server = try await PostgresServer(access: ["local all anna scram-sha-256"])
            try await server.run(["CREATE ROLE anna LOGIN PASSWORD 'right'", "CREATE DATABASE fleet OWNER anna"])
            let url = CollectBench(bench, server).database.replacing("user=postgres", with: "user=anna")
                .replacing("///postgres", with: "///fleet")
            for (password, status) in [("wrong", 78), ("right", 0)] as [(String, Int32)] {
                let file = try bench.directory.write(password, to: "password")
                let collect = CollectBench(bench, url: url, ["--database-password-file", file, "--once"])
                let run = try await RemoteProgram.end(of: collect.start(), "collect")
                #expect(run.status == .exited(status), "\(run.notes)")
            }
        }
    }

    @Test(
        "A mistake in the file ends it, and the error names file, line and key",
        arguments: [
            ("brokr = \"mqtts://broker.example\"\n", "collect.toml:1: brokr: unknown key; did you mean broker?"),
            ("\nkeep = 400\n", "collect.toml:2: keep: expected a text in quotes, found the number 400"),
            ("keep = \"400x\"", "collect.toml:1: keep: \"400x\" is not a time such as 400d"),
            ("keep = \"5m\"", "collect.toml:1: keep: 5m is less than a day"),
            ("keep = \"400\"", "Try: 400d"), ("keep = 400", "Try: keep = \"400d\""),
            ("username = \"anna\"", "collect.toml: broker is missing"),
            ("password_file = \"/dev/null\"", "collect.toml:1: password_file: is set without a user name"),
            ("metrics = \"/tmp/x.txt\"", "collect.toml:1: metrics: /tmp/x.txt does not end in .prom"),
            ("timeout = \"0s\"", "collect.toml:1: timeout: \"0s\" is not a time of at least 1s"),
            ("signing_key = \"/etc/hostname\"", "collect.toml:1: signing_key: /etc/hostname"),
            ("ca_file = \"/etc/hostname\"", "collect.toml:1: ca_file: is set, but mqtt:// has no TLS"),
            ("database = \"/nowhere/x.db\"", "collect.toml:1: database: the database can't be used: cannot create"),
            ("database = \"postgresql:/obd\"", "collect.toml:1: database: the value is neither the path of a file"),
            ("database = \"host=h password=geheim\"", "collect.toml:1: database: the value is neither"),
            ("database = \"postgresql://u:geheim@/n?host=/run\"", "a URL must not contain a password"),
            ("database = \"postgresql://h/n?passw%6frd=geheim\"", "a URL must not contain a password"),
            (
                "database = \"postgresql://h/n\"\ndatabase_password_file = \"/nowhere/db\"",
                "collect.toml:2: database_password_file: /nowhere/db can't be read"
            ),
            ("broker = \"http://broker\"", "collect.toml:1: broker: \"http://broker\" is not a broker URL."),
            (
                "broker = \"mqtts://h\"\nca_file = \"/nowhere/ca.pem\"",
                "collect.toml:2: ca_file: /nowhere/ca.pem can't be"
            ),
            ("share = \"a/b\"", "collect.toml:1: share: \"a/b\" is not a name"),
            ("client_id = \"a b\"", "collect.toml:1: client_id: \"a b\" is not a client id"),
            ("database = \"mysql://h/n\"", "collect.toml:1: database: the value is neither the path of a file nor"),
            ("database = \"postgresql://u:p@h/n\"", "collect.toml:1: database: a URL must not contain a password"),
            ("ca_file = \"ca.pem\"", "collect.toml:1: ca_file: expected the absolute path of a file"),
            ("ca_file = \"credential:mqtt-ca\"", "collect.toml:1: ca_file: there is no credential \"mqtt-ca\""),
            ("[mqtt]\n", "collect.toml:1: mqtt: unknown table"),
            ("keep = \n", "collect.toml:1: column 8: expected a value"),
        ]
    )
    func mistakes(text: String, error: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "collect.toml")
        let options = ["brok", "anna"].contains { text.contains($0) } ? [] : ["--broker", "mqtt://127.0.0.1:1"]
        let status = ["--status-file", "\(directory.path)/status.json"]
        let run = try await RemoteProgram(options: options).run("collect", ["--config", file] + status)
        #expect(run.status == .exited(78) && run.notes.contains { $0.contains(error) }, "\(run.notes)")
        #expect(run.notes.contains { $0.contains("Try: ") || $0.contains("did you mean") }, "\(run.notes)")
        #expect(!run.notes.contains { $0.contains("geheim") }, "\(run.notes)")
    }

    @Test("A file that the command line names and that is missing ends it with 78, as one of the configuration does")
    func missingFiles() async throws {
        let program = RemoteProgram(options: ["--broker", "mqtt://127.0.0.1:1", "--username", "anna"])
        for options in [
            ["--password-file", "/nowhere/p"], ["--signing-key", "/nowhere/k"],
            ["--database", "postgresql://h/n", "--database-password-file", "/nowhere/d"],
        ] {
            let run = try await program.run("collect", options)
            #expect(run.status == .exited(78) && run.notes.contains { $0.contains("/nowhere") }, "\(run.notes)")
        }
    }

    @Test("--once ends with an absent broker after --timeout, and says what a run to come should know")
    func once() async throws {
        try await Bench.run { bench in
            let collect = CollectBench(bench)
            let quiet = try await RemoteProgram.end(of: collect.start(["--once"]), "collect")
            #expect(quiet.status == .exited(0), "\(quiet.notes)")
            #expect(
                quiet.notes.contains { $0.contains("has sent no message") }
                    && quiet.notes.contains { $0.contains("0 records") }
            )
            try await bench.broker.stop()
            let run = try await RemoteProgram.end(of: collect.start(["--once", "--timeout", "1s"]), "collect")
            #expect(run.status == .exited(69) && run.notes.contains { $0.contains("cannot connect") }, "\(run.notes)")
        }
    }

    @Test("A second collector with the same client id says so before it connects")
    func sameClientID() async throws {
        try await Bench.run { bench in
            let first = CollectBench(bench, ["--client-id", "same"])
            let collector = try first.start()
            defer { collector.signal(9) }
            _ = try await collector.errors.next("the connection") { $0.contains("Connected to") }
            let other = CollectBench(bench, url: "\(bench.directory.path)/other.db", ["--client-id", "same"])
            let run = try await RemoteProgram.end(of: other.start(), "collect")
            #expect(run.status == .exited(75) && run.notes.contains { $0.contains("has the client id same") })
            #expect(run.notes.contains { $0.contains("Try: --client-id") }, "\(run.notes)")
        }
    }

    @Test("--status does not believe a state of long ago or of the future, and no FIFO hangs it")
    func staleStatus() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/state.json"
        let program = RemoteProgram(options: ["--status-file", path])
        var status = CollectorStatus(clientID: "one", share: nil, broker: "b", database: "d", at: .present)
        (status.broker.since, status.database.since) = (.present, .present)
        func run(at time: Timestamp) async throws -> RemoteProgram.Run {
            try directory.write(CollectStatus.bytes(status, isRunning: true, at: time), to: "state.json")
            return try await program.run("collect", ["--status"])
        }
        #expect(try await run(at: .present).status == .exited(0))
        for age in [-400, 30] {
            let run = try await run(at: .present + .seconds(age))
            #expect(run.status == .exited(69) && run.notes.contains { $0.contains("gone, or hangs") }, "\(run.notes)")
            #expect(!run.output.contains { $0.contains("connected since") })
        }
        (status.rivals, status.lastRival) = (1, .present)
        let rival = try await run(at: .present)
        #expect(rival.status == .exited(69) && rival.notes.contains { $0.contains("has the client id one") })
        TextFile.remove(path)
        try await Program("mkfifo", debianPackage: "coreutils").run([path])
        #expect(try await program.run("collect", ["--status"]).status == .exited(69))
    }

    @Test("The sample has every key, and each key is an option")
    func sample() async throws {
        let sample = try #require(TextFile.read("\(PythonTools.packageRoot)/etc/obd-remote/collect.toml"))
        let lines = sample.split(separator: "\n")
        let names = lines.compactMap { line -> String? in
            let text = line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
            guard !text.hasPrefix("#"), let end = text.firstRange(of: " = \"") else { return nil }
            return String(text[..<end.lowerBound])
        }
        #expect(names.sorted() == CollectKey.allCases.map(\.rawValue).sorted())
        let help = try await Program(builtHere: "obd-remote").run(["collect", "--help"])
        for key in CollectKey.allCases { #expect(help.contains { $0.contains("\(key.option) ") }, "\(key.option)") }
        // Each key is set to its default, so the file is right as it is once the "#" are gone.
        let directory = try TemporaryDirectory()
        let plain = lines.map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? String($0.dropFirst()) : String($0) }
        let path = try directory.write(plain.joined(separator: "\n"), to: "collect.toml")
        let file = try CollectFile(path)
        #expect(try file.value(.prefix, nil)?.text == "obd" && file.value(.share, nil) == nil)
    }
}
