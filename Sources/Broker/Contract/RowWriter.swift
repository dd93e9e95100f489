// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Formats rows as CSV (RFC 4180) or JSON Lines.
package struct RowWriter: Sendable {
    /// The file formats.
    package enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values with a header (RFC 4180).
        case csv
        /// JSON Lines: one JSON object per line.
        case jsonl
    }

    private let format: Format
    private let columns: [String]
    private let keys: [String]

    package init(_ format: Format, columns: [String]) {
        self.format = format
        self.columns = columns
        self.keys = columns.map { JSON.string($0).text + ":" }
    }

    /// The text before the first row.
    package var header: String {
        self.format == .csv ? Self.line(self.columns.map { JSON.string($0) }) : ""
    }

    /// Returns the text of a row; null becomes an empty field in CSV, and no member in JSON.
    package func row(_ cells: [JSON]) -> String {
        guard self.format == .jsonl else { return Self.line(cells) }
        var text = "{"
        for (key, cell) in zip(self.keys, cells) where cell != .null {
            if text.utf8.count > 1 { text += "," }
            text += key + cell.text
        }
        return Printable.json(text) + "}\n"
    }

    private static func line(_ cells: [JSON]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { text += "," }
            switch cell {
            case .null: break
            // Only texts are made safe for spreadsheets, so a negative number stays a number.
            case .string(let string): text += Self.field(Printable.cell(string))
            default: text += Self.field(cell.text)
            }
        }
        return text + "\r\n"
    }

    private static func field(_ text: String) -> String {
        // An empty field without quotes means no value; one with quotes means an empty text.
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != 13 && $0 != 10 }
        guard !isPlain else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
