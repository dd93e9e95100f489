// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE
import TestSupport
import Testing

/// Signing and verifying in both directions with joserfc, which shares no code with libcjose.
@Suite("Interoperability")
struct InteroperabilityTests {
    @Test("joserfc verifies our messages, and refuses those signed by another key")
    func ours() async throws {
        var numbers = SeededNumbers(3)
        let keys = try (0..<4).map { try JSONWebKey.generate(keyID: "ours-\($0)") }
        let directory = try TemporaryDirectory()
        let set = try directory.write(
            JSON.object(["keys": .array(keys.map { $0.publicKey.json })]).text,
            to: "keys"
        )
        var tokens: [String] = []
        var expected: [String] = []
        // On average, a number of every 128th signature starts with a zero byte.
        for number in 0..<300 {
            let payload = (0...Int.random(in: 0...999, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            let token = try CompactJWS.sign(payload, with: keys[number % 4], type: "command")
            tokens.append(token)
            expected.append(hex(payload))
            if number % 10 == 0 {
                // The same message, signed by another key with the same kid.
                let other = try JSONWebKey.generate(keyID: keys[number % 4].keyID)
                tokens.append(try CompactJWS.sign(payload, with: other))
                expected.append("refused")
            }
        }
        let theirs = try await envelopes("verify", set, directory.write(tokens.joined(separator: "\n"), to: "tokens"))
        #expect(theirs == expected)
        #expect(try await envelopes("thumbprints", set) == keys.map(\.thumbprint))
    }

    @Test("Messages signed by joserfc are verified, and altered ones are refused")
    func theirs() async throws {
        let lines = try await envelopes("make", "200")
        let set = try JSONWebKeySet(parsing: Array(try #require(lines.first).utf8))
        let others = try keySet(set.keys.map { try JSONWebKey.generate(keyID: $0.keyID).publicKey.json })
        #expect(set.keys.count == 4)
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ")
            let message = try CompactJWS(parsing: Array(parts[0].utf8))
            let verified = try message.verify(with: set)
            #expect(hex(verified.payload) == parts[1])
            #expect(verified.header.type == "test")
            #expect(throws: JWSError.signature) { try message.verify(with: others) }
        }
        #expect(lines.count == 201)
    }
}
