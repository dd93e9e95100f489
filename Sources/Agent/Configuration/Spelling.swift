// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What was probably meant by a misspelt word.
enum Spelling {
    /// The word of `words` nearest to `word`, if near enough: two slips, or a third of the length; one in short words.
    static func closest(to word: String, in words: some Sequence<String>) -> String? {
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

    /// The Damerau-Levenshtein distance, each letter moved once at most: insertions, deletions, substitutions and
    /// swaps of neighbours that turn `first` into `second`.
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
