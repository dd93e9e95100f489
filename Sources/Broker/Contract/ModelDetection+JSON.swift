// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

extension ModelDetection {
    /// The most models in a report.
    private static let reportLimit = 10

    /// Returns the members of the report about a detection: the models, the best one first, and the counted answers.
    package func report(of search: ModelSearch) -> [String: JSON] {
        let models = self.proposals.prefix(Self.reportLimit).map { proposal -> JSON in
            [
                "model": .string(proposal.model), "answered": .integer(Int64(proposal.answered)),
                "asked": .integer(Int64(proposal.asked)), "requests": .integer(Int64(proposal.requests)),
                "share": .number((proposal.share * 1000).rounded() / 1000),
            ]
        }
        return [
            "makes": .array(search.makes.map { .string($0) }),
            "year": search.year.map { .integer(Int64($0)) } ?? .null, "models": .array(models),
            "best": .array(self.best.prefix(Self.reportLimit).map { .string($0.model) }),
            "asked": .integer(Int64(self.counts.all)), "answered": .integer(Int64(self.counts.positive)),
            "refused": .integer(Int64(self.counts.refused)), "silent": .integer(Int64(self.counts.silent)),
        ]
    }
}
