// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import OBD2

/// What somebody wants to be polled from now on: all of it, or what changes.
package struct SelectionWish: Hashable, Sendable {
    /// Parameters, by whatever they were named.
    package enum Choice: Hashable, Sendable {
        case parameter(ParameterKey)
        /// One of the values that a parameter has; it is polled with the others.
        case value(String, of: ParameterKey)
        /// Those of them that the vehicle has.
        case category(ParameterCategory)
    }

    /// How often a parameter is read, and which change of it is published.
    package struct Rate: Hashable, Sendable {
        package var interval: Duration
        /// The least change that is published at once, in the parameter's metric unit; nil for what is usual.
        package var deadBand: Double?

        package init(_ interval: Duration, deadBand: Double? = nil) {
            self.interval = interval
            self.deadBand = deadBand
        }
    }

    /// Whether nothing else is polled than this.
    package var isWhole: Bool
    package var rates: [Choice: Rate]
    /// What is polled no more; before ``rates`` are set.
    package var removed: Set<Choice> = []
    /// After which the lasting selection comes back; nil makes this one last.
    package var duration: Duration?
    /// The version of the selection that the sender knows of.
    package var expectedVersion: Int?
    /// Whether it is refused where the vehicle lacks something of it.
    package var isStrict = false

    package init(isWhole: Bool, rates: [Choice: Rate]) {
        self.isWhole = isWhole
        self.rates = rates
    }
}

/// What is polled, and which changes of it are published at once.
package struct PolledParameters: Hashable, Sendable {
    package var intervals: [ParameterKey: Duration]
    /// By the names of values, in their metric units.
    package var deadBands: [String: Double]

    package init(_ intervals: [ParameterKey: Duration] = [:], deadBands: [String: Double] = [:]) {
        self.intervals = intervals
        self.deadBands = deadBands
    }

    mutating func set(_ key: ParameterKey, _ rate: SelectionWish.Rate) {
        self.remove(key)
        self.intervals[key] = rate.interval
        for name in key.valueNames { self.deadBands[name] = rate.deadBand }
    }

    mutating func set(_ name: String, of key: ParameterKey, _ rate: SelectionWish.Rate) {
        self.intervals[key] = rate.interval
        self.deadBands[name] = rate.deadBand
    }

    mutating func remove(_ key: ParameterKey) {
        self.intervals[key] = nil
        for name in key.valueNames { self.deadBands[name] = nil }
    }
}

/// The selection as it is when somebody wants another.
package struct PresentSelection: Hashable, Sendable {
    package var version: Int
    package var polled: PolledParameters
    /// What is polled when no temporary selection is.
    package var lasting: PolledParameters
    /// What the vehicle can be asked for; nil while none is identified.
    package var pollable: Set<ParameterKey>?

    package init(version: Int, polled: PolledParameters, lasting: PolledParameters, pollable: Set<ParameterKey>?) {
        self.version = version
        self.polled = polled
        self.lasting = lasting
        self.pollable = pollable
    }
}

extension SelectionWish {
    /// How many parameters are polled at most.
    static let limit = 256

    /// What is to be polled instead of what is.
    ///
    /// A parameter that is named itself counts before its category.
    package func resolved(from present: PresentSelection) throws(Refusal) -> PolledParameters {
        if let expected = self.expectedVersion, expected != present.version {
            throw Refusal(
                reason: .versionConflict,
                message: "the selection has version \(present.version) by now, not \(expected)"
            )
        }
        try self.examine(present.pollable)
        var polled = PolledParameters()
        if !self.isWhole { polled = self.duration == nil ? present.lasting : present.polled }
        for choice in self.removed { self.keys(choice, of: polled.intervals.keys).forEach { polled.remove($0) } }
        for case (.category(let category), let rate) in self.rates {
            self.keys(.category(category), of: present.pollable ?? []).forEach { polled.set($0, rate) }
        }
        for case (.parameter(let key), let rate) in self.rates { polled.set(key, rate) }
        for case (.value(let name, let key), let rate) in self.rates { polled.set(name, of: key, rate) }
        guard polled.intervals.count <= Self.limit else {
            throw Refusal(reason: .badArguments, message: "more than \(Self.limit) parameters would be polled")
        }
        return polled
    }

    private func examine(_ pollable: Set<ParameterKey>?) throws(Refusal) {
        let hasCategory = self.rates.keys.contains { if case .category = $0 { true } else { false } }
        guard let pollable else {
            guard !hasCategory, !self.isStrict else {
                let message = "no vehicle is identified at the moment, so nobody knows what it has"
                throw Refusal(reason: .notConnected, message: message)
            }
            return
        }
        guard self.isStrict else { return }
        let missing = Set(self.rates.keys.compactMap(\.key)).subtracting(pollable).sorted()
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            throw Refusal(reason: .notSupported, message: "no ECU supports \(names); without strict the rest is polled")
        }
    }

    private func keys(_ choice: Choice, of keys: some Collection<ParameterKey>) -> [ParameterKey] {
        guard case .category(let category) = choice else { return choice.key.map { [$0] } ?? [] }
        return keys.filter { ParameterCategory(of: $0.name) == category }
    }
}

extension SelectionWish.Choice {
    /// The parameter; nil for a category.
    package var key: ParameterKey? {
        switch self {
        case .parameter(let key), .value(_, let key): key
        case .category: nil
        }
    }
}

extension ParameterKey {
    /// The names of the values that it has.
    fileprivate var valueNames: [String] {
        switch self {
        case .pid(let pid): (Parameter.withPID(pid)?.fields ?? []).map(\.name)
        case .custom(let name): [name]
        }
    }
}
