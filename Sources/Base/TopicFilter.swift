// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A filter for a subscription: a topic in which `+` matches one level and `#` all further levels.
///
/// MQTT 5 defines it in section 4.7.1.
package struct TopicFilter: Sendable, CustomStringConvertible {
    private let text: String

    /// Checks that `text` is a topic filter.
    ///
    /// - Throws: ``TopicError`` if `text` is empty, too long, contains NUL, or has a misplaced wildcard.
    package init(_ text: String) throws(TopicError) {
        try checkLength(of: text)
        if text.utf8.contains(0) { throw .forbiddenCharacter(text) }
        let levels = Self.levels(of: text)
        for (index, level) in levels.enumerated() where level.contains(where: isWildcard) {
            let isLast = index == levels.count - 1
            guard level.count == 1, level.first == UInt8(ascii: "+") || isLast else { throw .misplacedWildcard(text) }
        }
        self.text = text
    }

    /// Creates the filter that matches only `topic`.
    package init(_ topic: Topic) {
        self.text = topic.description
    }

    /// Whether a subscriber of this filter receives a message to `topic`.
    ///
    /// A filter that starts with a wildcard does not match topics that start with `$` (section 4.7.2). `a/#` also
    /// matches `a`.
    package func matches(_ topic: Topic) -> Bool {
        let filter = Self.levels(of: self.text)
        let name = Self.levels(of: topic.description)
        if topic.description.utf8.first == UInt8(ascii: "$"), self.text.utf8.first.map(isWildcard) == true {
            return false
        }
        for (index, level) in filter.enumerated() {
            if level.elementsEqual("#".utf8) { return true }
            guard index < name.count else { return false }
            guard level.elementsEqual("+".utf8) || level.elementsEqual(name[index]) else { return false }
        }
        return filter.count == name.count
    }

    package var description: String { self.text }

    private static func levels(of text: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0).utf8 }
    }
}

extension TopicFilter: Hashable {
    package static func == (left: TopicFilter, right: TopicFilter) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in self.text.utf8 { hasher.combine(byte) }
    }
}
