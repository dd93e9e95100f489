// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The layout of a dashboard in rows and columns.
struct Screen {
    /// The number of columns below which names and values are narrower.
    private static let narrow = 60

    let view: VehicleView
    let size: Dashboard.Size
    /// The present time.
    let now: Timestamp
    /// A notice in the last row; empty for none.
    let notice: String

    private var isNarrow: Bool { self.size.columns < Self.narrow }
    /// The number of columns of a label and the blanks behind it.
    var labelWidth: Int { self.isNarrow ? 8 : 10 }
    private var valueWidth: Int { self.isNarrow ? 11 : 14 }

    // MARK: - The vehicle

    /// Returns the traction battery, the gauges, the lamp with its codes, the drive, and the other parameters, in as many rows as the screen has.
    func dashboard(hidden: Set<String>, offset: Int) -> [StyledLine] {
        let battery = self.battery
        var lines = self.head + [StyledLine()] + battery + (battery.isEmpty ? [] : [StyledLine()])
        let gauges = Gauge.all(isDiesel: self.view.isDiesel).compactMap(self.gauge)
        lines += gauges.isEmpty ? [StyledLine("No values yet", .dim)] : gauges
        lines += [StyledLine()] + self.codes + self.drive
        let others = self.view.others.filter { !hidden.contains($0) }.dropFirst(offset)
        if !others.isEmpty { lines += [StyledLine()] + others.map(self.other) }
        return self.framed(lines, "q quit  p parameters  ↑↓ scroll")
    }

    /// Returns the lines cut or filled up to the number of rows.
    ///
    /// The last row has the help on keys, or the notice.
    private func framed(_ lines: [StyledLine], _ keys: String) -> [StyledLine] {
        guard self.size.rows > 1 else { return Array(lines.prefix(self.size.rows)) }
        let room = self.size.rows - 1
        let filling = Array(repeating: StyledLine(), count: max(0, room - lines.count))
        let foot = self.notice.isEmpty ? StyledLine(keys, .dim) : StyledLine(self.notice, .attention)
        return Array(lines.prefix(room)) + filling + [foot]
    }

    private var head: [StyledLine] {
        let picture = self.view.picture
        let name = Printable.text(picture.name)
        var line = StyledLine(name, .bold)
        if picture.isSimulated, !self.isNarrow { line.add("  simulated", .dim) }
        let state = StyledLine(self.state.text, self.state.style)
        let time = self.isNarrow ? "" : "  \(self.now.description.dropFirst(11).prefix(8)) UTC"
        line = line.cut(to: max(8, self.size.columns - state.width - Cells.width(time) - 2))
        line.tab(self.size.columns - state.width - Cells.width(time))
        line.add(self.state.text, self.state.style)
        line.add(time, .dim)
        guard let problem = picture.problem, picture.availability == .online else { return [line] }
        return [line, StyledLine(Printable.text(problem), .attention)]
    }

    private var state: (text: String, style: TextStyle) {
        switch self.view.picture.availability {
        case nil: return ("no message yet", .dim)
        case .offline: return ("offline", .attention)
        case .online:
            let activity = Printable.text(self.view.picture.activity)
            let isFine = self.view.picture.link == "connected" && self.view.picture.isConfirmed
            return (activity.isEmpty ? "online" : activity, isFine ? .good : .attention)
        }
    }

    private var battery: [StyledLine] {
        guard self.view.hasBattery else { return [] }
        var title = StyledLine("Traction battery", .bold)
        for (role, whileTrue, whileFalse) in BatteryView.states {
            guard let isTrue = self.view.truth(of: role) else { continue }
            title.add("   ")
            title.add(isTrue ? "● \(whileTrue)" : "○ \(whileFalse)", isTrue ? .good : .dim)
        }
        let quantities = BatteryView.quantities.compactMap { role, label -> StyledLine? in
            guard let value = self.view.names(of: role).first.flatMap({ self.view.values[$0] }) else { return nil }
            var line = StyledLine(label)
            line.tab(self.labelWidth)
            line.add(self.aligned(value.number.map(Self.text) ?? value.text, value.unit))
            line.add("  ")
            line.add(Cells.sparkline(value.history, width: self.size.columns - line.width), .accent)
            return line
        }
        return [title] + [self.gauge(BatteryView.charge)].compactMap(\.self) + quantities
    }

