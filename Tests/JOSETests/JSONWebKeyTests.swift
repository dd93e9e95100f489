// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE
import Testing

@Suite("Keys")
struct JSONWebKeyTests {
    @Test("400 new keys and their public halves are written and read back unchanged")
    func roundTrip() throws {
        // On average, a coordinate or the private number of every 85th key starts with a zero byte.
        for number in 0..<400 {
            let key = try JSONWebKey.generate(members: ["roles": ["specialist"], "comment": .string("\(number)")])
            #expect(key.isPrivate)
            #expect(key.keyID == key.thumbprint)
            #expect(try JSONWebKey(parsing: Array(key.json.text.utf8)) == key)
            let half = key.publicKey
            #expect(!half.isPrivate)
            #expect(try JSONWebKey(parsing: Array(half.json.text.utf8)) == half)
            #expect(half.thumbprint == key.thumbprint)
            #expect(half.members == key.members)
            guard case .object(let members) = half.json else { continue }
            #expect(Set(members.keys) == ["kty", "crv", "x", "y", "kid", "roles", "comment"])
        }
    }

    @Test("The public half of a key does not keep key_ops")
    func operations() throws {
        let key = try JSONWebKey.generate()
        let signing = key.json.with("key_ops", ["sign"]).with("use", "sig").with("alg", "ES256")
        let read = try JSONWebKey(parsing: Array(signing.text.utf8))
        #expect(read.json == signing)
        #expect(read.publicKey.members == ["use": "sig", "alg": "ES256"])
    }

    /// Changes to a valid private key, each with the place and the reason of the error.
    private static let faults: [(name: String, value: JSON?, place: String, reason: JWKError.Reason)] = [
        ("kty", nil, "kty", .missing), ("crv", nil, "crv", .missing), ("x", nil, "x", .missing),
        ("y", nil, "y", .missing),
        ("kty", "RSA", "kty", .value(expected: "EC", found: "RSA")),
        ("kty", "oct", "kty", .value(expected: "EC", found: "oct")),
        ("kty", "OKP", "kty", .value(expected: "EC", found: "OKP")),
        ("kty", 1, "kty", .kind(expected: "a string", found: "a number")),
        ("crv", "P-384", "crv", .value(expected: "P-256", found: "P-384")),
        ("crv", "secp256k1", "crv", .value(expected: "P-256", found: "secp256k1")),
        ("crv", "p-256", "crv", .value(expected: "P-256", found: "p-256")),
        ("kid", "", "kid", .identifier(limit: 128)), ("kid", "a\nb", "kid", .identifier(limit: 128)),
        ("kid", "a\u{0}b", "kid", .identifier(limit: 128)), ("kid", "a\u{202E}b", "kid", .identifier(limit: 128)),
        ("kid", .string(String(repeating: "a", count: 129)), "kid", .identifier(limit: 128)),
        ("kid", 7, "kid", .kind(expected: "a string", found: "a number")),
        ("use", "enc", "use", .value(expected: "sig", found: "enc")),
        ("use", nil, "", .missing), ("alg", "ES384", "alg", .value(expected: "ES256", found: "ES384")),
        ("alg", ["ES256"], "alg", .kind(expected: "a string", found: "an array")),
        ("key_ops", "sign", "key_ops", .kind(expected: "an array", found: "a string")),
        ("key_ops", ["verify"], "key_ops", .value(expected: "sign", found: #"["verify"]"#)),
        ("x", "AA", "x", .length(1)), ("y", "", "y", .length(0)), ("d", "AAAA", "d", .length(3)),
        ("x", "AAA=", "x", .notBase64URL), ("y", " ", "y", .notBase64URL), ("d", "+", "d", .notBase64URL),
        ("x", nil, "x", .missing), ("d", nil, "", .missing),
        ("d", .null, "d", .kind(expected: "a string", found: "null")),
        ("x", number(0), "x", .notOnCurve), ("y", number(0xFF), "x", .notOnCurve),
        ("x", number(0xFF), "x", .notOnCurve),
        ("d", number(0), "d", .notAPair), ("d", number(0xFF), "d", .notAPair), ("d", number(1), "d", .notAPair),
    ]

    private static func number(_ byte: UInt8) -> JSON {
        .string(Base64URL.encode([UInt8](repeating: byte, count: 32)))
    }

    @Test("An error names the wrong member of a key")
    func faults() throws {
        let key = try JSONWebKey.generate(keyID: "alice").json
        for fault in Self.faults {
            let json = key.with(fault.name, fault.value)
            do throws(JWKError) {
                let read = try JSONWebKey(parsing: Array(json.text.utf8))
                // This member is optional.
                #expect(fault.place == "", "\(fault.name) \(read.json)")
            } catch {
                #expect(error.place == fault.place, "\(json)")
                #expect(error.reason == fault.reason, "\(json)")
                #expect(error.description.utf8.allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test("A private number of at least the curve's order is refused, even if it gives the right point")
    func order() throws {
        // 1 and one more than the order are the same number to the curve; this is its base point (SEC 2 section 2.4.2).
        let key = JSON.object([
            "kty": "EC", "crv": "P-256", "kid": "one",
            "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY", "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
        ])
        let one = Base64URL.encode([UInt8](repeating: 0, count: 31) + [1])
        #expect(try JSONWebKey(parsing: Array(key.with("d", .string(one)).text.utf8)).isPrivate)
        let more = "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVI"
        let error = #expect(throws: JWKError.self) {
            try JSONWebKey(parsing: Array(key.with("d", .string(more)).text.utf8))
        }
        #expect(error?.reason == .notAPair)
    }

    @Test("JSON that is no object is refused")
    func noObject() {
        for (text, reason) in [
            (
                "",
                JWKError.Reason.notJSON(
                    .notJSON(line: 1, column: 1, expected: "a value", found: "the end of the text")
                )
            ),
            ("[]", .kind(expected: "an object", found: "an array")),
            ("{\"kty\":\"EC\",\"kty\":\"EC\"}", .notJSON(.repeatedKey("kty"))),
            (String(repeating: " ", count: JSONWebKey.sizeLimit + 1), .tooLarge(limit: JSONWebKey.sizeLimit)),
        ] {
            let error = #expect(throws: JWKError.self) { try JSONWebKey(parsing: Array(text.utf8)) }
            #expect(error?.reason == reason)
            #expect(error?.place == "")
        }
        let error = #expect(throws: JWKError.self) { try JSONWebKey.generate(keyID: "a\nb") }
        #expect(error?.description == "kid: it is not 1 to 128 characters of printable ASCII")
    }
}
