// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE
import Testing

@Suite("Key sets")
struct JSONWebKeySetTests {
    private static func key(_ name: String) throws -> JSON {
        try JSONWebKey.generate(keyID: name, members: ["roles": ["specialist"]]).publicKey.json
    }

    private static func refusal(_ text: String) throws -> String? {
        do throws(JWKError) { _ = try JSONWebKeySet(parsing: Array(text.utf8)) } catch { return error.description }
        return nil
    }

    private static func refusal(_ keys: [JSON]) throws -> String? {
        try self.refusal(JSON.object(["keys": .array(keys)]).text)
    }

    @Test("A set has its keys in order, each under its kid, with its other members")
    func reads() throws {
        let set = try keySet([Self.key("alice"), Self.key("Bob"), Self.key("eve"), Self.key("Eve")])
        #expect(set.keys.map(\.keyID) == ["alice", "Bob", "eve", "Eve"])
        #expect(set.key("Bob") == set.keys[1])
        #expect(set.key("bob") == nil)
        #expect(set.key("") == nil)
        // Identifiers are compared byte by byte (RFC 7515 section 5.3).
        #expect(set.key("eve") == set.keys[2])
        #expect(set.key("Eve") == set.keys[3])
        #expect(set.keys[0].members == ["roles": ["specialist"]])
        #expect(try keySet([]).keys.isEmpty)
        #expect(try JSONWebKeySet(parsing: Array(#"{"keys":[],"version":3}"#.utf8)).keys.isEmpty)
    }

    @Test("An error names the key and the member that are wrong")
    func faults() throws {
        let alice = try Self.key("alice")
        let bob = try Self.key("bob")
        let secret = try JSONWebKey.generate(keyID: "carol").json
        let advice = "a set of trusted keys must not have a private key. Try: remove d, and create a new key"
        #expect(try Self.refusal([alice, bob]) == nil)
        #expect(try Self.refusal([alice, secret]) == #"keys[1].d of the key "carol": \#(advice)"#)
        #expect(try Self.refusal([secret.with("kty", "RSA")]) == #"keys[0].d of the key "carol": \#(advice)"#)
        #expect(
            try Self.refusal([alice.with("d", nil).with("d", .null)]) == #"keys[0].d of the key "alice": \#(advice)"#
        )
        #expect(try Self.refusal([alice.with("kid", nil)]) == "keys[0].kid: it is missing")
        #expect(
            try Self.refusal([alice, bob, alice])
                == #"keys[2].kid of the key "alice": another key has the same identifier. Try: remove one of the two"#
        )
        #expect(
            try Self.refusal([alice, bob.with("crv", "P-384")])
                == #"keys[1].crv of the key "bob": "P-384" is not supported. Try: "P-256""#
        )
        #expect(
            try Self.refusal([bob.with("key_ops", ["sign"])])
                == #"keys[0].key_ops of the key "bob": "[\"sign\"]" is not supported. Try: "verify""#
        )
        #expect(
            try Self.refusal([bob.with("x", .string(Base64URL.encode([UInt8](repeating: 5, count: 32))))])
                == #"""
                keys[0].x of the key "bob": x and y are not a point of the curve P-256. \#
                Try: create the key with "obd-remote key"
                """#
        )
        let symmetric: JSON = ["kty": "oct", "kid": "dave", "k": "AAAA", "alg": "HS256"]
        #expect(try Self.refusal([symmetric]) == #"keys[0].kty of the key "dave": "oct" is not supported. Try: "EC""#)
        #expect(try Self.refusal(["alice"]) == "keys[0]: expected an object, found a string")
        #expect(try Self.refusal([alice, .null]) == "keys[1]: expected an object, found null")
    }

    @Test(
        "JSON that is no key set is refused",
        arguments: [
            ("", "invalid JSON at line 1, column 1: expected a value, found the end of the text"),
            ("[]", "expected an object, found an array"),
            ("{}", "keys: it is missing"), (#"{"keys":{}}"#, "keys: expected an array, found an object"),
            (#"{"keys":[],"keys":[]}"#, #"the key "keys" appears twice in one object"#),
            (#"{"keys":[}"#, #"invalid JSON at line 1, column 10: expected a value, found "}""#),
        ]
    )
    func noSet(text: String, refusal: String) throws {
        #expect(try Self.refusal(text) == refusal)
    }

    @Test("256 keys in 256 KiB are read; one more key or one more byte is refused")
    func limits() throws {
        let key = try Self.key("x")
        let keys = (0..<256).map { key.with("kid", .string("key \($0)")) }
        #expect(try keySet(keys).keys.count == 256)
        #expect(try Self.refusal(keys + [key]) == "keys: there are more than 256 keys")
        let text = JSON.object(["keys": .array(keys)]).text
        let room = JSONWebKeySet.sizeLimit - text.utf8.count
        #expect(try Self.refusal(text + String(repeating: " ", count: room)) == nil)
        #expect(try Self.refusal(text + String(repeating: " ", count: room + 1)) == "it is longer than 262144 bytes")
    }
}
