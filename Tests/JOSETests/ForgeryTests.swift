// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import JOSE
import TestSupport
import Testing

@Suite("Forgeries")
struct ForgeryTests {
    private static let command = #"{"id":"4f9c","command":"clear_codes","expires":"2026-11-22T08:00:00Z"}"#

    @Test("A change of any bit of the header, the payload, the signature or the text is refused")
    func bits() throws {
        let signer = try Signer()
        let text = Array(try signer.sign(Self.command, type: "command").utf8)
        #expect(signer.refusal(text) == nil)
        let parts = try text.split(separator: UInt8(ascii: ".")).map { try #require(Base64URL.decode($0)) }
        var accepted = 0
        for (part, bytes) in parts.enumerated() {
            for bit in 0..<bytes.count * 8 {
                var changed = parts
                changed[part][bit / 8] ^= 1 << UInt8(bit % 8)
                if signer.refusal(compact(changed[0], changed[1], changed[2])) == nil { accepted += 1 }
            }
        }
        for bit in 0..<text.count * 8 {
            var changed = text
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            if signer.refusal(changed) == nil { accepted += 1 }
        }
        #expect(accepted == 0)
        #expect(parts[2].count == 64)
    }

    @Test("20,000 mutations of a valid message are refused", arguments: [UInt64(1), 2])
    func mutations(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        let signer = try Signer()
        let texts = try (0..<4).map { Array(try signer.sign(Self.command + "\($0)", type: "command").utf8) }
        let alphabet = Array("ABCabc019-_.=+/ \n\0".utf8)
        var reasons: Set<String> = []
        for _ in 0..<10_000 {
            var text = texts[Int.random(in: 0..<texts.count, using: &numbers)]
            for _ in 0...Int.random(in: 0...2, using: &numbers) {
                let place = Int.random(in: 0..<text.count, using: &numbers)
                let letter = alphabet[Int.random(in: 0..<alphabet.count, using: &numbers)]
                switch Int.random(in: 0..<7, using: &numbers) {
                case 0: text[place] = letter
                case 1: text.insert(letter, at: place)
                case 2: text.remove(at: place)
                case 3: text.swapAt(place, Int.random(in: 0..<text.count, using: &numbers))
                case 4: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                case 5: text.removeLast(min(text.count - 1, Int.random(in: 1...4, using: &numbers)))
                default:
                    // Replaces a part by the same part of another message.
                    var parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                    let other = texts[Int.random(in: 0..<texts.count, using: &numbers)].split(
                        separator: UInt8(ascii: ".")
                    )
                    let index = Int.random(in: 0..<3, using: &numbers)
                    if parts.count == 3 { parts[index] = other[index] }
                    text = Array(parts.joined(separator: [UInt8(ascii: ".")]))
                }
            }
            let refusal = signer.refusal(text)
            // Each message has one text: an accepted text equals a signed one byte by byte.
            #expect((refusal == nil) == texts.contains(text), "\(String(decoding: text, as: UTF8.self))")
            if let refusal { reasons.insert("\(refusal)".split(separator: " ").prefix(3).joined(separator: " ")) }
        }
        #expect(reasons.count > 5, "\(reasons)")
    }

    @Test("Unused bits of a last letter do not allow a second text of a message")
    func spareBits() throws {
        let signer = try Signer()
        // 64 bytes are 86 letters, and the last one has four unused bits. Payloads of 1 and 2 bytes more have four and
        // two.
        for payload in ["a", "ab", "abc"] {
            let text = try signer.sign(payload)
            let parts = text.split(separator: ".").map { Array($0.utf8) }
            for (index, part) in parts.enumerated() where part.count % 4 != 0 {
                var taken = 0
                for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8 {
                    var changed = parts
                    changed[index][part.count - 1] = letter
                    let bytes = Array(changed.joined(separator: [UInt8(ascii: ".")]))
                    if signer.refusal(bytes) == nil { taken += 1 }
                }
                #expect(taken == 1, "\(payload) \(index)")
            }
        }
    }

    @Test(
        "A text that is no compact message is refused with the matching error",
        arguments: [
            ("", JWSError.notCompact(parts: 1)), ("e30", .notCompact(parts: 1)), ("e30.e30", .notCompact(parts: 2)),
            ("e30.e30.AA.AA", .notCompact(parts: 4)), ("e30.e30.AA.AA.AA", .notCompact(parts: 5)),
            ("..", .empty(.header)), (".e30.AA", .empty(.header)), ("e30..AA", .empty(.payload)),
            ("e30.e30.", .empty(.signature)), ("e30=.e30.AA", .notBase64URL(.header)),
            ("e30.e30=.AA", .notBase64URL(.payload)), ("e30.e30.AA==", .notBase64URL(.signature)),
            (" e30.e30.AA", .notBase64URL(.header)), ("e30.e30.AA\n", .notBase64URL(.signature)),
            ("e30. e30.AA", .notBase64URL(.payload)), ("e30.e30.A+A/", .notBase64URL(.signature)),
            ("e30.e30.A", .notBase64URL(.signature)), ("e31.e30.AA", .notBase64URL(.header)),
            ("e30.e30.AB", .notBase64URL(.signature)), ("e30.e3\0.AA", .notBase64URL(.payload)),
            ("é30.e30.AA", .notBase64URL(.header)), ("e30.e30.AA", .algorithm(nil)),
            ("W10.e30.AA", .kind("", expected: "an object", found: "an array")),
            (
                "AA.e30.AA",
                .header(.notJSON(line: 1, column: 1, expected: "a value", found: "the character U+0000"))
            ),
        ]
    )
    func shapes(text: String, refusal: JWSError) throws {
        #expect(try Signer().refusal(text) == refusal)
    }

    @Test("Signatures that are short, long, zero or out of range are wrong")
    func signatures() throws {
        let signer = try Signer()
        let parts = try signer.sign(Self.command).split(separator: ".").map { Base64URL.decode($0.utf8) ?? [] }
        let good = parts[2]
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 0xFF, count: 32)
        let r = Array(good.prefix(32))
        let s = Array(good.suffix(32))
        let wrong: [[UInt8]] = [
            zero + zero, r + zero, zero + s, full + s, r + full, s + r, zero + [1], [0], r, good + [0], [0] + good,
            Array(good.dropLast()), Array(good.dropFirst()), zero + r + zero + s, [UInt8](repeating: 0, count: 20_000),
        ]
        for signature in wrong {
            #expect(
                signer.refusal(compact(parts[0], parts[1], signature)) == .signature,
                "\(hex(signature.prefix(70)))"
            )
        }
        #expect(signer.refusal(compact(parts[0], parts[1], good)) == nil)
    }

    @Test("A message by another key with the same kid, or with an unknown kid, is refused")
    func keys() throws {
        let alice = try Signer("alice")
        let other = try Signer("alice")
        let bob = try Signer("bob")
        let text = try alice.sign(Self.command)
        #expect(other.refusal(text) == .signature)
        #expect(bob.refusal(text) == .unknownKey("alice"))
        let both = try keySet([bob.key.publicKey.json, alice.key.publicKey.json])
        #expect(try CompactJWS(parsing: Array(text.utf8)).verify(with: both).key.keyID == "alice")
        // The key that kid names must have signed, even if the real signer is trusted too.
        let borrowed = try JSONWebKey(parsing: Array(bob.key.json.with("kid", "alice").text.utf8))
        let forged = try CompactJWS.sign([1], with: borrowed)
        #expect(throws: JWSError.signature) { try CompactJWS(parsing: Array(forged.utf8)).verify(with: both) }
        #expect(throws: JWSError.unknownKey("alice")) {
            try CompactJWS(parsing: Array(text.utf8)).verify(with: try keySet([]))
        }
    }
}
