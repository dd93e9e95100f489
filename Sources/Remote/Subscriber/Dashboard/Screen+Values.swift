// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Screen {
    /// The number of columns from which the words about a value are whole.
    private static let fullWords = 24

    /// The state of charge and the other values of the traction battery.
    var battery: [StyledLine] {
        guard self.view.hasBattery else { return [] }
        var title = StyledLine("Traction battery", .bold)
        for (role, whileTrue, whileFalse) in BatteryView.states {
            guard let isTrue = self.view.truth(of: role) else { continue }
            let isLive = self.view.names(of: role).contains { self.freshness($0) == .live }
            title.add("   ")
            title.add(isTrue ? "● \(whileTrue)" : "○ \(whileFalse)", !isLive ? .faded : isTrue ? .good : .dim)
        }
        let quantities = BatteryView.quantities.compactMap { role, label -> StyledLine? in
            guard let name = self.view.names(of: role).first else { return nil }
            var line = StyledLine(label)
            line.tab(self.labelWidth)
            self.add(name, to: &line)
            return line
        }
        return [title] + [self.gauge(BatteryView.charge)].compactMap(\.self) + quantities
    }

    /// Returns the line of a gauge; nil without a number.
    ///
    /// Only a value that is measured now has a bar, and a color of its own.
    func gauge(_ gauge: Gauge) -> StyledLine? {
        let name = self.view.names(of: gauge).first { self.view.values[$0] != nil }
        guard let name, let value = self.view.values[name], let number = value.number else { return nil }
        var line = StyledLine(gauge.label)
        line.tab(self.labelWidth)
        let freshness = self.freshness(name)
        guard freshness == .live else {
            line.add(self.aligned(value.text, value.unit), .faded)
            self.add(freshness, to: &line)
            return line
        }
        let style: TextStyle =
            switch gauge.severity(number, in: value.unit) {
            case .none: .good
            case .attention: .attention
            case .danger: .danger
            }
        line.add(self.aligned(value.text, value.unit), style == .good ? .bold : style)
        line.add("  ")
        let bar = Cells.bar(gauge.fill(number, in: value.unit), width: self.width - line.width)
        line.add(bar.full, style)
        line.add(bar.empty, .dim)
        return line
    }

    /// Returns the line of a parameter without a gauge.
    func other(_ name: String) -> StyledLine {
        let nameWidth = self.isNarrow ? 18 : max(24, min(36, self.width / 2))
        var line = StyledLine(Cells.cut(self.view.title(of: name), to: nameWidth - 1), .dim)
        line.tab(nameWidth)
        self.add(name, to: &line)
        return line
    }

    /// Appends a value and its course, or its age if it is not measured now.
    private func add(_ name: String, to line: inout StyledLine) {
        guard let value = self.view.values[name] else { return }
        let freshness = self.freshness(name)
        let style: TextStyle = freshness == .live ? .plain : .faded
        if value.number != nil {
            line.add(self.aligned(value.text, value.unit), style)
        } else {
            line.add("  \(value.text)", style)
        }
        guard freshness == .live else { return self.add(freshness, to: &line) }
        guard value.number != nil else { return }
        line.add("  ")
        line.add(Cells.sparkline(value.history, width: self.width - line.width), .accent)
    }

    private func freshness(_ name: String) -> Freshness {
        self.view.freshness(of: name, isMeasured: self.lamps.areLit, at: self.now)
    }

    /// Appends the age of a value.
    private func add(_ freshness: Freshness, to line: inout StyledLine) {
        let isShort = self.width - line.width - 2 < Self.fullWords
        line.add("  ")
        switch freshness {
        case .live: break
        case .late(let age): line.add(isShort ? age.ageText : "late, \(age.ageText)", .attention)
        case .lastKnown(let age?): line.add(isShort ? age.ageText : "last known, \(age.ageText)", .faded)
        case .lastKnown(nil): line.add(isShort ? "age unknown" : "last known, age unknown", .faded)
        }
    }

    /// Returns a figure with one decimal place, or without any from 100 on.
    static func text(_ number: Double) -> String {
        FixedPoint.text(number, places: number.magnitude < 99.95 ? 1 : 0)
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
}
