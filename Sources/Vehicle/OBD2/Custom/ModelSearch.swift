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
}
