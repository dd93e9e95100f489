// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Lenient access to the parts of an unverified payload.
extension JSON {
    /// Parses a payload.
    ///
    /// A payload that is not JSON becomes null.
    package init(payload: [UInt8]) {
        self = (try? JSON(parsing: payload, depthLimit: 32)) ?? .null
    }

    /// The member with this name; null if there is none.
    package subscript(name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The text; nil if the value is no string.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The Boolean value; nil if the value is none.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements; empty if the value is no array.
    package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

    /// The members by name; empty if the value is no object.
    package var members: [(key: String, value: JSON)] {
        if case .object(let members) = self { members.sorted { $0.key < $1.key } } else { [] }
    }

    /// The time; nil if the value is no time as in RFC 3339.
    package var time: Timestamp? { self.string.flatMap { Timestamp($0) } }

    /// The number; nil if the value is no integer, or is negative.
    package var count: UInt64? { if case .integer(let value) = self { UInt64(exactly: value) } else { nil } }

    /// The state of a warning lamp: `on`, `off`, or `unknown` if the value is not Boolean.
    package var lamp: String { self.bool.map { $0 ? "on" : "off" } ?? "unknown" }
}
