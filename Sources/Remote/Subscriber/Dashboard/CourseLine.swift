// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The course of a value behind it: a sparkline and, where there is room, the extremes.
struct CourseLine {
    /// The widths of the extremes and of a sparkline.
    private static let (extremesWidth, leastWidth, largestWidth) = (13, 8, 60)

    private let pane: Pane
    private let name: String
    private let value: LiveValue

    init(_ pane: Pane, _ name: String, _ value: LiveValue) {
        self.pane = pane
        self.name = name
        self.value = value
    }

    /// Appends the course to a line that has the value.
    func add(to line: inout StyledLine) {
        let room = self.pane.width - line.width - 2
        let behind = Self.extremesWidth + 2
        let hasExtremes = room >= behind + Self.leastWidth
        let width = min(Self.largestWidth, hasExtremes ? room - behind : room)
        guard width > 0 else { return }
        line.add("  ")
        let start = line.width
        line.add(self.pane.sparkline(self.name, self.value, width: width), .accent)
        guard hasExtremes else { return }
        line.tab(start + width + 2)
        let extremes = Cells.cut(self.pane.extremes(self.name, self.value), to: Self.extremesWidth)
        line.add(Cells.padded(extremes, to: Self.extremesWidth, atEnd: false), .dim)
    }
}
