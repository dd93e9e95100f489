// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A CSV file of `Vectors/`, a dictionary for each row.
struct Table: Sendable {
    let rows: [[String: String]]

    static let vectors = Table("pid_vectors")
    static let parameters = Table("pids")
    static let fields = Table("pid_fields")
    static let unitsAndScalings = Table("uasid")

    private init(_ name: String) {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let data = FileManager.default.contents(atPath: "/\(folder)/Vectors/\(name).csv") ?? Data()
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(Self.cells)
        let header = lines.first ?? []
        self.rows = lines.dropFirst().map { Dictionary(zip(header, $0)) { first, _ in first } }
    }

    /// Splits a row at its commas, except for commas in quotes.
    private static func cells(_ line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }
}

/// Returns the bytes of hexadecimal digits, ignoring blanks.
func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.filter { $0 != " " }.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A generator whose numbers are the same in every run (xorshift64*).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state ^= self.state >> 12
        self.state ^= self.state << 25
        self.state ^= self.state >> 27
        return self.state &* 0x2545_F491_4F6C_DD1D
    }
}
