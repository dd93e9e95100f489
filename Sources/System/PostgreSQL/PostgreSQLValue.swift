// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A value for a parameter of a statement.
///
/// PostgreSQL has no text with the character U+0000. Each becomes U+FFFD, the replacement character.
package enum PostgreSQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case time(Timestamp)
    case texts([String])
    case integers([Int64])

    /// Creates a value; `nil` becomes NULL.
    package init(_ text: String?) { self = text.map(Self.text) ?? .null }

    /// Creates a value; `nil` becomes NULL.
    package init(_ number: Int64?) { self = number.map(Self.integer) ?? .null }

    /// Creates a value; `nil` becomes NULL.
    package init(_ time: Timestamp?) { self = time.map(Self.time) ?? .null }

    /// The value as the server reads it, or nil for NULL.
    var literal: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .text(let text): Self.withoutNUL(text)
        // PostgreSQL's calendar has no year 0; that is 1 BC.
        case .time(let time) where time.year == 0: "0001" + time.description.dropFirst(4) + " BC"
        case .time(let time): time.description
        case .integers(let numbers): "{" + numbers.map(String.init).joined(separator: ",") + "}"
        case .texts(let texts): "{" + texts.map { Self.quoted(Self.withoutNUL($0)) }.joined(separator: ",") + "}"
        }
    }

    /// Returns a text whose characters U+0000 are replaced.
    static func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })
        return String(result)
    }

    /// Returns a text as an element of an array.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
