// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The readiness of the monitors, and the results of the on-board tests.
struct ReadinessBlock {
    let pane: Pane
    /// Whether each monitor and each test has a line.
    let isDetailed: Bool

    private var style: TextStyle { self.pane.isOnline ? .plain : .faded }

    /// The lines; empty without a message about readiness.
    var lines: [StyledLine] {
        guard let readiness = self.pane.view.readiness else { return [] }
        return self.summary(readiness) + self.tests(readiness)
    }

    private func summary(_ readiness: ReadinessView) -> [StyledLine] {
        let (all, open) = (readiness.monitors.count, readiness.open)
        let isOnline = self.pane.isOnline
        let state: (String, TextStyle) =
            if all == 0 {
                ("no monitors", .dim)
            } else if open.isEmpty {
                ("● all \(all) monitors complete", isOnline ? .good : .faded)
            } else {
                ("○ \(open.count) of \(all) monitors incomplete", isOnline ? .attention : .faded)
            }
        let age = isOnline ? "" : "last known, \(self.age(readiness.time))"
        guard self.isDetailed else {
            let names = self.pane.wrapped(open.joined(separator: ", "), isOnline ? .dim : .faded)
            return self.pane.flow(("Ready", .plain), [state, (age, .faded)]) + (open.isEmpty ? [] : names)
        }
        return self.pane.flow(("Ready", .plain), [state, (age, .faded)])
            + readiness.monitors.map { self.line($0) }
            + self.cycle(readiness)
    }

    private func line(_ monitor: ReadinessView.Monitor) -> StyledLine {
        let isOnline = self.pane.isOnline
        var line = StyledLine()
        line.tab(self.pane.labelWidth)
        line.add(
            monitor.isComplete ? "● complete  " : "○ incomplete",
            !isOnline ? .faded : monitor.isComplete ? .good : .attention
        )
        line.add("  ")
        line.add(Cells.cut(monitor.name, to: max(1, self.pane.width - line.width)), self.style)
        return line
    }

    private func cycle(_ readiness: ReadinessView) -> [StyledLine] {
        guard !readiness.cycle.isEmpty else { return [] }
        let head = self.pane.flow(
            ("Cycle", .plain),
            [("this driving cycle", .plain), ("read \(self.age(readiness.cycleTime))", .dim)]
        )
        return [StyledLine()] + head + readiness.cycle.map { self.line($0) }
    }

    // MARK: - Tests

    private func tests(_ readiness: ReadinessView) -> [StyledLine] {
        guard !readiness.tests.isEmpty else { return [] }
        let counts = readiness.counts.map { verdict, count in
            (
                text: "\(count) \(verdict)",
                style: verdict == "failed" && self.pane.isOnline ? TextStyle.danger : self.style
            )
        }
        let head = self.pane.flow(
            ("Tests", .plain),
            counts + [("read \(self.age(readiness.testTime))", .dim)]
        )
        let listed = self.isDetailed ? readiness.tests : readiness.tests.filter(\.hasFailed)
        return (self.isDetailed ? [StyledLine()] : []) + head + listed.flatMap(self.lines(of:))
    }

    private func lines(of test: ReadinessView.Test) -> [StyledLine] {
        let room = max(1, self.pane.width - self.pane.labelWidth)
        let verdict = CodeView.phrase(test.verdict)
        let parts: [(String, TextStyle)] = [
            (Cells.cut(test.subject, to: room), self.style), (Cells.cut(test.figures, to: room), .dim),
            (verdict, !self.pane.isOnline ? .faded : test.hasFailed ? .danger : .dim),
        ]
        return self.pane.flow((test.ecu, self.style), parts)
    }

    private func age(_ time: Timestamp?) -> String { self.pane.age(time, isCertain: self.pane.isCertain) }
}
