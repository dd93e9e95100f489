// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The signal set that a detection has found, or the reason why it has found none.
package enum ModelChoice: Hashable, Sendable {
    /// The name of the set, and the best model among those that have it.
    case set(String, ModelDetection.Proposal)
    /// The vehicle answers too few requests of every model.
    case tooFewAnswers
    /// Several models with different sets fit equally well; the best one first.
    case tie([String])
}

extension ModelDetection {
    // Found by trial with recorded answers of 188 vehicles: 148 get the set of their model, and 5 that of another one,
    // which shares most of their requests.
    private static let chosenShare = 0.5
    private static let chosenProbability = 0.8

    /// The set to rely on without a human: most of its asked requests are answered, and no other fits as well.
    package var choice: ModelChoice {
        let best = self.best
        guard let first = best.first, Self.fits(first), let set = self.set(of: first.model) else {
            return .tooFewAnswers
        }
        guard set.probability < Self.chosenProbability else { return .set(set.name, first) }
        return best.count > 1 ? .tie(best.map(\.model)) : .tooFewAnswers
    }

    /// The models that fit equally well, the best one first; none without an answer.
    ///
    /// These are the models whose sets are together as probable as a chosen one has to be. Models with the same
    /// requests come together, because nothing tells them apart. If no model fits, only the best ones count.
    package var best: [Proposal] {
        var best: [Proposal] = []
        var sets: Set<String> = []
        var (sum, last) = (0.0, 0.0)
        for proposal in self.proposals {
            guard let set = self.set(of: proposal.model) else { continue }
            if let first = best.first, sum >= Self.chosenProbability || !Self.fits(first), set.probability != last {
                break
            }
            if sets.insert(set.name).inserted { sum += set.probability }
            last = set.probability
            best.append(proposal)
        }
        return best
    }

    /// Whether the vehicle answers enough requests of a model.
    private static func fits(_ proposal: Proposal) -> Bool {
        proposal.share >= Self.chosenShare && proposal.answered >= min(Self.answeredGoal, proposal.requests)
    }
}
