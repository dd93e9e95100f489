// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Columns of text, each as wide as its widest cell.
struct Table {
    private var rows: [[String]] = []

    mutating func append(_ row: [String]) {
        self.rows.append(row)
    }

    /// The lines, without trailing blanks.
    var lines: [String] {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in self.rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
        return self.rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
