// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

/// The parameters without a gauge, each with its value and its course.
struct ValuesBlock {
    let pane: Pane
    /// The parameters that the user has hidden.
    let hidden: Set<String>
    /// Whether each group has a heading.
    let hasGroups: Bool

    /// The lines of all shown parameters.
    var lines: [StyledLine] {
        var (lines, group) = ([StyledLine](), String?.none)
        for name in self.pane.view.others where !self.hidden.contains(name) {
            let own = Words.group(self.pane.view.group(of: name))
            if self.hasGroups, own != group {
                lines.append(StyledLine(own, .bold))
                group = own
            }
            lines.append(self.line(name))
        }
        return lines
    }

    private func line(_ name: String) -> StyledLine {
        let width = self.pane.isNarrow ? 18 : min(34, max(22, self.pane.width * 3 / 8))
        var line = StyledLine(Cells.cut(self.pane.view.title(of: name), to: width - 1), .dim)
        line.tab(width)
        self.pane.add(name, to: &line)
        return line
    }
}
