// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A topic name: what a message is published to (MQTT 5, section 4.7).
///
/// 1 to 65,535 UTF-8 bytes without wildcards and NUL. Two topics are the same when their bytes are; nothing is
/// normalised (section 4.7.3).
package struct Topic: Sendable, CustomStringConvertible {
    private let text: String

    /// Throws if `text` is empty, too long, or holds `+`, `#` or NUL.
    package init(_ text: String) throws(TopicError) {
        try checkLength(of: text)
        for byte in text.utf8 where isWildcard(byte) || byte == 0 { throw .forbiddenCharacter(text) }
        self.text = text
    }

    /// The topic one level below: `a/b` and `c` give `a/b/c`.
    package func appending(_ level: String) throws(TopicError) -> Topic {
        guard Self.isLevel(level) else { throw .notALevel(level) }
        return try Topic("\(self.text)/\(level)")
    }

    /// Whether `text` can be one level of a topic of ours: not empty, no `/`, `+`, `#` or NUL, no `$` in front.
    package static func isLevel(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "$") else { return false }
        return text.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") && !isWildcard($0) }
    }

    package var description: String { self.text }
}

// A String's own equality takes canonically equivalent texts for the same; a broker does not.
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

// On bytes: as a Character, a wildcard with a combining mark behind it is no longer that wildcard.
func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
}
