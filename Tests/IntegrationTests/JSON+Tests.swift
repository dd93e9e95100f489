// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension JSON {
    /// Parses JSON; the result is null if the bytes are no JSON.
    init(parsing bytes: [UInt8]) {
        self = (try? JSON(parsing: bytes, depthLimit: 64)) ?? .null
    }

    /// The member; null if there is none.
    subscript(key: String) -> JSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }

    var isNull: Bool { self == .null }
}

extension [UInt8] {
    var hexadecimal: String {
        self.hexadecimal(separator: "", uppercase: false)
    }
}
