// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import MQTT
import TestSupport
import Testing

@Suite("Errors with the next step")
struct SuggestionTests {
    private static let program = CommandNames(
        "obd-agent",
        [
            CommandNames("read"), CommandNames("codes"),
            CommandNames("parameters", [CommandNames("list"), CommandNames("models")]),
        ]
    )

    @Test(
        "A word that is no command leads to the command that was meant",
        arguments: [
            ("reed", "reed", "obd-agent read"), ("dtc", "dtc", "obd-agent codes"),
            ("Codes", "Codes", "obd-agent codes"),
            ("parameters lst", "lst", "obd-agent parameters list"), ("parameters flux", "flux", nil),
            ("version", "version", "obd-agent --version"),
        ] as [(String, String, String?)]
    )
    func commands(line: String, word: String, meant: String?) {
        let found = CommandSuggestion.find(line.split(separator: " ").map(String.init), of: Self.program)
        #expect(found?.word == word && found?.meant == meant)
    }

    @Test(
        "Commands, options and what follows a command are none of these errors",
        arguments: ["read reed", "--x", "help x", ""]
    )
    func right(line: String) {
        #expect(CommandSuggestion.find(line.split(separator: " ").map(String.init), of: Self.program) == nil)
    }

    @Test(
        "Every failure of a connection has a next step in the words of its settings",
        arguments: [
            (.tls("tlsv13 alert certificate required"), "mqtts://a", "--certificate-file and --key-file"),
            (.tls("certificate verify failed: self-signed certificate"), "mqtts://a", "--ca-file"),
            (.tls("certificate verify failed: IP address mismatch"), "mqtts://a", "subject alternative names"),
            (.tls("certificate verify failed: certificate is not yet valid"), "mqtts://a", "clock"),
            (.tls("wrong version number"), "mqtts://a", "8883"), (.foreign(.tls), "mqtt://a", "mqtts://"),
            (.foreign(.http), "mqtt://a", "WebSocket"), (.closedUnanswered("x"), "mqtt://a", "mqtts:// in --broker"),
            (.closedUnanswered("x"), "mqtts://a", "mqtt:// in --broker"),
            (.refused(.notAuthorized), "mqtt://a", "--username"),
            (.refused(.banned), "mqtt://a", "administrator"),
            (.closedByBroker(code: 0x8E, reason: ""), "mqtt://a", "other client"),
            (.cannotConnect(host: "h", port: 1, reason: "the host name is unknown"), "mqtt://h", "getent hosts h"),
            (.cannotConnect(host: "h", port: 1, reason: "Connection refused"), "mqtt://h", "1883"),
        ] as [(MQTTError, String, String)]
    )
    func connections(error: MQTTError, url: String, words: String) {
        #expect(error.nextStep(.options, of: url).contains(words))
        let configured = error.nextStep(.configuration, of: url)
        #expect(!configured.contains("--broker") && !configured.contains("--ca-file"))
    }

    @Test(
        "Shells complete the files of options, and names where they are known",
        arguments: [
            ("obd-agent", ["-o", "--output", "--config", "--ca-file"]),
            ("obd-remote", ["--csv", "--ca-file", "--key-file", "--password-file", "--signing-key"]),
        ]
    )
    func completions(program: String, options: [String]) async throws {
        let bash = try await Program(builtHere: program).run(["--generate-completion-script", "bash"])
        for option in options {
            // The branch of an option calls the function that completes files.
            let index = try #require(bash.firstIndex { $0.contains("'\(option)'") && $0.hasSuffix(")") })
            let branch = bash[index...].prefix { !$0.contains(";;") && !$0.contains("return") }
            #expect(branch.contains { $0.contains("_add_completions -f") }, "\(option): \(branch)")
        }
    }

    @Test("A shell asks the program for the names of parameters", arguments: ["obd-agent", "obd-remote"])
    func parameters(program: String) async throws {
        let words = ["---completion", "read", "--", "positional@0", "1", "0", program, "read", ""]
        let names = try await Program(builtHere: program).run(words)
        #expect(names.contains("engine_speed"))
    }
}
