// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
package import OBD2

/// What is asked again and again: one request, and all the parameters that its answer holds.
package enum PollItem: Hashable, Sendable {
    /// One PID of service 01.
    case pid(PID)
    /// A parameter group of J1939.
    case group(PGN)
    /// A custom request.
    case custom(CustomRequest)

    /// Whom it goes to; nil for everybody.
    package var destination: Destination? {
        if case .custom(let request) = self { request.destination } else { nil }
    }

    /// What asks for it in the words of SAE J1979; nil where those have none.
    package var request: Request? {
        if case .pid(let pid) = self { .currentData(pid) } else { nil }
    }
}

extension PollItem: CustomStringConvertible {
    /// For people who wait: a name, or a request.
    package var description: String {
        switch self {
        case .pid(let pid): ParameterKey.pid(pid).name
        case .group(let pgn): pgn.description
        case .custom(let request): request.description
        }
    }
}

extension PollItem: Comparable {
    /// By PID; parameter groups after them, custom requests last.
    package static func < (left: PollItem, right: PollItem) -> Bool {
        switch (left, right) {
        case (.pid(let left), .pid(let right)): left < right
        case (.group(let left), .group(let right)): left < right
        case (.custom(let left), .custom(let right)): left < right
        case (.pid, _), (.group, .custom): true
        case (.group, .pid), (.custom, _): false
        }
    }
}

extension PollItem: ExpressibleByIntegerLiteral {
    /// The PID.
    package init(integerLiteral value: UInt8) {
        self = .pid(PID(rawValue: value))
    }
}
