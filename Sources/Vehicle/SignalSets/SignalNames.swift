// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The names that signals get as parameters of the configuration.
///
/// A name is the identifier in lower case, with underscores for all characters other than ASCII letters and digits.
/// One that begins with a digit gets the prefix `s_`. One that is too long is cut. Of several signals with one name the
/// second gets the suffix `_2`.
struct SignalNames {
    private static let prefix = "s_"
    /// The longest name that the configuration takes, in bytes.
    private static let limit = 64
    /// The keys of `[parameters]` that are no parameters.
    private static let reserved: Set = ["sets", "catalog"]

    /// The names that signals of the set have by themselves, which no suffix may produce.
    private let natural: Set<String>
    private var taken: Set<String> = []

    /// - Parameter identifiers: the identifiers of all signals of the set.
    init(_ identifiers: some Sequence<String>) {
        self.natural = Set(identifiers.map(Self.name))
    }

    /// Returns the name for the next signal with this identifier; throws the reason if there is none.
    mutating func next(for identifier: String) throws(SignalRefusal) -> String {
        let name = Self.name(identifier)
        guard Parameter.named(name) == nil, SupplyValue(rawValue: name) == nil else {
            throw SignalRefusal(.catalogue, "the catalogue has a parameter with the name \(name)")
        }
        var unused = name
        var number = 1
        while self.taken.contains(unused) || number > 1 && self.natural.contains(unused) {
            number += 1
            let suffix = "_\(number)"
            unused = String(name.prefix(Self.limit - suffix.count)) + suffix
        }
        guard unused.first?.isLetter == true, !Self.reserved.contains(unused) else {
            throw SignalRefusal(.name, "its name \"\(unused)\" is not letters, digits and underscores, a letter first")
        }
        self.taken.insert(unused)
        return unused
    }

    private static func name(_ identifier: String) -> String {
        let name = String(
            identifier.lowercased().map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
        )
        return String(((name.first?.isNumber == true ? Self.prefix : "") + name).prefix(Self.limit))
    }
}
