// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The words that all screens, lists and exports share.
///
/// `docs/contract/words.en.json` is made of them, for readers that are not written in Swift.
package enum Words {
    /// Returns the name of a value for people; a name that is not of the catalogue becomes a phrase.
    package static func title(of name: String) -> String {
        Self.parameters[name]?.title ?? NamePhrase.phrase(name)
    }

    /// Returns the words of a value of the catalogue, of the 12 V supply, or of a ready derived parameter.
    ///
    /// Nil if the name is none of these.
    package static func parameter(_ name: String) -> ParameterWords? { Self.parameters[name] }

    /// Returns the name of a group of values for people.
    package static func group(_ group: ParameterCategory) -> String {
        Self.groups[group] ?? NamePhrase.phrase(group.rawValue)
    }

    /// Returns the word for a state or a reason, such as `link.connected`; nil for an unknown key.
    package static func term(_ key: String) -> String? { Self.terms[key] }

    /// All values with words, by name.
    package static let parameters: [String: ParameterWords] = {
        var words: [String: ParameterWords] = [:]
        for field in Self.fields where words[field.name] == nil {
            words[field.name] = ParameterWords(field, title: Self.titles[field.name] ?? NamePhrase.phrase(field.name))
        }
        return words
    }()

    /// The fields of all values with words; the first field with a name counts.
    private static var fields: [Field] {
        // In steps: Swift 6.2, which builds for arm64, takes too long for one expression.
        var fields: [Field] = (Parameter.catalogue + Parameter.fourBanks).flatMap(\.fields)
        fields += ParameterGroup.all.flatMap { $0.signals.map(\.field) }
        fields += SupplyValue.allCases.map(\.field)
        fields += DerivedValue.allCases.map(\.field)
        return fields
    }
}
