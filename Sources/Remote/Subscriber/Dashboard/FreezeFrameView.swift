// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The values that an ECU stored together with a code.
struct FreezeFrameView: Hashable, Sendable {
    /// The largest number of values.
    private static let limit = 64

    /// A value with its title.
    struct Value: Hashable, Sendable {
        let title: String
        let value: LiveValue
    }

    let ecu: String
    let values: [Value]
    /// The titles of the values that could not be read.
    let unread: [String]

    init(_ json: JSON, ecu: String) {
        self.ecu = Printable.text(ecu.prefix(bytes: 16))
        self.values = json["values"].members.prefix(Self.limit).map { name, value in
            let value = LiveValue(
                value,
                words: Words.parameter(name),
                isRetained: true,
                at: .zero,
                previous: nil
            )
            return Value(title: Self.title(of: name), value: value)
        }
        self.unread = json["unread"].elements.prefix(Self.limit).compactMap { $0.string.map(Self.title) }
    }

    private static func title(of name: String) -> String {
        Printable.text(Words.title(of: name.prefix(bytes: 100)))
    }
}
