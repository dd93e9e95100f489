// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Suggests corrections for misspelled words.
package enum Spelling {
    /// Returns the word of `words` nearest to `word`, if it is near enough.
    ///
    /// Words of two errors at most come first, then names with the most parts in common, as `oil_temperature` has with
    /// `engine_oil_temp`, then words that are near enough: the largest distance is 2 or a third of the length, whichever
    /// is more; for up to 4 letters it is 1.
    package static func closest(to word: String, in words: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        guard letters.count <= 64 else { return nil }
        let others = words.filter { $0 != word }
        let near = Self.nearest(to: letters, in: others, within: max(Self.errors(letters), letters.count / 3))
        if let near, near.distance <= 2 { return near.word }
        let parts = Self.parts(letters)
        var alike: (word: String, strangeParts: Int)?
        for candidate in others {
            let count = Self.strangeParts(parts, Self.parts(Array(candidate.utf8)))
            if let count, count < alike?.strangeParts ?? .max { alike = (candidate, count) }
        }
        return alike?.word ?? near?.word
    }

    /// Returns the word of `words` that differs from `word` by at most two errors, or one for up to 4 letters.
    package static func misspelled(_ word: String, in words: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        guard letters.count <= 64 else { return nil }
        return Self.nearest(to: letters, in: words, within: Self.errors(letters))?.word
    }

    /// Returns the number of errors up to which a word is a misspelled one.
    private static func errors(_ letters: [UInt8]) -> Int { letters.count <= 4 ? 1 : 2 }

    /// Returns the first of the words with the least distance; nil if all are farther than `limit`.
    private static func nearest(
        to letters: [UInt8],
        in words: some Sequence<String>,
        within limit: Int
    ) -> (word: String, distance: Int)? {
        var near: (word: String, distance: Int)?
        for candidate in words {
            let other = Array(candidate.utf8)
            guard abs(other.count - letters.count) <= limit else { continue }
            let distance = Self.distance(letters, other)
            if distance <= limit, distance < near?.distance ?? .max { near = (candidate, distance) }
        }
        return near
    }

    /// Returns the parts of a name between its low lines, at most eight.
    private static func parts(_ letters: [UInt8]) -> [ArraySlice<UInt8>] {
        Array(letters.split(separator: UInt8(ascii: "_"), maxSplits: 7))
    }

    /// Returns the number of parts that only one of two names has; nil if they have fewer than two in common.
    private static func strangeParts(_ first: [ArraySlice<UInt8>], _ second: [ArraySlice<UInt8>]) -> Int? {
        guard first.count > 1, second.count > 1 else { return nil }
        let common = first.count { part in second.contains { Self.isAlike(part, $0) } }
        let strange = first.count + second.count - 2 * common
        return common > 1 && strange <= common ? strange : nil
    }

    /// Whether two parts of names are equal but for one error, or one is the beginning of the other.
    private static func isAlike(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
        let shorter = min(first.count, second.count)
        guard shorter > 2 else { return first == second }
        if first.starts(with: second) || second.starts(with: first) { return true }
        return shorter > 4 && abs(first.count - second.count) <= 1
            && Self.distance(Array(first), Array(second)) <= 1
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
