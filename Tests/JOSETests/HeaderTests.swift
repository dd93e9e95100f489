// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE
import TestSupport
import Testing

/// Headers with a valid signature by another program, so each refusal is due to the content of the header.
@Suite("Headers")
struct HeaderTests {
    private struct Forgery {
        var way = "raw"
        var secret: [UInt8] = []
        var header: String
        var refusal: JWSError?
    }

    private static func forgeries(_ key: JSONWebKey) -> [Forgery] {
        let jwk = key.publicKey.json.text
        var forgeries: [Forgery] = [
            .init(header: #"{"alg":"ES256","kid":"alice"}"#),
            .init(header: #" { "kid" : "\u0061lice", "alg" : "\u0045S256", "iat": 1, "x": {"y": [1]} } "#),
            .init(way: "der", header: #"{"alg":"ES256","kid":"alice"}"#, refusal: .signature),
            .init(header: #"{"alg":"ES256"}"#, refusal: .missingKeyID),
            .init(header: #"{"alg":"ES256","kid":""}"#, refusal: .unknownKey("")),
            .init(header: #"{"alg":"ES256","kid":"Alice"}"#, refusal: .unknownKey("Alice")),
            .init(header: #"{"alg":"ES256","kid":"alice "}"#, refusal: .unknownKey("alice ")),
            .init(header: #"{"kid":"alice"}"#, refusal: .algorithm(nil)),
            .init(header: #"{"Alg":"ES256","kid":"alice"}"#, refusal: .algorithm(nil)),
            .init(header: "{}", refusal: .algorithm(nil)),
            .init(
                header: #"{"alg":"none","alg":"ES256","kid":"alice"}"#,
                refusal: .header(.repeatedKey("alg"))
            ),
            .init(header: #"{"alg":"ES256","kid":"bob","kid":"alice"}"#, refusal: .header(.repeatedKey("kid"))),
            .init(header: #"{"alg":"ES256","kid":"bob","\u006bid":"alice"}"#, refusal: .header(.repeatedKey("kid"))),
            .init(
                header: #"{"alg":"ES256","kid":"alice"}{}"#,
                refusal: .header(.notJSON(line: 1, column: 30, expected: "the end of the text", found: #""{""#))
            ),
            .init(
                header: #"{"alg":"ES256","kid":"alice",}"#,
                refusal: .header(.notJSON(line: 1, column: 30, expected: "a key in quotation marks", found: #""}""#))
            ),
        ]
        for (member, found) in [("alg", "null"), ("kid", "null"), ("typ", "null")] {
            let header = JSON.object(["alg": "ES256", "kid": "alice"]).with(member, nil).text.dropLast()
            let refusal = JWSError.kind(member, expected: "a string", found: found)
            forgeries.append(.init(header: "\(header),\"\(member)\":null}", refusal: refusal))
        }
        for name in [
            "none", "None", "NONE", "nOnE", "", " none", "HS256", "HS384", "HS512", "RS256", "PS256", "ES384", "ES512",
            "ES256K", "EdDSA", "es256", "ES256 ", "ES256\u{0}",
        ] {
            let header = JSON.object(["alg": .string(name), "kid": "alice"]).text
            forgeries.append(.init(header: header, refusal: .algorithm(name)))
            // An HMAC with the public key as its secret is refused by its algorithm.
            for secret in [jwk, key.thumbprint, "alice", ""] {
                forgeries.append(
                    .init(way: "hmac", secret: Array(secret.utf8), header: header, refusal: .algorithm(name))
                )
            }
        }
        for (name, value) in [
            ("crit", #"["exp"]"#), ("crit", "[]"), ("crit", #""alg""#), ("crit", "null"), ("jwk", jwk), ("jwk", "null"),
            ("jku", #""https://example.org/keys""#), ("x5u", #""https://example.org/key""#), ("x5c", "[]"),
            ("x5t", #""""#),
            ("x5t#S256", #""""#), ("b64", "false"), ("b64", "true"),
        ] {
            let header = #"{"alg":"ES256","kid":"alice","\#(name)":\#(value)}"#
            forgeries.append(.init(header: header, refusal: .refusedMember(name)))
        }
        return forgeries
    }

    @Test("A valid signature is still refused with another algorithm, an embedded key or a critical member")
    func headers() async throws {
        let signer = try Signer("alice")
        let forgeries = Self.forgeries(signer.key)
        let directory = try TemporaryDirectory()
        let key = try directory.write(signer.key.json.text, to: "key")
        let lines = forgeries.map { "\($0.way) \(hex($0.secret)) \(hex($0.header.utf8)) \(hex("{}".utf8))\n" }
        let tokens = try await envelopes("forge", key, directory.write(lines.joined(), to: "lines"))
        try #require(tokens.count == forgeries.count)
        for (token, forgery) in zip(tokens, forgeries) {
            #expect(signer.refusal(token) == forgery.refusal, "\(forgery.way) \(forgery.header)")
        }
    }

    @Test("A key embedded in the message is not used, even if its kid is trusted")
    func keyInside() throws {
        let alice = try Signer("alice")
        let mallory = try Signer("alice")
        let header = JSON.object(["alg": "ES256", "kid": "alice", "jwk": mallory.key.publicKey.json]).text
        let theirs = try mallory.sign("{}").split(separator: ".").map { Base64URL.decode($0.utf8) ?? [] }
        #expect(alice.refusal(compact(Array(header.utf8), theirs[1], theirs[2])) == .refusedMember("jwk"))
        #expect(alice.refusal(compact(theirs[0], theirs[1], theirs[2])) == .signature)
    }

    @Test("A character that libcjose cannot read is refused, not mistaken for another")
    func nul() async throws {
        let signer = try Signer("alice")
        let directory = try TemporaryDirectory()
        let key = try directory.write(signer.key.json.text, to: "key")
        let header = #"{"alg":"ES256","kid":"alice","cty":"\u0000"}"#
        let lines = try directory.write("raw  \(hex(header.utf8)) \(hex("{}".utf8))\n", to: "lines")
        let token = try #require(try await envelopes("forge", key, lines).first)
        guard case .library? = signer.refusal(token) else { return #expect(Bool(false), "\(token)") }
    }

    @Test("Every error text is one printable line, whatever the message contains")
    func descriptions() throws {
        let refusals: [JWSError] = [
            .tooLarge(limit: 1), .notCompact(parts: 1), .empty(.payload), .notBase64URL(.header),
            .header(.repeatedKey("a")), .kind("", expected: "an object", found: "null"),
            .kind("alg", expected: "a string", found: "null"), .refusedMember("crit"), .algorithm(nil),
            .algorithm("\n\u{1B}[2J"), .missingKeyID, .unknownKey(String(repeating: "\n", count: 1000)), .signature,
            .publicKey, .library("x"),
        ]
        for refusal in refusals {
            #expect(refusal.description.utf8.count < 300)
            #expect(refusal.description.utf8.allSatisfy { $0 >= 0x20 })
        }
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }
}
