// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The name of a topic that a message is published to (MQTT 5, section 4.7).
///
/// A topic has 1 to 65,535 UTF-8 bytes without wildcards and NUL. Topics are compared byte by byte, without Unicode
/// normalization (section 4.7.3).
package struct Topic: Sendable, CustomStringConvertible {
    private let text: String

    /// Checks that `text` is a topic name.
    ///
    /// - Throws: ``TopicError`` if `text` is empty, too long, or contains `+`, `#` or NUL.
    package init(_ text: String) throws(TopicError) {
        try checkLength(of: text)
        for byte in text.utf8 where isWildcard(byte) || byte == 0 { throw .forbiddenCharacter(text) }
        self.text = text
    }

    /// Returns the topic one level below: `a/b` and `c` give `a/b/c`.
    package func appending(_ level: String) throws(TopicError) -> Topic {
        guard Self.isLevel(level) else { throw .notALevel(level) }
        return try Topic("\(self.text)/\(level)")
    }

    /// Whether `text` can be a level of the agent's topics: not empty, no `/`, `+`, `#` or NUL, no `$` at the start.
    package static func isLevel(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "$") else { return false }
        return text.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") && !isWildcard($0) }
    }

    package var description: String { self.text }
}

// The equality of String is canonical equivalence; a broker compares bytes.
extension Topic: Hashable {
    package static func == (left: Topic, right: Topic) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
    }
}

func checkLength(of text: String) throws(TopicError) {
    if text.isEmpty { throw .empty }
    if text.utf8.count > 65535 { throw .tooLong(text.utf8.count) }
}

// Compares bytes: as a Character, a wildcard followed by a combining mark is not equal to the wildcard.
func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
}
