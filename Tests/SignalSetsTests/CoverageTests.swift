// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SignalSets

@Suite("The page about coverage")
struct CoverageTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// Returns the models of the folder in the variable `COVERAGE_CATALOG`, which has files `Make-Model.json`.
    private static func models() throws -> [(entry: SignalCatalog.Entry, commands: Int, signals: Int)]? {
        guard let folder = Self.environment["COVERAGE_CATALOG"] else { return nil }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let catalog = SignalCatalog(
            files.sorted().compactMap { file in
                SignalCatalog.name(ofFile: file).map { ($0, .file("\(folder)/\(file)")) }
            }
        )
        return catalog.entries.map { entry in
            let bytes = FileManager.default.contents(atPath: "\(entry.place)").map { Array($0) } ?? []
            let counts = SignalCatalog.counts(of: bytes)
            return (entry, counts?.commands ?? 0, counts?.signals ?? 0)
        }
    }

    @Test("docs/coverage.md has what the tables have")
    func page() throws {
        if let path = Self.environment["COVERAGE_DOCUMENT"] {
            let text = CoverageDocument(models: try Self.models()).text
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: "\(root)/docs/coverage.md", encoding: .utf8).split(separator: "\n")
        let expected = CoverageDocument().text.split(separator: "\n")
        let advice = "write it anew: COVERAGE_DOCUMENT=docs/coverage.md scripts/test CoverageTests"
        for (line, right) in zip(page, expected) where line != right {
            Issue.record("\(line) is not \(right); \(advice)")
            return
        }
        #expect(page.count == expected.count, "\(advice)")
    }

    @Test("The counts of a catalog are added up by make")
    func makes() {
        let catalog = SignalCatalog(
            ["Kia", "Kia-EV9", "Kia-Niro-EV", "Mercedes-Benz-E-Class"].map { ($0, .file($0)) }
        )
        let lines = CoverageDocument(models: catalog.entries.map { ($0, 2, 10) }).modelSection
        #expect(lines.suffix(2) == ["| Kia | 2 | 6 | 30 |", "| Mercedes-Benz | 1 | 2 | 10 |"])
        #expect(!CoverageDocument().modelSection.contains { $0.hasPrefix("| Kia |") })
    }
}
