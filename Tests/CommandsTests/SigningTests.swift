// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE
import TestSupport
import Testing

@testable import Commands

@Suite("Signed commands")
struct SigningTests {
    private static let issued = Timestamp(milliseconds: 1_795_255_200_000)

    /// Trusted keys with these keys.
    static func trusting(_ keys: JSONWebKey...) throws -> TrustedKeys {
        let set: JSON = ["keys": .array(keys.map(\.publicKey.json))]
        return try TrustedKeys(parsing: Array(set.text.utf8))
    }

    /// A signed command that expires after a minute.
    static func sign(
        with key: JSONWebKey,
        at time: Timestamp,
        _ id: String,
        _ command: String,
        _ arguments: JSON = [:],
        audience: JSON = ["van"],
        issuer: String? = nil,
        more: [String: JSON] = [:],
        type: String? = nil
    ) throws -> String {
        let seconds = time.milliseconds / 1000
        let claims: [String: JSON] = [
            "iss": .string(issuer ?? key.keyID ?? ""), "aud": audience, "jti": .string(id), "iat": .integer(seconds),
            "exp": .integer(seconds + 60), "command": .string(command), "arguments": arguments,
        ]
        return try CompactJWS.sign(Array(JSON.object(claims.merging(more) { $1 }).text.utf8), with: key, type: type)
    }

    private static func key(_ name: String = "ada", _ members: [String: JSON] = ["roles": ["specialist"]]) throws
        -> JSONWebKey
    {
        try JSONWebKey.generate(keyID: name, members: members)
    }

    private static func refusal(_ text: String, _ keys: TrustedKeys) -> Refusal? {
        do throws(Refusal) {
            _ = try CommandDecoder.decode(Array(text.utf8), keys: keys)
            return nil
        } catch {
            return error
        }
    }

    @Test("All parts of a signed command are read")
    func whole() throws {
        let key = try Self.key("2026-11", ["roles": ["observer", "specialist"], "iss": "ada@example.org"])
        let text = try Self.sign(
            with: key,
            at: Self.issued,
            "a-1",
            "clear_codes",
            ["confirm": "all"],
            audience: "van-12",
            issuer: "ada@example.org",
            more: ["exp": 1_795_255_260.5]
        )
        let command = try CommandDecoder.decode(Array(text.utf8), keys: try Self.trusting(key))
        #expect(command.id == "a-1" && command.action == .clearCodes(.all) && command.audience == ["van-12"])
        #expect(command.issuedAt == Self.issued && command.expiresAt - command.issuedAt == .milliseconds(60_500))
        #expect(command.signer == Signer(issuer: "ada@example.org", role: .specialist))
    }

