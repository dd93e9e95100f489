// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import FoundationEssentials
import Testing

@testable import Contract

@Suite("The files with the shared words")
struct WordsDocumentTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/docs/contract"

    private static func file(_ language: String) throws -> (text: String, json: JSON) {
        let text = try String(contentsOfFile: "\(Self.folder)/words.\(language).json", encoding: .utf8)
        return (text, try JSON(parsing: Array(text.utf8), depthLimit: 8))
    }

    /// Compares a file with what it must be; with `WORDS_WRITE` in the environment it writes it anew first.
    @Test("Each file has what the tables have", arguments: ["en", "de"])
    func files(language: String) throws {
        let translation: JSON? = if language == "en" { .none } else { try Self.file(language).json }
        let expected = WordsDocument(language: language, translation: translation).text
        if ProcessInfo.processInfo.environment["WORDS_WRITE"] != nil {
            let path = "\(Self.folder)/words.\(language).json"
            try expected.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = try Self.file(language).text.split(separator: "\n")
        let right = expected.split(separator: "\n")
        for (line, right) in zip(lines, right) where line != right {
            Issue.record("\(line) is not \(right); write it anew: make words")
            return
        }
        #expect(lines.count == right.count, "write it anew: make words")
    }

    @Test("Every word of each language is there", arguments: ["en", "de"])
    func words(language: String) throws {
        let json = try Self.file(language).json
        for section in ["groups", "parameters", "terms"] {
            guard case .object(let top) = json, case .object(let members) = top[section] else {
                Issue.record("\(section) is missing")
                continue
            }
            for (key, member) in members {
                var word = member
                if case .object(let parameter) = member { word = parameter["title"] ?? .null }
                guard case .string(let text) = word, !text.isEmpty else {
                    Issue.record("\(section).\(key) has no word")
                    continue
                }
            }
        }
    }
}