    private func gauge(_ gauge: Gauge) -> StyledLine? {
        let values = self.view.names(of: gauge).lazy.compactMap { self.view.values[$0] }
        guard let value = values.first, let number = value.number else { return nil }
        let style: TextStyle =
            switch gauge.severity(number, in: value.unit) {
            case .none: .good
            case .attention: .attention
            case .danger: .danger
            }
        var line = StyledLine(gauge.label)
        line.tab(self.labelWidth)
        line.add(self.aligned(Self.text(number), value.unit), style == .good ? .bold : style)
        line.add("  ")
        let bar = Cells.bar(gauge.fill(number, in: value.unit), width: self.size.columns - line.width)
        line.add(bar.full, style)
        line.add(bar.empty, .dim)
        return line
    }

    /// Returns a number with one decimal place, or without any from 100 on.
    static func text(_ number: Double) -> String {
        let scale: Double = number.magnitude < 100 ? 10 : 1
        let rounded = (number * scale).rounded() / scale
        let text = JSON.text(of: rounded)
        return scale == 10 && !text.contains(".") && text != "null" ? text + ".0" : text
    }

    /// Returns a value and its unit, aligned so that all numbers end in one column.
    private func aligned(_ text: String, _ unit: String) -> String {
        let unitWidth = self.isNarrow ? 5 : 6
        let room = self.valueWidth - unitWidth
        let text = Cells.cut(text, to: room)
        let unit = Cells.cut(unit, to: unitWidth - 1)
        return String(repeating: " ", count: room - Cells.width(text)) + text + " " + unit
            + String(repeating: " ", count: unitWidth - 1 - Cells.width(unit))
    }

    private var codes: [StyledLine] {
        let picture = self.view.picture
        var line = StyledLine("Lamp")
        line.tab(self.labelWidth)
        line.add(
            picture.mil.map { $0 ? "● on" : "○ off" } ?? "unknown",
            picture.mil.map { $0 ? .danger : .good } ?? .dim
        )
        let codes = self.view.codes
        guard picture.codeCount != nil else {
            line.add("   codes unknown", .dim)
            return [line]
        }
        line.add(codes.isEmpty ? "   no codes" : "   \(codes.count) \(codes.count == 1 ? "code" : "codes")", .dim)
        let limit = max(1, self.size.rows / 4)
        var lines = [line]
        for (code, meaning) in codes.prefix(limit) {
            var line = StyledLine(code, .danger)
            line.tab(self.labelWidth)
            line.add(meaning)
            lines.append(line)
        }
        if codes.count > limit { lines.append(StyledLine("and \(codes.count - limit) more", .dim)) }
        return lines
    }

    private func other(_ name: String) -> StyledLine {
        guard let value = self.view.values[name] else { return StyledLine(name) }
        let nameWidth = self.isNarrow ? 18 : 30
        var line = StyledLine(Cells.cut(name, to: nameWidth - 1), .dim)
        line.tab(nameWidth)
        guard let number = value.number else {
            line.add("  \(value.text)")
            return line
        }
        line.add(self.aligned(Self.text(number), value.unit))
        line.add("  ")
        line.add(Cells.sparkline(value.history, width: self.size.columns - line.width), .accent)
        return line
    }

    // MARK: - The list of parameters

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
            lines.append(StyledLine("\(isSelected ? ">" : " ") \(mark) \(name)", isSelected ? .bold : .plain))
        }
        return self.framed(lines, "space show or hide  ↑↓  p back  q quit")
    }
}
