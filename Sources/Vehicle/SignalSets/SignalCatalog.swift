// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The makes and models for which there are signal sets, with the place of each set.
///
/// The names are those of the OBDb project's repositories: `Kia-EV9` for a model, `Kia` for the set of its make, and
/// `NissanInfiniti` for the set of two makes.
package struct SignalCatalog: Sendable {
    /// The largest number of sets in a catalog.
    package static let limit = 10_000

    /// The place of a set.
    package enum Place: Hashable, Sendable, CustomStringConvertible {
        case file(String)
        /// A file in an archive.
        case member(String, archive: String)

        package var description: String {
            switch self {
            case .file(let path): path
            case .member(let name, let archive): "\(archive): \(name)"
            }
        }
    }

    /// The set of a model or a make.
    package struct Entry: Hashable, Sendable {
        /// The name of the set, as in `Kia-EV9`.
        package let name: String
        package let make: String
        /// The model, with the hyphens of the name; nil for the set of a make.
        package let model: String?
        package let place: Place

        /// The make and the model for people, as in `Kia EV9`.
        package var title: String { self.model.map { "\(self.make) \($0)" } ?? self.make }

        /// The make in the form in which makes are compared.
        var foldedMake: String { SignalCatalog.folded(self.make) }
    }

    /// The sets, ordered by make and model; the set of a make comes before its models.
    package let entries: [Entry]

    /// The sets that are for no vehicle: those of standards.
    private static let standards: Set = ["saej1979"]

    /// - Parameter sets: the names with their places. Of sets with the same name, the first counts.
    package init(_ sets: [(name: String, place: Place)]) {
        var seen: Set<String> = []
        let sets = sets.prefix(Self.limit).filter { set in
            Self.isOfVehicle(set.name) && seen.insert(set.name).inserted
        }
        let makes = KnownMakes(names: sets.map(\.name))
        self.entries = sets.map { set in
            let (make, model) = makes.split(set.name)
            return Entry(name: set.name, make: make, model: model, place: set.place)
        }
        .sorted { ($0.foldedMake, $0.model ?? "", $0.name) < ($1.foldedMake, $1.model ?? "", $1.name) }
    }

    /// Whether a set may be that of a model or a make, by its name.
    package static func isOfVehicle(_ name: String) -> Bool {
        let name = Self.folded(name)
        return !name.isEmpty && !Self.standards.contains(name)
    }

    // MARK: - Lookups

    /// Returns the sets whose names contain each of the words, in any spelling.
    package func entries(matching words: [String]) -> [Entry] {
        let words = words.map(KnownMakes.full)
        return self.entries.filter { entry in
            let name = Self.folded(entry.name)
            return words.allSatisfy { name.contains($0) }
        }
    }

    /// Returns the models of a make, and the make's own sets, which may also be those of two makes.
    package func entries(ofMake make: String) -> [Entry] {
        let make = KnownMakes.full(make)
        return self.entries.filter { entry in
            entry.foldedMake == make || entry.model == nil && KnownMakes.pair(entry.foldedMake).contains(make)
        }
    }

    /// Returns the sets of an entry's make.
    package func makeSets(of entry: Entry) -> [Entry] {
        self.entries(ofMake: entry.make).filter { $0.model == nil }
    }

    /// The result of a search for a model by its name.
    package enum Match: Hashable, Sendable {
        /// The sets of the model, the likeliest first: two spellings of a name may have a set each.
        case found([Entry])
        /// Several makes have a model of this name.
        case ambiguous([Entry])
        /// No set has the name; the entries have similar names.
        case unknown([Entry])
    }

    /// Returns the sets of the model that `text` names.
    ///
    /// Case, spaces, hyphens, dots and accents make no difference; the make may be left out if the model is unique.
    package func find(_ text: String) -> Match {
        let wanted = KnownMakes.withFullMake(Self.folded(text))
        guard !wanted.isEmpty else { return .unknown([]) }
        let exact = self.entries.filter { Self.folded($0.name) == wanted }
        if !exact.isEmpty {
            let spelled = text.replacing(" ", with: "-").lowercased()
            return .found(
                exact.filter { $0.name.lowercased() == spelled } + exact.filter { $0.name.lowercased() != spelled }
            )
        }
        let models = self.entries.filter { $0.model.map(Self.folded) == wanted }
        if !models.isEmpty {
            return Set(models.map(\.foldedMake)).count == 1 ? .found(models) : .ambiguous(models)
        }
        let makes = self.entries.filter { $0.model == nil && KnownMakes.pair($0.foldedMake).contains(wanted) }
        return makes.isEmpty ? .unknown(self.suggestions(for: text)) : .found(makes)
    }

    /// Returns the letters and digits of a name in lower case, without accents.
    static func folded(_ name: String) -> String {
        String(name.lowercased().compactMap { Self.accents[$0] ?? ($0.isLetter || $0.isNumber ? $0 : nil) })
    }

    private static let accents: [Character: Character] = [
        "ë": "e", "é": "e", "è": "e", "ê": "e", "š": "s", "ç": "c", "ö": "o", "ü": "u", "ä": "a",
    ]
}
