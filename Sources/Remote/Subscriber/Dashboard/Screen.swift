// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The layout of a dashboard in rows and columns.
struct Screen {
    /// The number of columns below which names and values are narrower.
    private static let narrow = 60
    /// The number of columns from which the parameters stand beside the gauges.
    private static let wide = 110
    /// The largest width of the gauges beside the parameters.
    private static let paneLimit = 80
    /// The least width of a column of parameters beside another one.
    private static let listWidth = 56
    /// The blanks between two columns.
    private static let gap = 3

    let view: VehicleView
    let size: Dashboard.Size
    let now: ViewerTime
    let lamps: Lamps
    /// The words about a subscription that brings nothing; nil otherwise.
    let silence: String?
    /// The width of the present column.
    private(set) var width: Int

    var isNarrow: Bool { self.size.columns < Self.narrow }
    /// The number of columns of a label and the blanks behind it.
    var labelWidth: Int { self.isNarrow ? 8 : 10 }
    var valueWidth: Int { self.isNarrow ? 11 : 14 }

    init(view: VehicleView, size: Dashboard.Size, now: ViewerTime, silence: String?) {
        self.view = view
        self.size = size
        self.now = now
        self.silence = silence
        self.lamps = Lamps(view.connection, view.picture, told: view.told, at: now.monotonic)
        self.width = size.columns
    }

    private func with(width: Int) -> Screen {
        var screen = self
        screen.width = width
        return screen
    }

    // MARK: - The vehicle

    /// Returns the traction battery, the gauges, the lamp with its codes, the drive, the finding, and the other parameters, in as many rows as the screen has.
    func dashboard(hidden: Set<String>, offset: Int) -> [StyledLine] {
        let others = Array(self.view.others.filter { !hidden.contains($0) }.dropFirst(offset))
        let body =
            if self.size.columns >= Self.wide, !others.isEmpty {
                self.columns(others)
            } else {
                self.main + (others.isEmpty ? [] : [StyledLine()] + others.map(self.other))
            }
        return self.framed(self.head + [StyledLine()] + body, "q quit  p parameters  ↑↓ scroll  ? keys")
    }

    /// The lines about the vehicle without the other parameters.
    private var main: [StyledLine] {
        let battery = self.battery
        let gauges = Gauge.all(isDiesel: self.view.isDiesel).compactMap(self.gauge)
        return battery + (battery.isEmpty ? [] : [StyledLine()]) + (gauges.isEmpty ? self.nothing : gauges)
            + [StyledLine()] + self.codes + self.drive + self.finding
    }

    /// The lines instead of the gauges while there is none.
    private var nothing: [StyledLine] {
        guard let silence else { return [StyledLine("No values yet", .dim)] }
        return Cells.wrap(silence, to: self.width).map { StyledLine($0, .attention) }
    }

    /// Returns the lines about the vehicle, and beside them the other parameters in one column or more.
    private func columns(_ others: [String]) -> [StyledLine] {
        let paneWidth = min(Self.paneLimit, (self.size.columns - Self.gap) / 2)
        let room = max(1, self.size.rows - self.head.count - 2)
        let listRoom = self.size.columns - paneWidth - Self.gap
        let count = max(1, (listRoom + Self.gap) / (Self.listWidth + Self.gap))
        let listWidth = (listRoom - (count - 1) * Self.gap) / count
        let list = self.with(width: listWidth)
        var rows = self.with(width: paneWidth).main.prefix(room).map { $0.cut(to: paneWidth) }
        for (index, name) in others.prefix(room * count).enumerated() {
            let row = index % room
            while rows.count <= row { rows.append(StyledLine()) }
            rows[row].tab(paneWidth + Self.gap + index / room * (listWidth + Self.gap))
            rows[row].add(list.other(name).cut(to: listWidth))
        }
        return rows
    }

    /// Returns the lines cut or filled up to the number of rows.
    ///
    /// The last row has the help on keys, or the reason of a lost connection.
    private func framed(_ lines: [StyledLine], _ keys: String) -> [StyledLine] {
        guard self.size.rows > 1 else { return Array(lines.prefix(self.size.rows)) }
        let room = self.size.rows - 1
        let filling = Array(repeating: StyledLine(), count: max(0, room - lines.count))
        let foot =
            if case .lost(_, let reason) = self.view.connection {
                StyledLine("\(Printable.text(reason.prefix(bytes: 200))); reconnecting", .attention)
            } else {
                StyledLine(keys, .dim)
            }
        return Array(lines.prefix(room)) + filling + [foot]
    }

    /// Returns the parts behind a label; a part that does not fit begins another line.
    func flow(
        _ label: (text: String, style: TextStyle),
        _ parts: [(text: String, style: TextStyle)]
    ) -> [StyledLine] {
        var (lines, line) = ([StyledLine](), StyledLine(label.text, label.style))
        line.tab(self.labelWidth)
        for part in parts where !part.text.isEmpty {
            if line.width > self.labelWidth {
                if line.width + 3 + Cells.width(part.text) <= self.width {
                    line.add("   ")
                } else {
                    lines.append(line)
                    line = StyledLine()
                    line.tab(self.labelWidth)
                }
            }
            line.add(part.text, part.style)
        }
        return lines + [line]
    }

    // MARK: - Lists

    /// Returns the list of the other parameters, in which the user shows and hides them.
    func chooser(hidden: Set<String>, cursor: Int) -> [StyledLine] {
        let others = self.view.others
        let cursor = min(cursor, max(0, others.count - 1))
        let room = max(1, self.size.rows - self.head.count - 2)
        let start = max(0, min(cursor - room / 2, others.count - room))
        var lines = self.head + [StyledLine()]
        for (index, name) in others.enumerated().dropFirst(start).prefix(room) {
            let mark = hidden.contains(name) ? "[ ]" : "[x]"
            let isSelected = index == cursor
            var line = StyledLine(
                "\(isSelected ? ">" : " ") \(mark) \(self.view.title(of: name))",
                isSelected ? .bold : .plain
            )
            if !self.isNarrow {
                line.tab(44)
                line.add(" \(name)", .dim)
            }
            lines.append(line)
        }
        return self.framed(lines, "space show or hide  ↑↓  p back  q quit")
    }

    /// Returns the list of the keys and of the marks.
    var help: [StyledLine] {
        let rows = [
            ("q, Ctrl-C", "quit"), ("p", "parameters: show and hide with the space bar"),
            ("↑ ↓", "scroll the parameters"),
            ("l", "draw anew"), ("?", "these keys, and back"), ("", ""),
            ("broker", "this program's own connection"), ("agent", "the agent's connection to the broker"),
            ("adapter", "the agent's link to the vehicle's adapter"), ("vehicle", "whether it is on, driven or parked"),
            ("grey", "last known: not measured now"), ("late", "should be measured now, and is older than usual"),
        ]
        let lines = rows.map { key, meaning in
            var line = StyledLine(key, .bold)
            line.tab(12)
            line.add(meaning)
            return line
        }
        return self.framed(self.head + [StyledLine()] + lines, "? back  q quit")
    }
}
