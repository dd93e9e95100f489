// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Contract

@Suite("Untrusted text")
struct ForeignTextTests {
    private static func error(_ text: String) -> JSONParsingError? {
        do throws(JSONParsingError) {
            _ = try JSON(parsing: Array(text.utf8), depthLimit: 4)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A prefix ends between two scalars and has as many of the allowed bytes as possible",
        arguments: ["", "plain", "äöü", "€€€", "😀😀", marks(40), "👨‍👩‍👧‍👦 at home", "e\u{0301}", "\u{0301}"]
    )
    func cut(text: String) {
        for limit in 0...text.utf8.count + 1 {
            let part = text.prefix(bytes: limit)
            #expect(part.utf8.count <= limit && text.utf8.starts(with: part.utf8), "\(limit)")
            #expect(part.utf8.count == text.utf8.count || part.utf8.count > limit - 4, "\(limit)")
            #expect(part.unicodeScalars.elementsEqual(text.unicodeScalars.prefix(part.unicodeScalars.count)))
            #expect(Substring(text).prefix(bytes: limit).utf8.elementsEqual(part.utf8))
        }
    }

    @Test("A key of more than 128 bytes is an error, with and without escapes")
    func keys() {
        for unit in ["k", "\\u006b"] {
            #expect(Self.error("{\"\(String(repeating: unit, count: 128))\": 1}") == nil)
            #expect(Self.error("{\"\(String(repeating: unit, count: 129))\": 1}") == .longKey(limit: 128))
        }
        #expect(Self.error("{\"\(String(repeating: "é", count: 65))\": 1}") == .longKey(limit: 128))
    }

    @Test("A key or a value with more than thirty combining marks in a row is an error")
    func runs() {
        let escaped = String(repeating: "\\u0301\\u0323", count: 15)
        for text in [marks(30), escaped, marks(30) + marks(30)] {
            #expect(Self.error("{\"\(text.utf8.count > 128 ? "k" : text)\": \"\(text)\"}") == nil)
        }
        for text in [marks(31), marks(30_000), escaped + "\\u0301", "a" + marks(60)] {
            #expect(Self.error("\"\(text)\"") == .tooManyMarks(limit: 30))
        }
        #expect(Self.error("{\"\(marks(31))\": 1}") == .tooManyMarks(limit: 30))
    }

    @Test("Parsing and hashing the slowest allowed text costs at most a small multiple of a plain text")
    func cost() {
        func cost(_ text: String) -> Duration {
            let bytes = Array("{\"k\": \"\(text)\"}".utf8)
            let clock = ContinuousClock()
            // The least of several measurements, because other programs only add to the time.
            return (0..<5).map { _ in
                clock.measure { _ = (try? JSON(parsing: bytes, depthLimit: 4)).hashValue }
            }.min() ?? .zero
        }
        // Without the limit such a text costs a thousand times as much.
        let plain = cost(String(repeating: "é", count: 32_000))
        #expect(cost(marks(31_999)) < plain * 50)
        // The slowest text that the limit allows.
        #expect(cost(String(repeating: marks(30), count: 1049)) < plain * 50)
    }
}

/// Returns marks of two classes in turns, which every normal form must reorder.
private func marks(_ count: Int) -> String {
    var text = "a"
    for index in 0..<count { text.unicodeScalars.append(index.isMultiple(of: 2) ? "\u{0301}" : "\u{0323}") }
    return text
}
