// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import OBD2

/// The result of a detection, as a table.
struct ModelReport {
    /// The most models that are shown.
    private static let limit = 10

    private let counts: ModelDetection.Counts
    private let proposals: ArraySlice<ModelDetection.Proposal>
    private let search: ModelSearch

    init(_ detection: ModelDetection, _ search: ModelSearch) {
        self.counts = detection.counts
        self.proposals = detection.proposals.prefix(Self.limit)
        self.search = search
    }

    /// The table, and the next step of the user.
    var lines: [String] {
        var table = TextTable()
        table.append(["model", "answered", "asked", "share"])
        for proposal in self.proposals {
            let share = Int((proposal.share * 100).rounded())
            table.append([proposal.model, "\(proposal.answered)", "\(proposal.asked)", "\(share) %"])
        }
        let year = self.search.year.map { " --year \($0)" } ?? ""
        let next = self.proposals.first.map { "Next: obd-agent parameters import --model \"\($0.model)\"\(year)" }
        return table.lines + [
            "",
            "\(self.counts.all) requests: \(self.counts.positive) answered, \(self.counts.refused) refused, "
                + "\(self.counts.silent) without an answer",
        ] + [next].compactMap(\.self)
    }
}
