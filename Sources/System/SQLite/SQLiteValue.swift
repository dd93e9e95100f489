// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value for a parameter of a statement.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    /// A number; SQLite stores NaN as NULL.
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Creates a value; `nil` becomes NULL.
    package init(_ text: String?) { self = text.map(Self.text) ?? .null }

    /// Creates a value; `nil` becomes NULL.
    package init(_ number: Int64?) { self = number.map(Self.integer) ?? .null }

    /// Creates a value; `nil` becomes NULL.
    package init(_ bytes: [UInt8]?) { self = bytes.map(Self.blob) ?? .null }
}
