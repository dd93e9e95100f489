// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Looking into payloads of which nothing is certain.
extension JSON {
    /// Reads a payload; null where it is no JSON.
    package init(payload: [UInt8]) {
        self = (try? JSON(parsing: payload, depthLimit: 32)) ?? .null
    }

    /// The member of this name; null where there is none.
    package subscript(name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The text, where it is one.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The truth value, where it is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements; none where it is no array.
    package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

    /// The members, by name; none where it is no object.
    package var members: [(key: String, value: JSON)] {
        if case .object(let members) = self { members.sorted { $0.key < $1.key } } else { [] }
    }

    /// The moment, where it is one in the form of RFC 3339.
    package var time: Timestamp? { self.string.flatMap { Timestamp($0) } }

    /// A number that is whole and not negative.
    package var count: UInt64? { if case .integer(let value) = self { UInt64(exactly: value) } else { nil } }

    /// The state of the warning lamp, for people.
    package var lamp: String { self.bool.map { $0 ? "on" : "off" } ?? "unknown" }
}
