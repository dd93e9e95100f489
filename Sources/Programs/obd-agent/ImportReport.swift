// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import SignalSets

/// The report about an import: the taken signals, those that were left out with their reasons, and the counts.
enum ImportReport {
    static func lines(of set: SignalSetImport) -> [String] {
        let rows = set.imported.map { [$0.name, $0.request, $0.unit ?? "", $0.roleText ?? "", $0.formula] }
        return Self.lines(rows, set.skipped, notes: set.notes)
    }

    static func lines(of frames: DBCImport) -> [String] {
        Self.lines(frames.imported.map { [$0.name, "\($0.frame)", $0.unit ?? "", $0.formula] }, frames.skipped)
    }

    private static func lines(_ imported: [[String]], _ skipped: [SignalSetImport.Skipped], notes: [String] = [])
        -> [String]
    {
        var taken = TextTable()
        for row in imported { taken.append(row) }
        var lines = taken.lines
        if !skipped.isEmpty {
            var left = TextTable()
            for entry in skipped { left.append([entry.name, entry.reason]) }
            lines += ["", "Left out:"] + left.lines
        }
        for note in notes { lines += ["", "Note: \(note)"] }
        var counts = TextTable()
        counts.append(["\(imported.count)", "imported"])
        for (cause, count) in skipped.counts { counts.append(["\(count)", "left out: it \(cause.text)"]) }
        return lines + [""] + counts.lines
    }
}
