// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Parking

/// A value that shows whether the vehicle is in use, and the poll that reads it.
struct UseSignPoll: Sendable {
    let source: UseSign.Source
    let item: PollItem

    /// Returns the signs that a vehicle supports.
    ///
    /// - Parameters:
    ///   - custom: returns the custom parameters with a role.
    ///   - item: returns the poll that reads a parameter; nil if the vehicle does not support it.
    static func supported(
        _ custom: (ParameterRole) -> [ParameterKey],
        _ item: (ParameterKey) -> PollItem?
    ) -> [UseSignPoll] {
        UseSign.Kind.allCases.flatMap { kind in
            let standard: [ParameterKey] =
                switch kind {
                case .engineSpeed: [.pid(0x0C)]
                case .vehicleSpeed: [.pid(0x0D)]
                case .ready, .charging: []
                }
            return (standard + custom(kind.role)).compactMap { key in
                item(key).map { UseSignPoll(source: UseSign.Source(kind, key.name), item: $0) }
            }
        }
    }
}

extension UseSign.Kind {
    /// The role of the parameters that have signs of this kind.
    fileprivate var role: ParameterRole {
        switch self {
        case .engineSpeed: .engineSpeed
        case .vehicleSpeed: .vehicleSpeed
        case .ready: .ready
        case .charging: .charging
        }
    }
}

extension FieldValue {
    /// The sign of use that the value is; nil if it is none.
    var sign: UseSign? {
        switch (self.field.role, self.value) {
        case (.engineSpeed, .number(let speed)): .engineSpeed(speed)
        case (.vehicleSpeed, .number(let speed)): .vehicleSpeed(speed)
        case (.ready, let value): self.field.truth(of: value).map { .ready($0) }
        case (.charging, let value): self.field.truth(of: value).map { .charging($0) }
        default: nil
        }
    }
}
