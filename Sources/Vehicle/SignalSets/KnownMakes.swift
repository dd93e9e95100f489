// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The makes by which the names of signal sets are split into make and model.
struct KnownMakes {
    /// The makes of which VINs tell, in the form in which makes are compared.
    private static let folded = Set(VIN.knownMakes.map(SignalCatalog.folded))

    /// The short names of makes, for all that users name: a make, a model, the words of a search.
    private static let short = ["vw": "volkswagen", "mercedes": "mercedesbenz", "chevy": "chevrolet"]

    /// The sets of two makes, as in `Vauxhall-Opel`.
    private let pairs: Set<String>

    /// - Parameter names: the names of all sets. Two makes have a set in common only if one of these names is theirs.
    init(names: [String]) {
        self.pairs = Set(names.map(SignalCatalog.folded).filter { !Self.pair($0).isEmpty })
    }

    /// Returns the make and the model in the name of a set.
    ///
    /// The make is the longest known one at the start of the name, or else the first word.
    func split(_ name: String) -> (make: String, model: String?) {
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        let count = (1...words.count).last { count in
            let start = SignalCatalog.folded(words.prefix(count).joined())
            return Self.folded.contains(start) || self.pairs.contains(start)
        }
        let make = words.prefix(count ?? 1).joined(separator: "-")
        let model = words.dropFirst(count ?? 1).joined(separator: "-")
        return (make, model.isEmpty ? nil : model)
    }

    /// Returns the two makes whose names make a name, as those of `nissaninfiniti`; empty for any other name.
    static func pair(_ name: String) -> [String] {
        for first in Self.folded where name.hasPrefix(first) {
            let second = String(name.dropFirst(first.count))
            if Self.folded.contains(second) { return [first, second] }
        }
        return []
    }

    /// Returns a make in the form in which makes are compared, with its full name.
    static func full(_ make: String) -> String {
        let make = SignalCatalog.folded(make)
        return Self.short[make] ?? make
    }

    /// Returns the name of a model with the full name of its make.
    static func withFullMake(_ name: String) -> String {
        for (short, full) in Self.short where name.hasPrefix(short) && !name.hasPrefix(full) {
            return full + name.dropFirst(short.count)
        }
        return name
    }
}
