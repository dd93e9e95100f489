// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The identity of a parameter of the catalogue, of a custom or of a derived parameter, which can be selected.
package enum ParameterKey: Hashable, Sendable {
    /// A parameter of the catalogue, by its PID of service 01.
    case pid(PID)
    /// A custom parameter, by its name.
    case custom(String)
    /// A derived parameter, by its name: the agent computes it from values that it polls.
    case derived(String)

    /// The parameter's name in the configuration, in commands and in reports.
    package var name: String {
        switch self {
        case .pid(let pid): Parameter.withPID(pid)?.name ?? "01\(pid)"
        case .custom(let name), .derived(let name): name
        }
    }

    /// The names of the parameter's values: a PID can have several, any other parameter is one.
    package var valueNames: [String] {
        switch self {
        case .pid(let pid):
            // An ECU with four banks may have another oxygen sensor in this place.
            [Parameter.withPID(pid), Parameter.ofFourBanks(pid)].flatMap { $0?.fields ?? [] }.map(\.name)
        case .custom(let name), .derived(let name): [name]
        }
    }
}

extension ParameterKey: Comparable {
    /// Orders the parameters of the catalogue by PID, then custom ones and last derived ones by name.
    package static func < (left: ParameterKey, right: ParameterKey) -> Bool {
        switch (left, right) {
        case (.pid(let left), .pid(let right)): left < right
        case (.custom(let left), .custom(let right)), (.derived(let left), .derived(let right)): left < right
        case (.pid, _), (.custom, .derived): true
        case (_, .pid), (.derived, _): false
        }
    }
}

extension ParameterKey: ExpressibleByIntegerLiteral {
    /// The parameter with this PID.
    package init(integerLiteral value: UInt8) {
        self = .pid(PID(rawValue: value))
    }
}
