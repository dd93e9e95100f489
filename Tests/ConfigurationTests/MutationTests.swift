// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct MutationTests {
    @Test("Any bytes give a configuration, or problems with lines of the file", arguments: 0..<4)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let whole = Array(try sample().utf8)
        // The commented keys of the sample have the most varied syntax.
        let switchedOn = Array(String(decoding: whole, as: UTF8.self).replacing("\n#", with: "\n").utf8)
        let tokens = [
            "=", ".", "[", "]", "[[", "{", "}", "\"", "\"\"\"", "'", "'''", "\\", "\\u0000", "#", "\n", "\r", ",",
            "1e9",
            "nan", "inf", "-1", "true", "1979-05-27", "\u{FEFF}", "é", "mqtt", "a.b = 1\n",
        ].map { Array($0.utf8) }
        var read = 0
        for _ in 0..<5000 {
            var bytes = Bool.random(using: &generator) ? whole : switchedOn
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                Self.mutate(&bytes, with: tokens, using: &generator)
            }
            let lineCount = max(1, bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count)
            do {
                _ = try Configuration(toml: bytes, file: "agent.toml")
                read += 1
            } catch {
                #expect(!error.problems.isEmpty)
                for problem in error.problems {
                    let line = try #require(problem.line, "\(problem)")
                    try #require((1...lineCount).contains(line), "\(problem)")
                    try #require(problem.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(problem)")
                }
            }
        }
        // If all files were refused, or none, the test would prove little.
        #expect((500...4500).contains(read))
    }

    private static func mutate(
        _ bytes: inout [UInt8],
        with tokens: [[UInt8]],
        using generator: inout SeededGenerator
    ) {
        let index = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 0...20, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where Int.random(in: 0..<4, using: &generator) == 0:
            bytes.removeSubrange(index...)
        case 1 where index < bytes.count:
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2:
            bytes.insert(.random(in: 0...255, using: &generator), at: index)
        case 3:
            bytes.removeSubrange(index..<end)
        case 4:
            bytes.insert(contentsOf: bytes[index..<end], at: .random(in: 0...bytes.count, using: &generator))
        default:
            bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: index)
        }
    }
}
