// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A column of the screen, with what its lines depend on.
struct Pane {
    /// The number of columns below which names and values are narrower.
    private static let narrow = 50
    /// The number of columns from which the words about a value are whole.
    private static let fullWords = 24

    let view: VehicleView
    let now: ViewerTime
    let lamps: Lamps
    /// The units to show; nil for those in which the agent publishes, if these are metric.
    let units: UnitSystem?
    let width: Int

    var isNarrow: Bool { self.width < Self.narrow }
    /// The number of columns of a label and the blanks behind it.
    var labelWidth: Int { self.isNarrow ? 8 : 10 }
    /// The number of columns of a number.
    private var numberWidth: Int { self.isNarrow ? 6 : 8 }
    /// The number of columns of a unit that is not unusually long.
    private var unitWidth: Int { 5 }
    /// The number of columns of a value with its unit.
    var valueWidth: Int { self.numberWidth + 1 + self.unitWidth }

    // MARK: - Ages

    /// Whether the agent is known to be online.
    var isOnline: Bool { self.lamps.agent.light == .good }

    /// Whether the agent's clock is set.
    var isCertain: Bool { self.view.picture.isClockSet != false }

    /// Returns the age of a time in words.
    func age(_ time: Timestamp?, isCertain: Bool) -> String {
        isCertain ? time?.age(at: self.now.date) ?? Timestamp.unknownText : Timestamp.unknownText
    }

    func freshness(_ name: String) -> Freshness {
        self.view.freshness(of: name, isMeasured: self.lamps.areLit, at: self.now)
    }

    /// Returns the age of a value in words; nil for a live one.
    func words(_ freshness: Freshness, isShort: Bool) -> (text: String, style: TextStyle)? {
        switch freshness {
        case .live: nil
        case .late(let age): (isShort ? age.ageText : "late, \(age.ageText)", .attention)
        case .lastKnown(let age?): (isShort ? age.ageText : "last known, \(age.ageText)", .faded)
        case .lastKnown(nil): (isShort ? "age unknown" : "last known, age unknown", .faded)
        }
    }

    // MARK: - Values

    /// The shown time of all courses.
    var span: Duration {
        Course.span(for: self.view.courseStart.map { self.now.monotonic - $0 } ?? .zero)
    }

    /// The same as text, such as `last 2 min`; empty before the first course.
    var spanText: String {
        guard self.view.courseStart != nil else { return "" }
        let seconds = self.span.components.seconds
        return seconds < 60 ? "last \(seconds) s" : "last \(seconds / 60) min"
    }

    /// Returns the sparkline of a value.
    func sparkline(_ name: String, _ value: LiveValue, width: Int) -> String {
        let hold = self.view.limit(of: name)
        let cells = value.course.cells(width, span: self.span, at: self.now.monotonic, hold: hold)
        return Cells.sparkline(cells, width: width)
    }

    /// Returns the least and the largest number of a value in the shown time, such as `12–87`; empty without any.
    func extremes(_ name: String, _ value: LiveValue) -> String {
        let hold = self.view.limit(of: name)
        let extremes = value.course.extremes(span: self.span, at: self.now.monotonic, hold: hold)
        guard let extremes else { return "" }
        let ends = [extremes.lowerBound, extremes.upperBound].map { value.shown($0, in: self.units).text }
        return ends[0] == ends[1] ? ends[0] : ends.joined(separator: "–")
    }

    /// Appends a value: with its course and extremes, or with its age if it is not measured now.
    func add(_ name: String, to line: inout StyledLine) {
        guard let value = self.view.values[name] else { return }
        let freshness = self.freshness(name)
        let style: TextStyle = freshness == .live ? .plain : .faded
        let (text, unit) = value.shown(in: self.units)
        if value.number != nil {
            line.add(self.aligned(text, unit), style)
        } else {
            // The age must be there, so the text gives way.
            let age = self.words(freshness, isShort: true).map { Cells.width($0.text) + 2 } ?? 0
            line.add("  " + Cells.cut(text, to: max(1, self.width - line.width - 2 - age)), style)
        }
        guard freshness == .live else { return self.add(freshness, to: &line) }
        guard value.number != nil else { return }
        CourseLine(self, name, value).add(to: &line)
    }

    /// Appends the age of a value that is not live.
    func add(_ freshness: Freshness, to line: inout StyledLine) {
        let isShort = self.width - line.width - 2 < Self.fullWords
        guard let words = self.words(freshness, isShort: isShort) else { return }
        // A long unit gives way to the age.
        line = line.cut(to: max(0, self.width - 2 - Cells.width(words.text)))
        line.add("  ")
        line.add(words.text, words.style)
    }

    /// Returns a value and its unit, aligned so that all numbers end in one column.
    func aligned(_ text: String, _ unit: String) -> String {
        // Where a number is too long for its decimals, it goes without.
        let whole = text.contains("e") ? text : String(text.prefix { $0 != "." })
        let number = Cells.cut(Cells.width(text) > self.numberWidth ? whole : text, to: self.numberWidth)
        return Cells.padded(number, to: self.numberWidth, atEnd: false) + " "
            + Cells.padded(unit, to: self.unitWidth, atEnd: true)
    }

    /// Returns a figure with one decimal place, or without any from 100 on.
    func figure(_ number: Double, _ unit: String) -> String {
        let shown = self.units?.convert(number, unit) ?? (number, unit)
        return "\(FixedPoint.text(shown.0, places: shown.0.magnitude < 99.95 ? 1 : 0)) \(shown.1)"
    }

    // MARK: - Words

    /// Returns the parts behind a label; a part that does not fit begins another line.
    func flow(
        _ label: (text: String, style: TextStyle),
        _ parts: [(text: String, style: TextStyle)]
    ) -> [StyledLine] {
        let label = (text: Cells.cut(label.text, to: self.labelWidth - 1), style: label.style)
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

    /// Returns a text behind the labels, broken into lines.
    func wrapped(_ text: String, _ style: TextStyle = .plain) -> [StyledLine] {
        Cells.wrap(text, to: max(1, self.width - self.labelWidth)).map { words in
            var line = StyledLine()
            line.tab(self.labelWidth)
            line.add(words, style)
            return line
        }
    }

    /// Returns a heading with remarks.
    func heading(_ title: String, _ remarks: [String] = []) -> StyledLine {
        var line = StyledLine(title, .bold)
        for remark in remarks where !remark.isEmpty {
            line.add("   ")
            line.add(remark, .dim)
        }
        return line
    }
}
