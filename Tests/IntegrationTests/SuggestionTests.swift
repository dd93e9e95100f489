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
            (.tls("tlsv13 alert certificate required"), "mqtts://a", "8884"),
            (.tls("certificate verify failed: self-signed certificate"), "mqtts://a", "authority"),
            (.tls("certificate verify failed: self-signed certificate in certificate chain"), "mqtts://a", "--ca-file"),
            (.tls("certificate verify failed: IP address mismatch"), "mqtts://a", "subject alternative names"),
            (.tls("certificate verify failed: certificate is not yet valid"), "mqtts://a", "clock"),
            (.tls("wrong version number"), "mqtts://a", "8883"), (.foreign(.tls), "mqtt://a", "mqtts://"),
            (.foreign(.http), "mqtt://a", "WebSocket"), (.closedUnanswered("x"), "mqtt://a", "mqtts:// in --broker"),
            (.closedUnanswered("x"), "mqtts://a", "mqtt:// in --broker"),
            (.refused(.notAuthorized), "mqtt://a", "--username"),
            (.refused(.banned), "mqtt://a", "administrator"),
            (.closedByBroker(code: 0x8E, reason: ""), "mqtt://a", "other client"),
            (.cannotConnect(host: "h", port: 1, .unknownHost), "mqtt://h", "getent hosts h"),
            (.cannotConnect(host: "h", port: 1, .refused), "mqtt://h", "1883"),
            (.cannotConnect(host: "h", port: 1, .silentPort), "mqtt://h", "exactly if the port has TLS"),
            (.cannotConnect(host: "h", port: 1, .unreachable), "mqtt://h", "network"),
            (.cannotConnect(host: "h", port: 1, .noAnswer), "mqtt://h", "firewall"),
        ] as [(MQTTError, String, String)]
    )
    func connections(error: MQTTError, url: String, words: String) {
        #expect(error.nextStep(.options([]), of: url).contains(words))
        let configured = error.nextStep(.configuration, of: url)
        #expect(!configured.contains("--broker") && !configured.contains("--ca-file"))
        // An agent has no port for users with a password.
        #expect(!configured.contains("8884"))
    }

    @Test("A setting has the name under which the user has given it: that of the option, or of the variable")
    func settings() {
        let variables = ["OBD_AGENT_CA_FILE": "/ca.pem", "OBD_AGENT_USERNAME": "anna", "OBD_AGENT_KEY_FILE": ""]
        func value(_ text: String?, _ option: String) -> OptionValue? {
            OptionValue(text, of: option) { variables[$0] }
        }
        let file = value(nil, "--ca-file")
        #expect(file?.text == "/ca.pem" && file?.name == "OBD_AGENT_CA_FILE")
        #expect(value("/own.pem", "--ca-file")?.name == "--ca-file")
        // An empty option hides the variable, and an empty variable is none.
        #expect(value("", "--ca-file") == nil && value(nil, "--key-file") == nil && value(nil, "--broker") == nil)
        let given = [file, value(nil, "--username"), value("/password", "--password-file")].compactMap(\.self)
        let unknown = MQTTError.tls("certificate verify failed: self-signed certificate").nextStep(
            .options(given),
            of: "a"
        )
        #expect(unknown.contains("in OBD_AGENT_CA_FILE") && !unknown.contains("--ca-file"))
        let refused = MQTTError.refused(.badCredentials).nextStep(.options(given), of: "a")
        #expect(refused.contains("OBD_AGENT_USERNAME and --password-file"))
        #expect(
            MQTTError.refused(.badCredentials).nextStep(.configuration, of: "a").contains(
                "[mqtt] username and password_file"
            )
        )
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
