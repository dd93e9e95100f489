// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Drive
package import OBD2

/// The arguments of `capture`.
package enum CaptureOrder: Hashable, Sendable {
    /// Capture what was read in the last minute, and what is read in the time after it.
    case now(after: Duration, parameters: [ParameterKey])
    /// Set a rule that captures by itself, for a time.
    case rule(CaptureRule, for: Duration)

    /// The result of the command.
    var result: JSON {
        switch self {
        case .now(let after, _): ["after": .number(after.seconds)]
        case .rule(let rule, let duration): ["rule": .string(rule.name), "duration": .number(duration.seconds)]
        }
    }
}
