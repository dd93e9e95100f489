// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A table: its keys with their values, in the order of first mention.
package struct Table: Equatable, Sendable {
    /// A key with its value.
    package struct Entry: Equatable, Sendable {
        package let name: String
        /// The position of the first mention of the name.
        package let position: Position
        package let node: TOMLNode

        package var value: TOMLValue { self.node.value }
    }

    package let entries: [Entry]
    private let indices: [Name: Int]

    init(entries: [Entry], indices: [Name: Int]) {
        self.entries = entries
        self.indices = indices
    }

    /// The entry with a name.
    package subscript(name: String) -> Entry? {
        self.indices[Name(text: name)].map { self.entries[$0] }
    }
}

/// The name of a key, compared byte by byte.
///
/// Two canonically equivalent `String`s are equal in Swift. TOML does not normalize, so they are different keys.
struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
    }
}
