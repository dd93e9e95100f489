// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Breaks the text at blanks into lines of at most `columns`.
    ///
    /// A longer word makes a longer line.
    package func wrapped(columns: Int) -> [String] {
        var lines: [String] = []
        for word in self.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
