// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The signal set that a detection has found, or the reason why it has found none.
package enum ModelChoice: Hashable, Sendable {
    /// The name of the set, and the best model among those that have it.
    case set(String, ModelDetection.Proposal)
    /// The vehicle answers too few requests of every model.
    case tooFewAnswers
    /// Several models with different sets fit about as well; the best ones.
    case tie([String])
}

extension ModelDetection {
    // Found by trial with recorded answers of 188 vehicles: 148 get the set of their model, and 5 that of another one,
    // which shares most of their requests.
    private static let chosenShare = 0.5
    private static let chosenProbability = 0.8
    /// The most models of a tie.
    private static let tieLimit = 3

    /// The set to rely on without a human: most of its asked requests are answered, and no other fits as well.
    package var choice: ModelChoice {
        let proposals = self.proposals
        guard let best = proposals.first, let set = self.set(of: best.model), best.share >= Self.chosenShare,
            best.answered >= min(Self.answeredGoal, best.requests)
        else { return .tooFewAnswers }
        guard set.probability >= Self.chosenProbability else {
            return .tie(proposals.prefix(Self.tieLimit).map(\.model))
        }
        return .set(set.name, best)
    }
}
