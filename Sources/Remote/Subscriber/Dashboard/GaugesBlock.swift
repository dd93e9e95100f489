// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The traction battery and the gauges of a vehicle.
struct GaugesBlock {
    /// The largest width of a bar.
    private static let longest = 60
    /// The width of the text about a bar's range, and the width of a column from which it is shown.
    private static let (rangeWidth, roomy) = (11, 56)

    let pane: Pane
    /// Whether each gauge also has its course.
    let isDetailed: Bool

    private var view: VehicleView { self.pane.view }

    /// The lines of the battery and of all gauges with a number; empty without any.
    var lines: [StyledLine] {
        let battery = self.battery
        let gauges = Gauge.all(isDiesel: self.view.isDiesel).flatMap(self.gauge)
        return battery + (battery.isEmpty || gauges.isEmpty ? [] : [StyledLine()]) + gauges + self.missingSet
    }

    /// The next step for an electric car, whose battery only a signal set reads; empty for any other vehicle.
    private var missingSet: [StyledLine] {
        let vehicle = self.view.picture.vehicle
        guard vehicle["unsupported"].elements.contains("engine_speed"), vehicle["signal_set"] == .null,
            !self.view.hasBattery
        else { return [] }
        return [
            StyledLine("No engine. The battery of an electric car needs a signal set.", .dim),
            StyledLine("Try: obd-agent parameters detect, or see docs/tasks/read-electric-car.md", .dim),
        ]
    }

    /// The state of charge and the other values of the traction battery.
    private var battery: [StyledLine] {
        guard self.view.hasBattery else { return [] }
        let states = BatteryView.states.compactMap { state -> (text: String, style: TextStyle)? in
            guard let isTrue = self.view.truth(of: state.role) else { return nil }
            let isLive = self.view.names(of: state.role).contains { self.pane.freshness($0) == .live }
            let words = isTrue ? "● \(state.isTrue)" : "○ \(state.isFalse)"
            return (words, !isLive ? .faded : isTrue ? .good : .dim)
        }
        var (title, rest) = (StyledLine("Traction battery", .bold), [StyledLine]())
        for state in states {
            if title.width + 3 + Cells.width(state.text) > self.pane.width {
                rest.append(title)
                title = StyledLine("  ")
            } else {
                title.add("   ")
            }
            title.add(state.text, state.style)
        }
        let quantities = BatteryView.quantities.compactMap { role, label -> StyledLine? in
            guard let name = self.view.names(of: role).first else { return nil }
            var line = StyledLine(label)
            line.tab(self.pane.labelWidth)
            self.pane.add(name, to: &line)
            return line
        }
        return rest + [title] + self.gauge(BatteryView.charge) + quantities
    }

    /// Returns the lines of a gauge; empty without a number.
    ///
    /// Only a value that is measured now has a bar, and a color of its own.
    private func gauge(_ gauge: Gauge) -> [StyledLine] {
        let name = self.view.names(of: gauge).first { self.view.values[$0] != nil }
        guard let name, let value = self.view.values[name], let number = value.number else { return [] }
        let (text, unit) = value.shown(in: self.pane.units)
        var line = StyledLine(gauge.label)
        line.tab(self.pane.labelWidth)
        let freshness = self.pane.freshness(name)
        guard freshness == .live else {
            line.add(self.pane.aligned(text, unit), .faded)
            self.pane.add(freshness, to: &line)
            return [line]
        }
        let style: TextStyle =
            switch gauge.severity(number, in: value.unit) {
            case .none: .good
            case .attention: .attention
            case .danger: .danger
            }
        line.add(self.pane.aligned(text, unit), style == .good ? .bold : style)
        line.add("  ")
        let hasRange = self.pane.width >= Self.roomy
        let start = line.width
        let width = min(Self.longest, self.pane.width - start - (hasRange ? Self.rangeWidth + 1 : 0))
        line.add(Self.bar(gauge, fill: gauge.fill(number, in: value.unit), style: style, width: width))
        if hasRange {
            line.add(" ")
            line.add(Cells.cut(gauge.rangeText { self.shown($0, like: value, unit) }, to: Self.rangeWidth), .dim)
        }
        return [line] + (self.isDetailed ? [self.course(name, value, from: start, width: width)] : [])
    }

    /// Converts a metric number to the shown unit of a value.
    private func shown(_ metric: Double, like value: LiveValue, _ unit: String) -> Double {
        guard UnitSystem.isImperial(unit) else { return metric }
        let metricUnit = UnitSystem.metric.convert(0, unit).unit
        return UnitSystem.imperial.convert(metric, metricUnit, isAir: unit == "inHg").number
    }

    /// Returns the line below a gauge, with its course and extremes.
    private func course(_ name: String, _ value: LiveValue, from start: Int, width: Int) -> StyledLine {
        var line = StyledLine()
        line.tab(start)
        line.add(self.pane.sparkline(name, value, width: width), .accent)
        line.tab(start + width + 1)
        line.add(Cells.cut(self.pane.extremes(name, value), to: max(0, self.pane.width - line.width)), .dim)
        return line
    }

    /// Returns a bar with the marks of its limits.
    private static func bar(_ gauge: Gauge, fill: Double, style: TextStyle, width: Int) -> StyledLine {
        guard width > 0 else { return StyledLine() }
        let full = Cells.bar(fill, width: width).full
        var cells = Array(repeating: (text: "░", style: TextStyle.dim), count: width)
        for mark in gauge.marks {
            let style: TextStyle = mark.severity == .danger ? .danger : .attention
            cells[min(width - 1, Int(mark.place * Double(width)))] = ("│", style)
        }
        var line = StyledLine(full, style)
        for cell in cells.dropFirst(full.count) { line.add(cell.text, cell.style) }
        return line
    }
}
