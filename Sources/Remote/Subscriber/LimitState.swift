// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The state of a limit according to the topic `limits`.
struct LimitState: Hashable, Sendable {
    /// The largest number of limits.
    private static let limit = 64

    let name: String
    /// The condition under which the limit is exceeded.
    let condition: String
    /// Whether the limit is exceeded; nil until the agent knows the values.
    let isExceeded: Bool?
    /// The time since when it is exceeded.
    let since: Timestamp?

    /// Returns the limits of a payload, sorted by name.
    static func list(_ json: JSON) -> [LimitState] {
        json["limits"].members.prefix(Self.limit).map { name, state in
            LimitState(
                name: Printable.text(name.prefix(bytes: 100)),
                condition: Printable.text((state["when"].string ?? "").prefix(bytes: 200)),
                isExceeded: state["exceeded"].bool,
                since: state["since"].time
            )
        }
    }
}
