// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CCjose
import JOSE
import TestSupport
import Testing

@Suite("Signed messages")
struct CompactJWSTests {
    @Test(
        "A signed message is verified, and yields the payload, the header and the key with its members",
        arguments: [1, 2, 3, 999]
    )
    func roundTrip(count: Int) throws {
        var numbers = SeededNumbers(UInt64(count))
        let signer = try Signer("Elise's key", members: ["roles": ["specialist"]])
        for _ in 0..<100 {
            let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let text = try CompactJWS.sign(payload, with: signer.key, type: "command")
            #expect(CompactJWS.isLikely(Array(text.utf8)))
            let message = try CompactJWS(parsing: Array(text.utf8))
            #expect(message.unverifiedPayload == payload)
            let verified = try message.verify(with: signer.trusted)
            #expect(verified.payload == payload)
            #expect(verified.key == signer.trusted.keys[0])
            #expect(verified.key.members["roles"] == ["specialist"])
            #expect(verified.header.members == ["alg": "ES256", "kid": "Elise's key", "typ": "command"])
            #expect(verified.header.type == "command")
        }
    }

    @Test("The vector of RFC 7515 appendix A.3 is verified, and with another payload it is not")
    func vector() throws {
        let key = try JSONWebKey(
            parsing: Array(
                """
                {"kty":"EC","crv":"P-256",
                 "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                 "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
                 "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
                """.utf8
            )
        )
        let header = "eyJhbGciOiJFUzI1NiJ9"
        let payload = """
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        let signature = """
            DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
            """
        let message = try CompactJWS(parsing: Array("\(header).\(payload).\(signature)".utf8))
        let verified = try message.verify(with: key.publicKey)
        let text = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        #expect(String(decoding: verified.payload, as: UTF8.self) == text)
        // The message has no kid, so a set refuses it, even a set with this key only.
        let trusted = try keySet([key.publicKey.json.with("kid", "joe")])
        #expect(throws: JWSError.missingKeyID) { try message.verify(with: trusted) }
        let other = try CompactJWS(parsing: Array("\(header).e30.\(signature)".utf8))
        #expect(throws: JWSError.signature) { try other.verify(with: key) }
    }

    @Test("The first byte distinguishes a signed message from JSON")
    func first() throws {
        for json in ["{}", "{\"a\":1}", " {}", "[]", "1", "-1", "true", "false", "null", "\"e\"", "\n{}", ""] {
            #expect(!CompactJWS.isLikely(Array(json.utf8)), "\(json)")
        }
        // Any byte may follow the brace of a header.
        for byte in UInt8.min...UInt8.max {
            #expect(CompactJWS.isLikely(Array(Base64URL.encode([UInt8(ascii: "{"), byte]).utf8)))
        }
    }

    @Test("Signing without a private key, a kid or a payload, or over the limit, fails")
    func unsignable() throws {
        let signer = try Signer()
        #expect(throws: JWSError.publicKey) { try CompactJWS.sign([1], with: signer.key.publicKey) }
        #expect(throws: JWSError.empty(.payload)) { try CompactJWS.sign([], with: signer.key) }
        let limit = CompactJWS.sizeLimit
        for count in [limit - limit / 4, limit, limit + 1] {
            let payload = [UInt8](repeating: 0, count: count)
            #expect(throws: JWSError.tooLarge(limit: limit)) { try CompactJWS.sign(payload, with: signer.key) }
        }
        let nameless = try JSONWebKey(parsing: Array(signer.key.json.with("kid", nil).text.utf8))
        #expect(throws: JWSError.missingKeyID) { try CompactJWS.sign([1], with: nameless) }
    }

    @Test("A message of exactly the limit is verified, and a longer one is refused")
    func limit() throws {
        let signer = try Signer()
        let overhead = try signer.sign("x").utf8.count - 2
        let room = (CompactJWS.sizeLimit - overhead) * 3 / 4
        let text = try CompactJWS.sign([UInt8](repeating: 0, count: room), with: signer.key)
        #expect(text.utf8.count <= CompactJWS.sizeLimit && text.utf8.count > CompactJWS.sizeLimit - 4)
        #expect(try signer.read(text).payload.count == room)
        let longer = Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "A"), count: 4)
        #expect(signer.refusal(longer) == .tooLarge(limit: CompactJWS.sizeLimit))
    }

    @Test("No error is left in OpenSSL's queue, where TLS in the same thread would report it")
    func errorQueue() throws {
        let signer = try Signer()
        let text = Array(try signer.sign("{}").utf8)
        ERR_clear_error()
        for index in [text.count - 3, text.count - 60] {
            var damaged = text
            damaged[index] = damaged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(signer.refusal(damaged) == .signature)
            #expect(ERR_peek_error() == 0)
        }
        // OpenSSL reports an error for numbers out of range.
        let parts = text.split(separator: UInt8(ascii: ".")).map { Base64URL.decode($0) ?? [] }
        #expect(signer.refusal(compact(parts[0], parts[1], [UInt8](repeating: 0xFF, count: 64))) == .signature)
        #expect(ERR_peek_error() == 0)
        let wrong = signer.key.publicKey.json.with("x", .string(Base64URL.encode([UInt8](repeating: 1, count: 32))))
        #expect(throws: JWKError.self) { try keySet([wrong]) }
        #expect(ERR_peek_error() == 0)
    }
}

extension JSON {
    /// Returns the object with a member replaced, or removed if `value` is `nil`.
    func with(_ name: String, _ value: JSON?) -> JSON {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}
