// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The ECUs with their names and software, and how often their monitors have run.
struct ECUsBlock {
    let pane: Pane

    private var style: TextStyle { self.pane.isOnline ? .plain : .faded }

    /// The lines; empty before the vehicle is identified.
    var lines: [StyledLine] {
        let ecus = ECUView.list(self.pane.view.picture.vehicle)
        guard !ecus.isEmpty else { return [] }
        return [StyledLine("ECUs", .bold)] + ecus.flatMap(self.lines(of:))
    }

    private func lines(of ecu: ECUView) -> [StyledLine] {
        let software = ecu.calibrations.map { (text: $0, style: TextStyle.dim) }
        let head = self.pane.flow((ecu.id, self.style), [(ecu.name ?? "no name", self.style)] + software)
        guard !ecu.monitors.isEmpty else { return head }
        let cycles = ecu.ignitionCycles.map { " in \($0) ignition cycles" } ?? ""
        let title = self.pane.wrapped("In-use performance: runs of occasions\(cycles)", .dim)
        return head + title + ecu.monitors.map(self.line(of:))
    }

    private func line(of monitor: ECUView.Monitor) -> StyledLine {
        var line = StyledLine()
        line.tab(self.pane.labelWidth)
        let ratio = monitor.ratio.map { $0.isFinite ? "  \(FixedPoint.text($0, places: 2))" : "" } ?? ""
        let figures = "\(monitor.completions) of \(monitor.conditions)\(ratio)"
        let room = max(1, self.pane.width - line.width - Cells.width(figures) - 2)
        line.add(Cells.padded(Cells.cut(monitor.name, to: room), to: min(room, 30), atEnd: true), self.style)
        line.add("  \(figures)", .dim)
        return line
    }
}
