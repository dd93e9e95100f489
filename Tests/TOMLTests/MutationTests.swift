// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@testable import TOML

@Suite struct MutationTests {
    /// Pieces of syntax, and bytes that are invalid anywhere.
    private static let bytes = Array("=.[]{}\"'\\#\n\r, \t-_+0:eT".utf8) + [0, 0x7F, 0x80, 0xC3, 0xFF]

    /// Returns a sample of `etc/` as it is, or with all its commented keys enabled.
    private static func sample(_ name: String, isSwitchedOn: Bool) throws -> [UInt8] {
        let package = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let data = try #require(FileManager.default.contents(atPath: "\(package)/etc/obd-agent/\(name)"))
        guard isSwitchedOn else { return Array(data) }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Array(
            lines.map { line in
                let isKey = line.first == UInt8(ascii: "#") && line.dropFirst().first?.isBareKeyByte == true
                return isKey ? line.dropFirst() : line
            }.joined(separator: [UInt8(ascii: "\n")])
        )
    }

    @Test(
        "A truncated or changed sample is read, or refused with a position in it",
        arguments: [("agent.toml", false), ("agent.toml", true), ("fleet.toml", false)]
    )
    func samples(name: String, isSwitchedOn: Bool) throws {
        let whole = try Self.sample(name, isSwitchedOn: isSwitchedOn)
        #expect(meaning(whole) != "invalid")
        var numbers = SeededNumbers(7)
        var read = 0
        for index in whole.indices {
            var texts = [Array(whole[..<index]), Array(whole[..<index] + whole[(index + 1)...])]
            for _ in 0..<2 {
                var text = whole
                text[index] = Self.bytes.randomElement(using: &numbers) ?? 0
                texts.append(text)
            }
            for text in texts {
                do {
                    _ = try Document(text)
                    read += 1
                } catch {
                    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    try #require(lines.indices.contains(error.position.line - 1), "\(error)")
                    let columns = 1...lines[error.position.line - 1].count + 1
                    try #require(columns.contains(error.position.column), "\(error)")
                }
            }
        }
        #expect((whole.count / 2...whole.count * 19 / 5).contains(read))
    }
}
