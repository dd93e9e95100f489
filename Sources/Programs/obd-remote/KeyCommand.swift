// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import ArgumentParser
import Contract
import JOSE

extension ObdRemote {
    /// Makes a key pair to sign with.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key",
            abstract: "Makes a key to sign commands with.",
            discussion: """
                Writes the private key to a new file that only you can read, and prints the public one, as it belongs \
                among the "keys" of the file that [commands] trusted_keys of the agent names.

                Example:
                  obd-remote key anna.jwk --name anna-2026 --issuer anna@garage.example
                """
        )

        /// What the owner of a key may do.
        enum Role: String, CaseIterable, ExpressibleByArgument {
            case observer, specialist, engineer
        }

        @Argument(help: "The file of the private key; it must not be there yet.")
        var file: String

        @Option(name: .long, help: "What the key is called; without it, by its own fingerprint.")
        var name: String?

        @Option(name: .long, help: "Whose it is, as it stands in the responses; without it, the key's name.")
        var issuer: String?

        @Option(name: .long, help: "What it may do: observer, specialist or engineer.")
        var role = Role.specialist

        func run() throws {
            let key: JSONWebKey
            do {
                key = try JSONWebKey.generate(
                    keyID: self.name,
                    members: self.issuer.map { ["iss": .string($0)] } ?? [:]
                )
            } catch {
                throw CommandFailure(.usage, "--name: \(error)")
            }
            try KeyFile.write(key, to: self.file)
            guard case .object(var members) = key.publicKey.json else { return }
            members["roles"] = .array([.string(self.role.rawValue)])
            Console.printJSON(JSON.object(members).text)
        }
    }
}
