// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a topic name or a topic filter.
package enum TopicError: Error, Hashable, Sendable {
    /// There is nothing in it.
    case empty
    /// It has this many UTF-8 bytes, more than 65,535.
    case tooLong(Int)
    /// A topic name holds `+`, `#` or NUL.
    case forbiddenCharacter(String)
    /// A filter's wildcard is not a level of its own, or `#` is not the last one.
    case misplacedWildcard(String)
    /// It cannot be one level of a topic, see ``Topic/isLevel(_:)``.
    case notALevel(String)
}

extension TopicError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "a topic cannot be empty"
        case .tooLong(let count): "a topic has at most 65535 bytes, this one has \(count)"
        case .forbiddenCharacter(let text): "\"\(text)\" holds a character that a topic name cannot have (+, # or NUL)"
        case .misplacedWildcard(let text): "\"\(text)\" has a wildcard in the wrong place"
        case .notALevel(let text): "\"\(text)\" cannot be one level of a topic"
        }
    }
}
