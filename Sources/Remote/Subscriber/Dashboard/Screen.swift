// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The layout of a dashboard in rows and columns.
struct Screen {
    /// The number of columns below which the head is shorter.
    static let narrow = 60
    /// The blanks between two columns.
    static let gap = 3
    /// The rows from which all parts stand one below the other.
    static let tall = 20
    /// The number of columns from which parts stand beside each other, in two columns and in three.
    static let (wide, widest) = (110, 170)

    let view: VehicleView
    let size: Dashboard.Size
    let now: ViewerTime
    let navigation: Navigation
    let lamps: Lamps
    /// The words about a subscription that brings nothing; nil otherwise.
    let silence: String?

    /// The lines of the screen, and how far they can be scrolled.
    struct Drawing {
        var lines: [StyledLine]
        var extent = Navigation.Extent(last: 0, page: 1)
    }

    init(view: VehicleView, size: Dashboard.Size, now: ViewerTime, navigation: Navigation, silence: String?) {
        self.view = view
        self.size = size
        self.now = now
        self.navigation = navigation
        self.silence = silence
        self.lamps = Lamps(from: view.source, view.connection, view.picture, told: view.told, at: now.monotonic)
    }

    var isNarrow: Bool { self.size.columns < Self.narrow }

    /// Returns whether a screen has room for all parts at once.
    static func hasOverview(_ size: Dashboard.Size) -> Bool {
        size.rows >= Self.tall || size.columns >= Self.wide && size.rows >= Self.tall / 2
    }

    func pane(_ width: Int) -> Pane {
        Pane(
            view: self.view,
            now: self.now,
            lamps: self.lamps,
            units: self.navigation.units ?? (self.view.isImperial ? .imperial : nil),
            width: max(1, width)
        )
    }

    /// Draws what the user has chosen.
    func draw() -> Drawing {
        if let offset = self.navigation.help { return self.help(offset) }
        if let cursor = self.navigation.cursor { return self.chooser(cursor) }
        if let part = self.navigation.part ?? (Self.hasOverview(self.size) ? nil : .gauges) {
            return self.draw(part)
        }
        return self.overview
    }

    /// The number of rows below the head, without the last row.
    func room(below head: [StyledLine]) -> Int { max(0, self.size.rows - head.count - 1) }

    // MARK: - Rows

    /// Returns the lines cut or filled up to the number of rows.
    ///
    /// The last row has the keys, or the reason of a lost connection.
    func framed(_ lines: [StyledLine], keys: StyledLine) -> [StyledLine] {
        guard self.size.rows > 1 else { return Array(lines.prefix(self.size.rows)) }
        let room = self.size.rows - 1
        let filling = Array(repeating: StyledLine(), count: max(0, room - lines.count))
        let foot =
            if case .lost(_, let reason) = self.view.connection {
                StyledLine("\(Printable.text(reason.prefix(bytes: 200))); reconnecting", .attention)
            } else {
                keys
            }
        return Array(lines.prefix(room)) + filling + [foot]
    }

    /// Returns columns beside each other, as lines.
    static func beside(_ columns: [[StyledLine]], widths: [Int], rows: Int) -> [StyledLine] {
        (0..<min(rows, columns.map(\.count).max() ?? 0)).map { row in
            var (line, start) = (StyledLine(), 0)
            for (column, width) in zip(columns, widths) {
                if column.indices.contains(row) {
                    line.tab(start)
                    line.add(column[row].cut(to: width))
                }
                start += width + Self.gap
            }
            return line
        }
    }

    /// Returns the lines of the gauges, or those that tell why there is none.
    func gauges(_ pane: Pane, isDetailed: Bool) -> [StyledLine] {
        let lines = GaugesBlock(pane: pane, isDetailed: isDetailed).lines
        guard lines.isEmpty else { return lines }
        guard let silence else { return [StyledLine("No values yet", .dim)] }
        return Cells.wrap(silence, to: pane.width).map { StyledLine($0, .attention) }
    }

    /// The keys that choose a part, as far as they fit; the chosen part stands out.
    func keys(_ chosen: DashboardPart?) -> StyledLine {
        var line = StyledLine()
        if Self.hasOverview(self.size) { line.add("0 all", chosen == nil ? .bold : .dim) }
        for part in DashboardPart.allCases {
            line.add(line.width == 0 ? "" : "  ", .dim)
            line.add("\(part.rawValue) \(part.word)", part == chosen ? .bold : .dim)
        }
        line.add("  q quit  ? keys", .dim)
        return line.width <= self.size.columns ? line : StyledLine("1-6 parts  q quit  ? keys", .dim)
    }
}
