// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A place in a text.
package struct Position: Equatable, Sendable {
    /// From 1.
    package var line: Int
    /// In characters (Unicode scalars) from 1; a tab is one.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
