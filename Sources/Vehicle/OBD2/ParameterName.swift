// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The name of a parameter as a user writes it, and the name that the user probably meant.
package enum ParameterName {
    /// The names of the catalog, for a search and for the completion of a command line.
    package static let all: [String] = Parameter.catalogue.flatMap { parameter in
        [parameter.name] + parameter.fields.map(\.name).filter { $0 != parameter.name }
    }

    /// The largest number of bytes in a name.
    private static let limit = 64

    /// Returns the name that the user probably meant; nil if none is near.
    ///
    /// - Parameter others: the names that are no part of the catalog, such as those of custom parameters.
    package static func suggestion(for word: String, others: [String] = []) -> String? {
        guard word.utf8.count <= Self.limit else { return nil }
        let plain = Self.plain(word)
        if plain != word, others.contains(plain) || Parameter.named(plain) != nil { return plain }
        if let name = ParameterAliases.names[plain] { return name }
        return Spelling.closest(to: plain, in: others + Self.all)
    }

    /// Returns the name of the catalog for which `word` is another common word, or a misspelling of at most two letters.
    ///
    /// Nil if the word is in the catalog. A custom parameter may have such a name all the same.
    package static func correction(of word: String) -> String? {
        guard word.utf8.count <= Self.limit, Parameter.named(word) == nil, ParameterGroup.named(word) == nil else {
            return nil
        }
        let plain = Self.plain(word)
        if plain != word, Parameter.named(plain) != nil { return plain }
        if let name = ParameterAliases.names[plain] { return name }
        return Spelling.misspelled(plain, in: Self.all)
    }

    /// Whether a word can be the name of a parameter in any vehicle: letters, digits and low lines.
    package static func isName(_ word: String) -> Bool {
        1...Self.limit ~= word.utf8.count
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Returns a word as names are written.
    private static func plain(_ word: String) -> String {
        word.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
    }
}
