// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine

@main
struct ObdRemote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "obd-remote",
        abstract: "Watches vehicles and sends them commands over an MQTT broker.",
        discussion: """
            Only the broker's address is required: --broker, or OBD_AGENT_BROKER. Other options have environment \
            variables too: OBD_AGENT_USERNAME, OBD_AGENT_PASSWORD_FILE, OBD_AGENT_CA_FILE, \
            OBD_AGENT_CERTIFICATE_FILE, OBD_AGENT_KEY_FILE, OBD_AGENT_PREFIX, OBD_AGENT_VEHICLE, \
            OBD_AGENT_SIGNING_KEY. Only collect has a configuration file too: --config FILE.

            Examples:
              export OBD_AGENT_BROKER=mqtts://broker.example
              obd-remote list
              obd-remote watch --vehicle ZZZSMVLATR4700893
              obd-remote codes --vehicle ZZZSMVLATR4700893
              obd-remote clear --vehicle ZZZSMVLATR4700893 --signing-key anna.jwk

            Exit codes: 0 success, 2 refused by the vehicle's agent, 3 failed in the vehicle, 4 not confirmed, 64 wrong \
            usage, 69 the broker does not answer, 73 a file cannot be created, 74 a write failed, 75 no answer in time, \
            77 not permitted, 78 a key, password, certificate or configuration file is missing or wrong, or collect \
            cannot use its database.
            """,
        version: AgentVersion.current,
        subcommands: [
            List.self, Watch.self, Codes.self, Clear.self, Read.self, Select.self, Boost.self, Capture.self,
            Captures.self, Wake.self, Monitors.self, Vehicle.self, Detect.self, Describe.self, Test.self, Raw.self,
            Finding.self, Forget.self, Record.self, Collect.self, Key.self,
        ]
    )

    static func main() async { await Self.runProgram() }
}