    @Test("Any change of a signed command is detected: of a bit, of a part, before or after it")
    func mutations() throws {
        let key = try Self.key()
        let keys = try Self.trusting(key)
        let text = try Self.sign(with: key, at: Self.issued, "a-1", "clear_codes", ["confirm": "all"])
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: Refusal.self) { try CommandDecoder.decode(changed, keys: keys) }
            }
            #expect(throws: Refusal.self) { try CommandDecoder.decode(Array(bytes[..<index]), keys: keys) }
        }
        for changed in [text + "\n", " " + text, text + ".", text + "A", text + text] {
            #expect(throws: Refusal.self) { try CommandDecoder.decode(Array(changed.utf8), keys: keys) }
        }
    }

    @Test("A signature without a trusted key is refused, with the id of the message")
    func wrongSignatures() throws {
        let key = try Self.key()
        let keys = try Self.trusting(key)
        let parts = try Self.sign(with: key, at: Self.issued, "a-1", "describe").split(separator: ".").map(String.init)
        let other = try Self.sign(with: key, at: Self.issued, "a-2", "describe").split(separator: ".").map(String.init)
        let stranger = try Self.sign(with: Self.key("eve"), at: Self.issued, "a-1", "describe")
        let impostor = try Self.sign(with: Self.key("ada"), at: Self.issued, "a-1", "describe")
        // {"alg":"none"}
        let none = "eyJhbGciOiJub25lIn0.\(parts[1])"
        for text in [
            stranger, impostor, "\(parts[0]).\(parts[1]).\(other[2])", "\(other[0]).\(parts[1]).\(other[2])",
            "\(none).\(parts[2])",
        ] {
            let refusal = Self.refusal(text, keys)
            #expect(refusal?.reason == .badSignature && refusal?.id == "a-1" && refusal?.issuer == nil, "\(text)")
        }
        #expect(Self.refusal(parts.joined(separator: "."), .none)?.reason == .badSignature)
        #expect(Self.refusal("\(none).", keys)?.reason == .malformed)
    }

    @Test("An error in a signed command names the claim")
    func claims() throws {
        let key = try Self.key()
        let keys = try Self.trusting(key)
        let cases: [(String, JSON, CommandResponse.Reason, String)] = [
            ("iss", "eve", .badSignature, "$.iss: the key belongs to ada, not to eve"),
            ("aud", .array([]), .malformed, "$.aud: expected 1 to 16 vehicles"),
            ("aud", 7, .malformed, "$.aud: expected a string"),
            ("jti", "a b", .malformed, "$.jti: expected 1 to 64 of the characters"),
            ("iat", "2026-11-21T10:00:00Z", .malformed, "$.iat: expected seconds since 1970"),
            ("exp", 1e300, .malformed, "$.exp: expected seconds since 1970"),
            ("exp", 5, .malformed, "$.exp: expected a time after iat"),
            ("id", "x", .malformed, "$.id: unknown key"),
            ("nbf", 5, .malformed, "$.nbf: unknown key"),
            ("command", "explode", .unknownCommand, "this agent knows"),
            ("arguments", ["confirm": 5], .badArguments, "$.arguments.confirm"),
        ]
        for (name, value, reason, message) in cases {
            let text = try Self.sign(with: key, at: Self.issued, "a-1", "clear_codes", more: [name: value])
            let refusal = Self.refusal(text, keys)
            #expect(refusal?.reason == reason && refusal?.issuer == "ada", "\(name)")
            #expect(refusal?.message.hasPrefix(message) == true, "\(refusal?.message ?? "")")
        }
    }

    @Test("A message of another type is refused, even with a signature of a trusted key")
    func kinds() throws {
        let key = try Self.key()
        let keys = try Self.trusting(key)
        func refusal(_ type: String?) throws -> Refusal? {
            Self.refusal(try Self.sign(with: key, at: Self.issued, "a-1", "describe", type: type), keys)
        }
        for type in [nil, "JWT", "jwt", "Jwt", "application/jwt", "application/JWT"] {
            #expect(try refusal(type) == nil, "\(type ?? "none")")
        }
        for type in ["at+jwt", "JOSE", "", "JWT ", "text/jwt", "application/at+jwt", "jw\u{212A}", "jwt\u{301}"] {
            let refusal = try refusal(type)
            #expect(refusal?.reason == .badSignature && refusal?.issuer == "ada" && refusal?.id == "a-1", "\(type)")
        }
    }

    @Test("An error in a file of trusted keys names its place")
    func files() throws {
        let key = try Self.key("ada", [:]).publicKey
        func file(_ more: [String: JSON]) -> [UInt8] {
            guard case .object(var members) = key.json else { return [] }
            members.merge(more) { $1 }
            return Array((["keys": [.object(members)]] as JSON).text.utf8)
        }
        let words = "\"observer\", \"specialist\", \"engineer\""
        let cases: [([String: JSON], String)] = [
            ([:], "keys[0] (ada).roles: expected an array of \(words)"),
            (["roles": []], "keys[0] (ada).roles: expected an array of \(words)"),
            (["roles": "specialist"], "keys[0] (ada).roles: expected an array of \(words)"),
            (["roles": ["specalist"]], "keys[0] (ada).roles: a role is one of \(words), not \"specalist\""),
            (
                ["roles": ["observer"], "iss": 5],
                "keys[0] (ada).iss: expected who has the key, in 1 to 128 printable ASCII letters"
            ),
        ]
        for (members, message) in cases {
            #expect(throws: TrustedKeysError(message)) { try TrustedKeys(parsing: file(members)) }
        }
        #expect(throws: TrustedKeysError.self) { try TrustedKeys(parsing: Array("{}".utf8)) }
        #expect(throws: Never.self) {
            try TrustedKeys(parsing: file(["roles": ["engineer"], "comment": "on the desk"]))
        }
    }

    @Test("A signed command with noise around it is refused")
    func noise() throws {
        let key = try Self.key()
        let keys = try Self.trusting(key)
        let bytes = Array(try Self.sign(with: key, at: Self.issued, "a-1", "describe").utf8)
        var numbers = SeededNumbers(6)
        for _ in 0..<2000 {
            var noise = bytes
            for _ in 0...Int.random(in: 0...8, using: &numbers) {
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: noise[Int.random(in: 1..<noise.count, using: &numbers)] = .random(in: 0...255, using: &numbers)
                case 1: noise.remove(at: Int.random(in: 1..<noise.count, using: &numbers))
                default: noise.insert(.random(in: 0...255, using: &numbers), at: noise.count / 2)
                }
            }
            guard noise != bytes else { continue }
            #expect(throws: Refusal.self) { try CommandDecoder.decode(noise, keys: keys) }
        }
    }
}
