// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
package import OBD2

/// A request that is polled for all the parameters in its answer.
package enum PollItem: Hashable, Sendable {
    /// One PID of service 01.
    case pid(PID)
    /// A parameter group of J1939.
    case group(PGN)
    /// A custom request.
    case custom(CustomRequest)
    /// Frames that nodes of the vehicle send by themselves. They are not polled.
    case frame(FrameSource)

    /// The destination of the request; nil for all ECUs.
    package var destination: Destination? {
        if case .custom(let request) = self { request.destination } else { nil }
    }

    /// Whether the request goes to all ECUs or to a diagnostic address.
    var isDiagnostic: Bool { self.destination?.header.isDiagnostic ?? true }

    /// The request in the dialect of SAE J1979; nil if it has none.
    package var request: Request? {
        if case .pid(let pid) = self { .currentData(pid) } else { nil }
    }
}

extension PollItem: CustomStringConvertible {
    /// The text for users: the name of the parameter, or the request.
    package var description: String {
        switch self {
        case .pid(let pid): ParameterKey.pid(pid).name
        case .group(let pgn): pgn.description
        case .custom(let request): request.description
        case .frame(let frame): frame.description
        }
    }
}

extension PollItem: Comparable {
    /// Orders PIDs first, then parameter groups, custom requests, and frames.
    package static func < (left: PollItem, right: PollItem) -> Bool {
        switch (left, right) {
        case (.pid(let left), .pid(let right)): left < right
        case (.group(let left), .group(let right)): left < right
        case (.custom(let left), .custom(let right)): left < right
        case (.frame(let left), .frame(let right)): left < right
        case (.pid, _), (.group, .custom), (.group, .frame), (.custom, .frame): true
        case (.group, _), (.custom, _), (.frame, _): false
        }
    }
}

extension PollItem: ExpressibleByIntegerLiteral {
    /// Creates the item of a PID.
    package init(integerLiteral value: UInt8) {
        self = .pid(PID(rawValue: value))
    }
}
