// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import JOSE
import TestSupport
import Testing

@Suite("base64url")
struct Base64URLTests {
    @Test(
        "The vectors of RFC 4648 section 10 are encoded and decoded, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"), ("~~>~~?", "fn4-fn4_"),
        ]
    )
    func vectors(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text.utf8) == Array(plain.utf8))
    }

    @Test(
        "Any bytes are decoded to themselves, and of all texts of up to three letters only encoded ones are decoded"
    )
    func oneText() {
        var numbers = SeededNumbers(1)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        let letters = Array("AQgwBZaz09-_+/=. \n".utf8)
        let texts = letters.flatMap { one in
            [[one]] + letters.flatMap { two in [[one, two]] + letters.map { [one, two, $0] } }
        }
        for text in texts {
            let bytes = Base64URL.decode(text)
            let isItsOwn = bytes.map { Array(Base64URL.encode($0).utf8) == text }
            #expect(isItsOwn != false, "\(text)")
            let isBase64URL = text.allSatisfy { !"+/=. \n".utf8.contains($0) }
            if !isBase64URL || text.count % 4 == 1 { #expect(bytes == nil, "\(text)") }
        }
    }

    @Test(
        "A last letter with an unused bit that is not 0 is refused, and so is padding",
        arguments: ["Zh", "Zv", "Zm9", "Zm-", "Zm8=", "Zg=="]
    )
    func spareBits(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
