// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What a statement's parameter is bound to.
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Null for nil.
    package init(_ text: String?) { self = text.map(Self.text) ?? .null }

    /// Null for nil.
    package init(_ number: Int64?) { self = number.map(Self.integer) ?? .null }

    /// Null for nil.
    package init(_ bytes: [UInt8]?) { self = bytes.map(Self.blob) ?? .null }
}
