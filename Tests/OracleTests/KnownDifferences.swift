// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

/// The values that differ from the recorded ones for a known reason: a file of `KnownDifferences/`.
struct KnownDifferences {
    /// The known difference of a signal's values.
    private struct Entry {
        let difference: Difference
        let reason: String
    }

    private enum Difference {
        case any
        /// The decoded value is greater by this number.
        case offset(Double)
        /// The values differ by this part at most.
        case part(Double)

        /// Parses `any`, `+28` or `~0.001`.
        init?(_ text: Substring) {
            switch (text.first, Double(text.dropFirst())) {
            case ("+", let number?): self = .offset(number)
            case ("~", let number?): self = .part(number)
            case ("a", nil) where text == "any": self = .any
            default: return nil
            }
        }

        func allows(_ decoded: Double?, _ expected: Double?) -> Bool {
            if case .any = self { return true }
            guard let decoded, let expected else { return false }
            return switch self {
            case .any: true
            case .offset(let offset): Comparison.isClose(decoded, expected + offset)
            case .part(let part): abs(decoded - expected) <= part * abs(expected)
            }
        }
    }

    private let entries: [String: Entry]

    /// - Parameter name: the name of the file. A line is a model, a signal, a difference and a reason, with tabs between.
    init(_ name: String) throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let data = try #require(FileManager.default.contents(atPath: "/\(folder)/KnownDifferences/\(name).tsv"))
        var entries: [String: Entry] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t")
            try #require(
                cells.count == 4,
                "\(name).tsv: expected a model, a signal, a difference and a reason: \(line)"
            )
            let difference = try #require(Difference(cells[2]), "\(name).tsv: not a difference: \(cells[2])")
            entries["\(cells[0]) \(cells[1])"] = Entry(difference: difference, reason: String(cells[3]))
        }
        self.entries = entries
    }

    /// Returns the reason why a decoded value of a signal differs from the recorded one; nil if it must not.
    func reason(_ model: String, _ signal: String, _ decoded: Double?, _ expected: Double?) -> String? {
        guard let entry = self.entries["\(model) \(signal)"], entry.difference.allows(decoded, expected) else {
            return nil
        }
        return entry.reason
    }
}
