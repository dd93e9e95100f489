// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not a topic name or a topic filter.
package enum TopicError: Error, Hashable, Sendable {
    /// The text is empty.
    case empty
    /// The text has this number of UTF-8 bytes, more than 65,535.
    case tooLong(Int)
    /// A topic name contains `+`, `#` or NUL, or a filter contains NUL.
    case forbiddenCharacter(String)
    /// A filter's wildcard is not a level of its own, or `#` is not the last one.
    case misplacedWildcard(String)
    /// The text cannot be one level of a topic, see ``Topic/isLevel(_:)``.
    case notALevel(String)
}

extension TopicError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "a topic cannot be empty"
        case .tooLong(let count): "a topic has at most 65535 bytes; this one has \(count)"
        case .forbiddenCharacter(let text): "\"\(text)\" contains a character that no topic name may have (+, # or NUL)"
        case .misplacedWildcard(let text): "\"\(text)\" has a wildcard inside of a level, or # before the last level"
        case .notALevel(let text):
            "\"\(text)\" cannot be one level of a topic: it is empty, starts with $, or contains /, +, # or NUL"
        }
    }
}
