// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A group of alike signals, such as the cells of a battery.
struct SignalGroup: Hashable, Sendable {
    /// The group's name for people.
    let name: String
    private let pattern: [Element]

    /// An element of the pattern that the identifiers of the group match.
    private enum Element: Hashable, Sendable {
        case character(Character)
        /// One or more digits: `\d+`.
        case digits
    }

    /// Reads a group; nil if its pattern has more than letters, digits, underscores, brackets and `\d+`.
    ///
    /// A set is a stranger's file, and a regular expression can take any time to match. This form cannot.
    init?(_ node: JSONNode) throws(SignalSetError) {
        let id = try node.required("id").text
        self.name = try node.optional("name")?.text ?? id
        var pattern: [Element] = []
        var rest = Substring(try node.required("matchingRegex").text)
        while let character = rest.popFirst() {
            switch character {
            case "(", ")": continue
            case "\\" where rest.hasPrefix("d+"):
                rest = rest.dropFirst(2)
                pattern.append(.digits)
            case "_": pattern.append(.character(character))
            case _ where character.isASCII && (character.isLetter || character.isNumber):
                pattern.append(.character(character))
            default: return nil
            }
        }
        self.pattern = pattern
    }

    /// Returns whether the group has the signal with this identifier.
    func contains(_ identifier: String) -> Bool {
        var rest = identifier[...]
        for element in self.pattern {
            switch element {
            case .character(let character):
                guard rest.popFirst() == character else { return false }
            case .digits:
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty else { return false }
                rest = rest.dropFirst(digits.count)
            }
        }
        return rest.isEmpty
    }
}
