// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import Base
import CommandLine
import Logging
import SignalSets
import TestSupport
import Testing

@testable import obd_agent

@Suite("What strangers wrote is shown")
struct OutputTests {
    /// Characters that move a cursor, begin a line, or turn the direction of writing.
    private static let dangers: Set<Unicode.Scalar> = ["\n", "\r", "\u{1B}", "\u{9B}", "\u{202E}", "\u{2028}"]

    @Test("A device in reach of the radio forges neither a line nor a verdict")
    func scan() throws {
        let name = "x\u{1B}[2K\"\nAA:BB:CC:DD:EE:FF  -40 dBm  OBDII\u{202E}  answers as an ELM327\u{9B}"
        let device = Advertisement(
            path: "/org/bluez/hci0/dev_1",
            address: try #require(BluetoothAddress("00:11:22:33:44:55")),
            name: name,
            services: [],
            rssi: -70
        )
        let line = ScanCommand.line(device, "no answer")
        #expect(line.unicodeScalars.allSatisfy { !Self.dangers.contains($0) })
        // One pair of quotes encloses the whole name.
        #expect(line.hasPrefix("00:11:22:33:44:55  -70 dBm  \"x") && line.hasSuffix("\"  no answer"))
        #expect(line.count { $0 == "\"" } == 2)
    }

    @Test("A line of the log is one line, whatever was put into it")
    func log() {
        let line = LogLine.text("A vehicle\u{9B}2J answers\u{202E}", ["issuer": "a\nb\u{2028}c\u{1B}"])
        #expect(line == "A vehicle\u{FFFD}2J answers\u{FFFD} issuer=\"a b\u{FFFD}c\u{FFFD}\"")
    }

    @Test("An error has the lines that we gave it")
    func failure() {
        let failure = CommandFailure(.unavailable, "it said \"a\nTry: rm\u{1B}\"", next: "again.")
        #expect(failure.description == "it said \"a Try: rm\u{FFFD}\"\nTry: again.")
    }

    @Test("The report of an import ends with the counts by reason")
    func importReport() throws {
        let signals = #"[{"id": "A", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]"#
        let commands = [#""din": "03", "#, ""].map {
            #"{"hdr": "7E0", \#($0)"cmd": {"22": "1234"}, "freq": 1, "signals": \#(signals)}"#
        }
        let set = try SignalSetImport(Array(#"{"commands": [\#(commands.joined(separator: ","))]}"#.utf8))
        let lines = ImportReport.lines(of: set)
        #expect(lines.suffix(2) == ["1  imported", "1  left out: it needs a diagnostic session"])
        #expect(lines.contains("A  its request needs diagnostic session 03, which this agent never opens"))
    }

    @Test("A table has no blanks at the ends of its lines")
    func table() {
        var table = TextTable()
        table.append(["a", "", ""])
        table.append(["bb", "c", ""])
        #expect(table.lines == ["a", "bb  c"])
    }

    @Test("Columns are as wide as the longest usual cell, and a longer one moves its own row only")
    func columns() {
        var table = TextTable(usualLength: 6)
        for row in [["van-7", "driven", "1"], ["van-12", "x", "2"], ["v", "longer than usual", "3"]] {
            table.append(row)
        }
        #expect(table.lines == ["van-7   driven  1", "van-12  x       2", "v       longer than usual  3"])
    }

    @Test("The next step of a detection can be pasted into a shell, whatever the name of the model")
    func detection() {
        func report(
            _ models: [(name: String, answered: Int64, asked: Int64)],
            best: Int = 1,
            year: Int64? = nil,
            set: String? = nil
        ) -> JSON {
            [
                "best": .array(models.prefix(best).map { .string($0.name) }),
                "signal_set": set.map { .string($0) } ?? .null,
                "models": .array(
                    models.map { model in
                        [
                            "model": .string(model.name), "answered": .integer(model.answered),
                            "asked": .integer(model.asked),
                            "share": .number(Double(model.answered) / Double(model.asked)),
                        ]
                    }
                ),
                "year": year.map { .integer($0) } ?? .null, "asked": 1, "answered": 1, "refused": 0, "silent": 0,
            ]
        }
        let one = DetectionText(
            report([("Kia EV9", 4, 5), ("Kia Soul", 1, 5)], year: 2024),
            options: ["--catalog", "my sets"]
        )
        #expect(
            one.lines.suffix(4) == [
                "", "1 request: 1 answered, 0 refused, 0 without an answer", "Next:",
                "  obd-agent parameters import --model 'Kia EV9' --year 2024 --catalog 'my sets' --output kia-ev9.toml",
            ]
        )
        let evil = DetectionText(report([("a'$(rm)`b", 1, 1)]), folder: "/etc/").lines.last
        #expect(evil == "  obd-agent parameters import --model 'a'\\''$(rm)`b' --output /etc/a---rm--b.toml")
        let tie = DetectionText(report([("A", 1, 5), ("B", 1, 5), ("C", 1, 6)], best: 2)).lines.suffix(5)
        #expect(
            tie == [
                "No model fits well: the vehicle answers less than half of the requests of each.",
                "2 models fit equally well: A, B.", "Next, for the right one of them:",
                "  obd-agent parameters import --model A --output a.toml",
                "  obd-agent parameters import --model B --output b.toml",
            ]
        )
        // The agent, not the text, decides which models fit equally well.
        let different = DetectionText(report([("A", 3, 5), ("B", 4, 9)], best: 2), remark: "There.").lines.suffix(5)
        #expect(different.first == "2 models fit equally well: A, B." && different.last == "There.")
        let polled = #"The agent polls the signal set of A: its [parameters] sets is "detect"."#
        let chosen = DetectionText(report([("A", 4, 5), ("B", 1, 5)], set: "A"), remark: "There.").lines
        #expect(chosen.last == polled)
        let kept = DetectionText(report([("B", 3, 5), ("C", 3, 5)], best: 2, set: "A"), remark: "There.").lines
        #expect(
            kept.suffix(6) == [
                "2 models fit equally well: B, C.", polled, "For another set, for the right one of them:",
                "  obd-agent parameters import --model B --output b.toml",
                "  obd-agent parameters import --model C --output c.toml", "There.",
            ]
        )
    }

    @Test("The path for the configuration is absolute")
    func absolutePath() throws {
        let file = try TemporaryDirectory().write("", to: "set.toml")
        let name = try #require(file.split(separator: "/").last)
        #expect(OutputFile.absolutePath(of: ".").hasPrefix("/"))
        #expect(OutputFile.absolutePath(of: file).hasSuffix("/\(name)"))
        #expect(OutputFile.absolutePath(of: "/nowhere/x") == "/nowhere/x")
    }

    @Test("A signal set of strangers commands no terminal, neither as a list nor as a file")
    func signalSet() async throws {
        let directory = try TemporaryDirectory()
        let signal = """
            {"id": "A\\u001b[2J\\u202e", "name": "T\\u009b\\n[commands]", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}
            """
        let set = #"{"commands": [{"hdr": "7E0", "cmd": {"22": "1234"}, "freq": 1, "signals": [\#(signal)]}]}"#
        let file = try directory.write(set, to: "set.json")
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["parameters", "import", file])
        let lines = try await within("parameters import") {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return await notes + output
        }
        #expect(lines.contains { $0.hasPrefix("title = \"T") && $0.hasSuffix(" [commands]\"") })
        #expect(lines.joined().unicodeScalars.allSatisfy { !Self.dangers.contains($0) })
    }
}
