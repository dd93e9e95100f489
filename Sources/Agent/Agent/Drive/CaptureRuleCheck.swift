// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import Configuration
import Contract
import Drive
import OBD2

/// Decides whether the condition of a command's capture rule can ever hold.
///
/// The names and the units are judged as those of a rule of the configuration. Such a rule has its values polled; that
/// of a command does not.
struct CaptureRuleCheck: Sendable {
    private static let place = "$.arguments.rule.when"

    /// The values that a condition of the configuration may name.
    let values: NamedValues

    /// Returns the reason why the rule is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - polled: the parameters that are polled or computed now.
    ///   - custom: the custom parameters of the vehicle.
    func refusal(
        of rule: CaptureRule,
        polled: Set<ParameterKey>,
        custom: [CustomParameter]
    ) -> Refusal? {
        guard case .condition(let condition, _) = rule.trigger else { return nil }
        let problems = self.values.problems(of: condition).map { message, suggestion in
            message + (suggestion.map { "; did you mean \($0)?" } ?? "")
        }
        guard problems.isEmpty else {
            return Refusal(.badArguments, "\(Self.place): \(problems.joined(separator: ". "))")
        }
        let names = self.names(of: polled, custom)
        let missing = condition.names.filter { !names.contains($0) }
        guard !missing.isEmpty else { return nil }
        let words = missing.count == 1 ? "\(missing[0]) is" : "\(missing.joined(separator: ", ")) are"
        let options = missing.map { "--set \($0)=1" }.joined(separator: " ")
        return Refusal(
            .badArguments,
            "\(Self.place): \(words) not read now, so the rule would never fire. "
                + "Try: select_parameters first, as with obd-remote select \(options)"
        )
    }

    /// Returns the names and the roles of the values that parameters have, and those of the 12 V supply.
    private func names(of keys: Set<ParameterKey>, _ custom: [CustomParameter]) -> Set<String> {
        let roles = keys.flatMap { key -> [ParameterRole?] in
            switch key {
            case .pid(let pid): Parameter.withPID(pid)?.fields.map(\.role) ?? []
            case .custom(let name): custom.filter { $0.name == name }.map(\.role)
            case .derived: []
            }
        }
        return Set(keys.flatMap(\.valueNames)).union(roles.compactMap { $0?.rawValue })
            .union(SupplyValue.allCases.map(\.rawValue))
    }
}
