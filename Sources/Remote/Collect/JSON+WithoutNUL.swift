// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension JSON {
    /// The value with U+FFFD for each NUL in its strings and names, which PostgreSQL does not take.
    var withoutNUL: JSON {
        switch self {
        case .null, .bool, .integer, .number: self
        case .string(let text): .string(Self.withoutNUL(text))
        case .array(let values): .array(values.map(\.withoutNUL))
        case .object(let members):
            .object(
                Dictionary(members.map { (Self.withoutNUL($0.key), $0.value.withoutNUL) }, uniquingKeysWith: { $1 })
            )
        }
    }

    private static func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}
