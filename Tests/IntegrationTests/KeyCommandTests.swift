// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Keys of obd-remote")
struct KeyCommandTests {
    private static func run(_ arguments: [String]) async throws -> RemoteProgram.Run {
        try await RemoteProgram(options: []).run("key", arguments)
    }

    @Test("A second run prints the same public half again, and keeps the key")
    func again() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/anna.jwk"
        let options = [file, "--name", "anna-2026", "--issuer", "anna@garage.example", "--role", "engineer"]
        let first = try await Self.run(options)
        #expect(first.status == .exited(0) && first.output.count == 1 && first.notes.isEmpty)
        #expect(!first.output[0].contains(#""d""#) && first.output[0].contains(#""roles":["engineer"]"#))
        let key = TextFile.read(file)
        // Also with nothing but the name of the file.
        for arguments in [options, [file]] {
            let again = try await Self.run(arguments)
            #expect(again.status == .exited(0) && again.output == first.output)
            #expect(again.notes.count == 1 && again.notes[0].contains("has a key already, which is kept"))
        }
        #expect(key != nil && TextFile.read(file) == key)
    }

    @Test("Neither another key nor another file is overwritten")
    func kept() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/anna.jwk"
        _ = try await Self.run([file, "--name", "anna"])
        let key = TextFile.read(file)
        for arguments in [[file, "--name", "bert"], [file, "--issuer", "bert@garage.example"]] {
            let other = try await Self.run(arguments)
            #expect(other.status == .exited(73) && other.output.isEmpty)
            #expect(other.notes.contains { $0.contains("never overwritten") && $0.contains("not bert") })
            #expect(other.notes.contains { $0.hasPrefix("Try: ") })
        }
        #expect(TextFile.read(file) == key)
        let text = try directory.write("no key", to: "text")
        #expect(unsafe chmod(text, 0o600) == 0)
        let strange = try await Self.run([text])
        #expect(strange.status == .exited(73) && strange.output.isEmpty && TextFile.read(text) == "no key")
        #expect(strange.notes.contains { $0.contains("exists already") && $0.contains("never overwritten") })
    }
}
