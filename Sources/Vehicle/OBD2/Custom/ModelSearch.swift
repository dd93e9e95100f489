// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The models among which a detection searches.
package struct ModelSearch: Hashable, Sendable {
    /// The makes that the vehicle may have, by its VIN or by the user.
    package let makes: [String]
    /// The model year, for which the requests are; nil if it is unknown.
    package let year: Int?
    package let candidates: [ModelCandidate]

    package init(makes: [String], year: Int?, candidates: [ModelCandidate]) {
        self.makes = makes
        self.year = year
        self.candidates = candidates
    }

    /// Whether a model has a request that can be asked.
    package var hasRequests: Bool { self.candidates.contains { !$0.requests.isEmpty } }

    /// Returns the search with only those requests whose destinations the vehicle's bus reaches.
    package func limited(to reaches: (Destination?) -> Bool) -> Self {
        let candidates = self.candidates.map { candidate in
            ModelCandidate(
                model: candidate.model,
                set: candidate.set,
                requests: candidate.requests.filter { reaches($0.destination) }
            )
        }
        return Self(makes: self.makes, year: self.year, candidates: candidates)
    }
}
