// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TOML

@Suite struct DifferentialTests {
    @Test("Python's tomllib reads the same values from thousands of texts", arguments: [UInt64(1), 2])
    func tomllib(seed: UInt64) async throws {
        var generator = TextGenerator(seed: seed)
        let texts = (0..<10_000).map { _ in generator.text() }.filter(Self.isComparable)
        let directory = try TemporaryDirectory()
        let lines = texts.map { text in text.map(Self.hex).joined() + "\n" }
        let input = try directory.write(lines.joined(), to: "texts")
        let script = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Python/canonical.py"
        let theirs = try await Program("python3", debianPackage: "python3").run([script, input])
        try #require(theirs.count == texts.count)
        for (text, their) in zip(texts, theirs) {
            let our = meaning(text)
            #expect(our == their, "\(String(decoding: text, as: UTF8.self).debugDescription)")
        }
        // If all texts were refused, or none, the test would prove little.
        let valid = theirs.count { $0 != "invalid" }
        #expect((texts.count / 3...texts.count * 2 / 3).contains(valid), "\(valid) of \(texts.count) are valid")
    }

    /// Whether tomllib follows TOML 1.0 for a text: it refuses leap seconds and the year 0.
    ///
    /// It also refuses a byte order mark, which these texts never have.
    private static func isComparable(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self)
        return !text.contains(":60") && !text.contains("0000-")
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}
