// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import OBD2

/// The arguments of `select_parameters`: a new selection, or changes to the present one.
package struct SelectionRequest: Hashable, Sendable {
    /// One name in the request.
    package enum Choice: Hashable, Sendable {
        case parameter(ParameterKey)
        /// One of several values of a parameter; all of them are polled together.
        case value(String, of: ParameterKey)
        /// All parameters of a category that the vehicle supports.
        case category(ParameterCategory)
    }

    /// The poll interval and the dead band of a parameter.
    package struct Rate: Hashable, Sendable {
        package var interval: Duration
        /// The smallest change that is published at once, in the parameter's metric unit; nil for the default.
        package var deadBand: Double?

        package init(_ interval: Duration, deadBand: Double? = nil) {
            self.interval = interval
            self.deadBand = deadBand
        }
    }

    /// Whether the request replaces the whole selection.
    package var isWhole: Bool
    package var rates: [Choice: Rate]
    /// The names to deselect, before ``rates`` are set.
    package var removed: Set<Choice> = []
    /// The time after which the lasting selection comes back; nil makes this one the lasting selection.
    package var duration: Duration?
    /// The version of the selection that the request is based on; nil for any.
    package var expectedVersion: Int?
    /// Whether the request is refused if the vehicle does not support all of it.
    package var isStrict = false

    package init(isWhole: Bool, rates: [Choice: Rate]) {
        self.isWhole = isWhole
        self.rates = rates
    }
}

extension SelectionRequest {
    /// The largest number of polled parameters.
    static let limit = CommandLimits.selectedParameters

    /// Returns the selection that the request asks for, starting from the present one.
    ///
    /// The rate of a parameter overrides that of its category.
    ///
    /// - Parameter pollable: the parameters that the vehicle supports; nil while no vehicle is identified.
    package func resolved(
        from present: SelectionState,
        pollable: Set<ParameterKey>?
    ) throws(Refusal) -> Selection {
        let version = present.current.version
        if let expected = self.expectedVersion, expected != version {
            throw Refusal(
                reason: .versionConflict,
                message: "the selection has version \(version) now, not \(expected)"
            )
        }
        try self.examine(pollable)
        var selection = self.duration == nil ? present.lasting : present.current
        if self.isWhole { (selection.intervals, selection.deadBands) = ([:], [:]) }
        for choice in self.removed { self.keys(choice, of: selection.intervals.keys).forEach { selection.remove($0) } }
        for case (.category(let category), let rate) in self.rates {
            for key in self.keys(.category(category), of: pollable ?? []) {
                selection.set(key, rate.interval, deadBand: rate.deadBand)
            }
        }
        for case (.parameter(let key), let rate) in self.rates {
            selection.set(key, rate.interval, deadBand: rate.deadBand)
        }
        for case (.value(let name, let key), let rate) in self.rates {
            selection.set(name, of: key, rate.interval, deadBand: rate.deadBand)
        }
        guard selection.intervals.count <= Self.limit else {
            throw Refusal(reason: .badArguments, message: "more than \(Self.limit) parameters would be polled")
        }
        return selection
    }

    private func examine(_ pollable: Set<ParameterKey>?) throws(Refusal) {
        let hasCategory = self.rates.keys.contains { if case .category = $0 { true } else { false } }
        guard let pollable else {
            guard !hasCategory, !self.isStrict else {
                let message = "no vehicle is identified, so its supported parameters are unknown"
                throw Refusal(reason: .notConnected, message: message)
            }
            return
        }
        guard self.isStrict else { return }
        let missing = Set(self.rates.keys.compactMap(\.key)).subtracting(pollable).sorted()
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            throw Refusal(
                reason: .notSupported,
                message: "no ECU supports \(names). Try: without strict, which selects the rest."
            )
        }
    }

    private func keys(_ choice: Choice, of keys: some Collection<ParameterKey>) -> [ParameterKey] {
        guard case .category(let category) = choice else { return choice.key.map { [$0] } ?? [] }
        return keys.filter { ParameterCategory(of: $0.name) == category }
    }
}

extension SelectionRequest.Choice {
    /// The parameter; nil for a category.
    package var key: ParameterKey? {
        switch self {
        case .parameter(let key), .value(_, let key): key
        case .category: nil
        }
    }
}
