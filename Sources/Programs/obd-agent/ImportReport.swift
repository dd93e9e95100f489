// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import SignalSets

/// The report about an import: the taken signals, those that were left out with their reasons, and the counts.
struct ImportReport {
    let set: SignalSetImport

    var lines: [String] {
        var imported = TextTable()
        for entry in self.set.imported {
            imported.append([entry.name, entry.request, entry.unit ?? "", entry.roleText ?? "", entry.formula])
        }
        var lines = imported.lines
        if !self.set.skipped.isEmpty {
            var skipped = TextTable()
            for entry in self.set.skipped { skipped.append([entry.name, entry.reason]) }
            lines += ["", "Left out:"] + skipped.lines
        }
        for note in self.set.notes { lines += ["", "Note: \(note)"] }
        return lines + [""] + self.counts
    }

    /// The number of taken signals, and of those that were left out by reason.
    private var counts: [String] {
        var table = TextTable()
        table.append(["\(self.set.imported.count)", "imported"])
        for (cause, count) in self.set.skippedCounts {
            table.append(["\(count)", "left out: it \(cause.text)"])
        }
        return table.lines
    }
}
