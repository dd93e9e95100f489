// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import JOSE

extension ObdRemote {
    /// Makes a key pair that signs commands.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key",
            abstract: "Makes a key pair that signs commands.",
            discussion: """
                Writes the private key to a new file that only you can read. Prints the public key, in the form for \
                the "keys" of the file that the agent's [commands] trusted_keys names.

                Example:
                  obd-remote key anna.jwk --name anna-2026 --issuer anna@garage.example
                """
        )

        /// The role of a key, which limits its commands.
        enum Role: String, CaseIterable, ExpressibleByArgument {
            case observer, specialist, engineer
        }

        @Argument(help: "The file of the private key. It must not exist yet.", completion: .file())
        var file: String

        @Option(name: .long, help: "The key's name (default: its fingerprint).")
        var name: String?

        @Option(name: .long, help: "The owner, as responses name it (default: the key's name).")
        var issuer: String?

        @Option(name: .long, help: "The role of the key, which limits its commands.")
        var role = Role.specialist

        func validate() throws {
            guard OutputFile.isFile(self.file) else {
                throw ValidationError("a private key is written to a file only. Try: the name of a new file")
            }
        }

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
            do {
                try StandardOutput.check()
            } catch {
                // Without its public half a key is of no use, and its file would be in the way of the next attempt.
                TextFile.remove(self.file)
                throw error
            }
        }
    }
}
