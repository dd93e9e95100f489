// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Columns of text, each as wide as its widest cell of a usual length.
package struct TextTable {
    /// The longest usual cell: a longer one pushes the rest of its own row only, unless it is in the first column.
    private let usualLength: Int

    private var rows: [[String]] = []

    /// - Parameter usualLength: the longest cell to which the other rows are aligned.
    package init(usualLength: Int = 24) {
        self.usualLength = usualLength
    }

    package mutating func append(_ row: [String]) {
        self.rows.append(row)
    }

    /// The lines, without trailing blanks.
    package var lines: [String] {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            let lengths = self.rows.map { $0.count > column ? $0[column].count : 0 }
            return lengths.filter { column == 0 || $0 <= self.usualLength }.max() ?? 0
        }
        return self.rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1
                    ? cell : cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
            }
            let line = cells.joined(separator: "  ")
            return String(line.prefix(upTo: line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex))
        }
    }
}
