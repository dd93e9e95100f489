// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Screen {
    /// The least width of a column that a part is broken into.
    private static let partWidth = 64
    /// The largest width of a text.
    private static let textWidth = 120

    /// Returns one part, which has the screen for itself.
    func draw(_ part: DashboardPart) -> Drawing {
        let head = self.head + [part == .codes ? StyledLine() : self.state]
        return self.listed(part.title, below: head, keys: self.keys(part), offset: self.navigation.offset) { pane in
            self.lines(of: part, pane, rows: self.room(below: head) - 1)
        }
    }

    /// The lamp, the number of codes and of exceeded limits, which every part has above it.
    private var state: StyledLine {
        let pane = self.pane(self.size.columns)
        var line = CodesBlock(pane: pane, isDetailed: false).lamp
        let count = self.view.drive.exceededLimits.count
        guard count > 0 else { return line }
        let words = ["   \(count.counted("limit")) exceeded", "   \(count.counted("limit"))"]
        let fitting = words.first { line.width + Cells.width($0) <= self.size.columns }
        line.add(fitting ?? "", pane.isOnline ? .danger : .faded)
        return line
    }

    /// Returns the lines of a part, and the remarks behind its heading.
    private func lines(
        of part: DashboardPart,
        _ pane: Pane,
        rows: Int
    ) -> (remarks: [String], lines: [StyledLine]) {
        switch part {
        case .gauges:
            {
                let lines = self.gauges(pane, isDetailed: true)
                return lines.count <= rows
                    ? ([pane.spanText], lines) : ([], self.gauges(pane, isDetailed: false))
            }()
        case .values:
            (
                [pane.spanText],
                Self.orNone(
                    ValuesBlock(pane: pane, hidden: self.navigation.hidden, hasGroups: true).lines,
                    "No other values"
                )
            )
        case .codes:
            {
                let block = CodesBlock(pane: pane, isDetailed: true)
                return ([], block.codes + (block.finding.isEmpty ? [] : [StyledLine()]) + block.finding)
            }()
        case .readiness:
            {
                let readiness = Self.orNone(
                    ReadinessBlock(pane: pane, isDetailed: true).lines,
                    "The vehicle has not reported its readiness"
                )
                let ecus = ECUsBlock(pane: pane).lines
                return ([], readiness + (ecus.isEmpty ? [] : [StyledLine()]) + ecus)
            }()
        case .drive:
            (
                [],
                Self.orNone(DriveBlock(pane: pane, isDetailed: true).lines, "No trip, no position and no limit yet")
            )
        case .events:
            (
                [],
                Self.orNone(EventsBlock(pane: pane, isDetailed: true).lines, "No event since this program watches")
            )
        }
    }

    private static func orNone(_ lines: [StyledLine], _ words: String) -> [StyledLine] {
        lines.isEmpty ? [StyledLine(words, .dim)] : lines
    }

    /// Draws lines below a heading, from an offset on; in several columns if they do not fit into one.
    private func listed(
        _ title: String,
        below head: [StyledLine],
        keys: StyledLine,
        offset: Int,
        _ content: (Pane) -> (remarks: [String], lines: [StyledLine])
    ) -> Drawing {
        let rows = max(1, self.room(below: head) - 1)
        var (count, width) = (1, self.size.columns)
        var (remarks, lines) = content(self.pane(width))
        let most = (self.size.columns + Self.gap) / (Self.partWidth + Self.gap)
        if lines.count > rows, most > 1 {
            (count, width) = (most, (self.size.columns - (most - 1) * Self.gap) / most)
            (remarks, lines) = content(self.pane(width))
        }
        let page = rows * count
        let last = max(0, lines.count - page)
        let start = min(offset, last)
        if last > 0 { remarks.append("\(start + 1)–\(start + page) of \(lines.count)") }
        let columns = (0..<count).map { column in Array(lines.dropFirst(start + column * rows).prefix(rows)) }
        let shown = Self.beside(columns, widths: Array(repeating: width, count: count), rows: rows)
        let heading = self.pane(self.size.columns).heading(title, remarks)
        return Drawing(
            lines: self.framed(head + [heading] + shown, keys: keys),
            extent: Navigation.Extent(last: last, page: page)
        )
    }

    // MARK: - Lists

    /// Returns the list of the other parameters, in which the user shows and hides them.
    func chooser(_ cursor: Int) -> Drawing {
        let others = self.view.others
        let cursor = min(cursor, max(0, others.count - 1))
        let head = self.head + [StyledLine()]
        let room = max(1, self.room(below: head))
        let start = max(0, min(cursor - room / 2, others.count - room))
        let lines = others.enumerated().dropFirst(start).prefix(room).map { index, name in
            let mark = self.navigation.hidden.contains(name) ? "[ ]" : "[x]"
            let isSelected = index == cursor
            var line = StyledLine(
                "\(isSelected ? ">" : " ") \(mark) \(self.view.title(of: name))",
                isSelected ? .bold : .plain
            )
            if !self.isNarrow {
                line.tab(44)
                line.add(" \(name)", .dim)
            }
            return line
        }
        let keys = StyledLine(
            self.isNarrow ? "space hides  p back  q quit" : "space shows or hides  a all  p back  q quit",
            .dim
        )
        return Drawing(
            lines: self.framed(head + lines, keys: keys),
            extent: Navigation.Extent(last: 0, page: room)
        )
    }

    /// Returns the list of the keys and of the marks.
    func help(_ offset: Int) -> Drawing {
        let keys = StyledLine("any key back  ↑↓ scroll  q quit", .dim)
        return self.listed("Keys", below: self.head, keys: keys, offset: offset) { pane in
            let lines = HelpText.rows.flatMap { key, meaning in
                let words = Cells.wrap(meaning, to: max(1, pane.width - HelpText.width))
                return (words.isEmpty ? [""] : words).enumerated().map { index, text in
                    var line = StyledLine(index == 0 ? key : "", .bold)
                    line.tab(HelpText.width)
                    line.add(text)
                    return line
                }
            }
            return ([], lines)
        }
    }
}
