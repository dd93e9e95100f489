// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Suggests corrections for misspelled words.
package enum Spelling {
    /// Returns the word of `words` nearest to `word`, if it is near enough.
    ///
    /// The largest distance is 2 or a third of the length, whichever is more; for up to 4 letters it is 1.
    package static func closest(to word: String, in words: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        guard letters.count <= 64 else { return nil }
        let limit = max(letters.count <= 4 ? 1 : 2, letters.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in words {
            let other = Array(candidate.utf8)
            guard candidate != word, abs(other.count - letters.count) <= limit else { continue }
            let distance = Self.distance(letters, other)
            if distance <= limit, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }

    /// Returns the Damerau-Levenshtein distance, in which each letter is moved at most once.
    ///
    /// The distance is the number of insertions, deletions, substitutions and swaps of neighbors that turn `first` into
    /// `second`.
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            current.reserveCapacity(second.count + 1)
            for column in second.indices {
                var cost = min(
                    previous[column + 1] + 1,
                    current[column] + 1,
                    previous[column] + (first[row] == second[column] ? 0 : 1)
                )
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
