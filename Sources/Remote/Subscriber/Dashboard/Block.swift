// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Lines that share a column with others, and give way where there is no room for all.
struct Block: Sendable {
    let part: DashboardPart
    private(set) var lines: [StyledLine]
    /// The number of lines without which the block is not shown at all.
    let least: Int
    /// The number of lines beyond which the block waits until every other one has its own.
    let most: Int
    /// The place in the order in which blocks get room; the first gets it first.
    let rank: Int
    /// Whether a blank line stands before the block.
    let isApart: Bool

    init(
        _ part: DashboardPart,
        _ lines: [StyledLine],
        least: Int = 1,
        most: Int = .max,
        rank: Int,
        isApart: Bool = true
    ) {
        self.part = part
        self.lines = lines
        self.least = min(least, lines.count)
        self.most = max(self.least, min(most, lines.count))
        self.rank = rank
        self.isApart = isApart
    }

    /// Returns the number of lines of each block in a column with this many rows.
    ///
    /// Each block first gets its least lines, in the order of the ranks, then more of them, then all.
    static func room(_ blocks: [Block], rows: Int) -> [Int] {
        var (granted, left) = (blocks.map { _ in 0 }, rows)
        let order = blocks.indices.filter { !blocks[$0].lines.isEmpty }.sorted { blocks[$0].rank < blocks[$1].rank }
        for index in order {
            let cost = blocks[index].least + (blocks[index].isApart && index != order.min() ? 1 : 0)
            guard cost <= left else { continue }
            granted[index] = blocks[index].least
            left -= cost
        }
        for wanted in [blocks.map(\.most), blocks.map(\.lines.count)] {
            for index in order where granted[index] > 0 {
                let more = min(left, wanted[index] - granted[index])
                granted[index] += more
                left -= more
            }
        }
        return granted
    }

    /// Returns the lines of all blocks, each with as many lines as it has room for.
    ///
    /// A block that is cut says so, and with which key the rest is shown.
    static func stacked(_ blocks: [Block], room: [Int]) -> [StyledLine] {
        var lines: [StyledLine] = []
        for (block, count) in zip(blocks, room) where count > 0 {
            if block.isApart, !lines.isEmpty { lines.append(StyledLine()) }
            guard count < block.lines.count, count > 1 else {
                lines += block.lines.prefix(count)
                continue
            }
            let rest = block.lines.count - count + 1
            lines += block.lines.prefix(count - 1)
            lines.append(StyledLine("and \(rest) more: key \(block.part.rawValue)", .dim))
        }
        return lines
    }

    /// Scrolls the lines below the first one, the heading, which tells the place.
    ///
    /// - Returns: how far they can be scrolled.
    mutating func scroll(by offset: Int, rows: Int) -> Navigation.Extent {
        let (count, page) = (self.lines.count - 1, max(1, rows - 1))
        guard count > page else { return Navigation.Extent(last: 0, page: page) }
        let start = min(offset, count - page)
        var heading = self.lines[0]
        heading.add("   \(start + 1)–\(start + page) of \(count)", .dim)
        self.lines = [heading] + self.lines.dropFirst(1 + start).prefix(page)
        return Navigation.Extent(last: count - page, page: page)
    }
}
