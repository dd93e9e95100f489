// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The names that a user may have meant.
extension SignalCatalog {
    private static let suggestionLimit = 5

    /// Returns the sets whose names are similar to `text`, the most similar first, and then the set of its make.
    package func suggestions(for text: String) -> [Entry] {
        let wanted = KnownMakes.withFullMake(Self.folded(text))
        let words = text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        var found = words.isEmpty ? [] : self.entries(matching: words)
        var names = Dictionary(self.entries.map { (Self.folded($0.name), $0) }) { first, _ in first }
        names.merge(self.entries.compactMap { entry in entry.model.map { (Self.folded($0), entry) } }) { first, _ in
            first
        }
        while found.count < Self.suggestionLimit, let name = Spelling.closest(to: wanted, in: names.keys.sorted()) {
            guard let entry = names.removeValue(forKey: name) else { break }
            if !found.contains(entry) { found.append(entry) }
        }
        // The set of the make, which may fit a model that has none.
        let makes = self.entries.filter { entry in
            entry.model == nil
                && ([entry.foldedMake] + KnownMakes.pair(entry.foldedMake)).contains(where: wanted.hasPrefix)
        }
        return found.prefix(Self.suggestionLimit) + makes.filter { !found.contains($0) }
    }

    /// Returns the make whose name is nearest to `text`; nil if none is near enough.
    package func make(like text: String) -> String? {
        let makes = Dictionary(self.entries.map { ($0.foldedMake, $0.make) }) { first, _ in first }
        return Spelling.closest(to: Self.folded(text), in: makes.keys.sorted()).flatMap { makes[$0] }
    }
}
