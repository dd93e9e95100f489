// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The keys of a table, in the order of their first mention.
package struct Table: Equatable, Sendable {
    /// A key with its value.
    package struct Entry: Equatable, Sendable {
        package let name: String
        /// Where the name is first mentioned.
        package let position: Position
        package let node: Node

        package var value: Value { self.node.value }
    }

    package let entries: [Entry]
    private let indices: [Name: Int]

    init(entries: [Entry], indices: [Name: Int]) {
        self.entries = entries
        self.indices = indices
    }

    /// The key of that name.
    package subscript(name: String) -> Entry? {
        self.indices[Name(text: name)].map { self.entries[$0] }
    }
}

/// A key's name, the same as another if it has the same characters.
///
/// A `String` would be the same as one that only looks so: TOML does not normalize.
struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
    }
}
