// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A position in a text.
package struct Position: Equatable, Sendable {
    /// The number of the line, from 1.
    package var line: Int
    /// The number of the character (Unicode scalar) in its line, from 1; a tab counts as one.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
