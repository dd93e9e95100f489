// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Screen {
    /// A column with its width.
    private typealias Column = (width: Int, blocks: [Block])

    /// All parts at once: one below the other, in two columns, or in three.
    var overview: Drawing {
        let head = self.head + [StyledLine()]
        let rows = self.room(below: head)
        let columns =
            switch self.size.columns {
            case ..<Self.wide: self.oneColumn(rows: rows)
            case ..<Self.widest: self.twoColumns(rows: rows)
            default: self.threeColumns(rows: rows)
            }
        var extent = Navigation.Extent(last: 0, page: 1)
        let stacks = columns.map { column in
            var (blocks, room) = (column.blocks, Block.room(column.blocks, rows: rows))
            for index in blocks.indices where blocks[index].part == .values {
                extent = blocks[index].scroll(by: self.navigation.offset, rows: room[index])
                room[index] = min(room[index], blocks[index].lines.count)
            }
            return Block.stacked(blocks, room: room)
        }
        let lines = Self.beside(stacks, widths: columns.map(\.width), rows: rows)
        return Drawing(lines: self.framed(head + lines, keys: self.keys(nil)), extent: extent)
    }

    private func oneColumn(rows: Int) -> [Column] {
        let pane = self.pane(self.size.columns)
        let (codes, drive) = (CodesBlock(pane: pane, isDetailed: false), DriveBlock(pane: pane, isDetailed: false))
        let readiness = ReadinessBlock(pane: pane, isDetailed: false).lines
        return [
            (
                self.size.columns,
                [
                    Block(.gauges, self.gauges(pane, isDetailed: false), least: rows / 2, rank: 1),
                    Block(.codes, codes.codes, least: max(1, rows / 4), most: rows / 3, rank: 0),
                    Block(.drive, drive.lines, rank: 2, isApart: false),
                    Block(.codes, codes.finding, least: 2, rank: 3, isApart: false),
                    Block(.readiness, readiness, rank: 5, isApart: false),
                    self.values(pane, rank: 4), self.events(pane, rank: 6),
                ]
            )
        ]
    }

    private func twoColumns(rows: Int) -> [Column] {
        let left = self.size.columns * 2 / 5
        let right = self.size.columns - left - Self.gap
        let (pane, other) = (self.pane(left), self.pane(right))
        let blocks = Self.fitting(rows, [(true, true), (true, false), (false, false)]) { gauges, codes in
            let block = CodesBlock(pane: pane, isDetailed: codes)
            return [
                Block(.gauges, self.gauges(pane, isDetailed: gauges), least: 4, rank: 1),
                Block(.codes, block.codes, most: rows / 3, rank: 0),
                Block(.drive, DriveBlock(pane: pane, isDetailed: false).lines, rank: 2),
                Block(.codes, block.finding, least: 2, rank: 3),
            ]
        }
        let readiness = ReadinessBlock(pane: other, isDetailed: false).lines
        return [
            (left, blocks),
            (
                right,
                [
                    self.values(other, rank: 1), Block(.readiness, readiness, rank: 0),
                    self.events(other, rank: 2),
                ]
            ),
        ]
    }

    private func threeColumns(rows: Int) -> [Column] {
        let inner = self.size.columns - 2 * Self.gap
        let (left, right) = (min(72, inner * 29 / 100), min(80, inner * 30 / 100))
        let middle = inner - left - right
        let (pane, last) = (self.pane(left), self.pane(right))
        let states = Self.fitting(rows, [(true, true), (true, false), (false, false)]) { gauges, others in
            [
                Block(.gauges, self.gauges(pane, isDetailed: gauges), least: 4, rank: 0),
                Block(.drive, DriveBlock(pane: pane, isDetailed: others).lines, rank: 1),
                Block(.readiness, ReadinessBlock(pane: pane, isDetailed: others).lines, rank: 2),
            ]
        }
        let news = Self.fitting(rows, [(true, true), (false, true), (false, false)]) { codes, finding in
            [
                Block(.codes, CodesBlock(pane: last, isDetailed: codes).codes, most: rows / 2, rank: 0),
                Block(.codes, CodesBlock(pane: last, isDetailed: finding).finding, least: 2, rank: 1),
                self.events(last, rank: 2),
            ]
        }
        return [(left, states), (middle, [self.values(self.pane(middle), rank: 0)]), (right, news)]
    }

    /// Returns the blocks with the most details that have room, or else those with the fewest.
    private static func fitting(
        _ rows: Int,
        _ variants: [(Bool, Bool)],
        _ blocks: (Bool, Bool) -> [Block]
    ) -> [Block] {
        var last: [Block] = []
        for variant in variants {
            last = blocks(variant.0, variant.1)
            if last.reduce(0, { $0 + $1.lines.count + 1 }) - 1 <= rows { return last }
        }
        return last
    }

    // MARK: - Blocks

    private func values(_ pane: Pane, rank: Int) -> Block {
        let hasGroups = self.size.columns >= Self.wide
        let lines = ValuesBlock(pane: pane, hidden: self.navigation.hidden, hasGroups: hasGroups).lines
        let heading = lines.isEmpty ? [] : [pane.heading(DashboardPart.values.title, [pane.spanText])]
        return Block(.values, heading + lines, least: 4, rank: rank)
    }

    private func events(_ pane: Pane, rank: Int) -> Block {
        let lines = EventsBlock(pane: pane, isDetailed: false).lines
        let heading = lines.isEmpty ? [] : [pane.heading(DashboardPart.events.title)]
        return Block(.events, heading + lines.prefix(8), least: 3, rank: rank)
    }
}
