// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Finds the name of a thing that a user has named from memory: in any case, misspelled, or in part.
package enum NearName {
    /// The least number of characters of a part.
    private static let leastPart = 3

    /// Returns the only name that a word probably means; nil if none is near, or several are equally.
    package static func find(_ word: String, in names: [String]) -> String? {
        let wanted = word.lowercased()
        let lower = names.map { $0.lowercased() }
        guard !lower.contains(wanted) else { return lower.firstIndex(of: wanted).map { names[$0] } }
        // The last characters of a VIN are usual as its short form.
        if wanted.count >= Self.leastPart {
            let parts = names.indices.filter { lower[$0].contains(wanted) }
            if parts.count == 1 { return parts.first.map { names[$0] } }
        }
        return Spelling.closest(to: wanted, in: lower).flatMap(lower.firstIndex).map { names[$0] }
    }
}
