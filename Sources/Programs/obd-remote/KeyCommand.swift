// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import JOSE

extension ObdRemote {
    /// Makes a key pair that signs commands, or prints the public half of one that exists.
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key",
            abstract: "Makes a key pair that signs commands, and prints its public half.",
            discussion: """
                Writes the private half to a new file that only you can read. Prints the public half, in the form for \
                the "keys" of the file that the agent's [commands] trusted_keys names. If the file has a key already, \
                the key stays as it is, and only its public half is printed.

                Example:
                  obd-remote key anna.jwk --name anna-2026 --issuer anna@garage.example
                """
        )

        /// The role of a key, which limits its commands.
        enum Role: String, CaseIterable, ExpressibleByArgument {
            case observer, specialist, engineer
        }

        @Argument(help: "The file of the private half. It is never overwritten.", completion: .file())
        var file: String

        @Option(name: .long, help: "The key's name (default: its fingerprint).")
        var name: String?

        @Option(name: .long, help: "The owner, as responses name it (default: the key's name).")
        var issuer: String?

        @Option(name: .long, help: "The role of the key, which limits its commands (default: specialist).")
        var role: Role?

        func validate() throws {
            guard OutputFile.isFile(self.file) else {
                throw ValidationError("a private key is written to a file only. Try: the name of a new file")
            }
        }

        func run() throws {
            if TextFile.isRegular(self.file) {
                let key = try self.presentKey()
                Output.note("\(self.file) has a key already, which is kept. This is its public half:")
                try self.printPublicHalf(of: key)
                return
            }
            let key = try self.newKey()
            try KeyFile.write(key, to: self.file)
            do {
                try self.printPublicHalf(of: key)
            } catch {
                // Nobody has seen this key yet.
                TextFile.remove(self.file)
                throw error
            }
        }

        private func newKey() throws -> JSONWebKey {
            var members: [String: JSON] = ["roles": [.string((self.role ?? .specialist).rawValue)]]
            members["iss"] = self.issuer.map { .string($0) }
            do {
                return try JSONWebKey.generate(keyID: self.name, members: members)
            } catch {
                throw CommandFailure(.usage, "--name: \(error)")
            }
        }

        /// Returns the key that the file has.
        private func presentKey() throws -> JSONWebKey {
            let problem = "\(self.file) exists already, and is never overwritten"
            let key: JSONWebKey
            do {
                key = try KeyFile.read(self.file)
            } catch let failure as CommandFailure {
                let lines = failure.description.split(separator: "\n").map(String.init)
                throw CommandFailure(.cannotCreate, lines: [problem] + lines, next: "another file.")
            }
            for (option, wanted, present) in [
                ("name", self.name, key.keyID), ("issuer", self.issuer, key.members["iss"]?.string),
            ] {
                guard let wanted, wanted != present else { continue }
                throw CommandFailure(
                    .cannotCreate,
                    "\(problem): its key has \(present.map { "the \(option) \($0)" } ?? "no \(option)"), not \(wanted)",
                    next: "another file, for a new key; or without --\(option), for the public half of this one."
                )
            }
            return key
        }

        private func printPublicHalf(of key: JSONWebKey) throws {
            guard case .object(var members) = key.publicKey.json else { return }
            if let role = self.role { members["roles"] = [.string(role.rawValue)] }
            // A key of an earlier version has no role in its file.
            members["roles"] = members["roles"] ?? [.string(Role.specialist.rawValue)]
            Console.printJSON(JSON.object(members).text)
            try StandardOutput.check()
        }
    }
}
