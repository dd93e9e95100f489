// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import TOML

/// Reads the table `[parameters]`, except for its ``settings``, which readers of their own read.
enum ParametersReader {
    typealias Interval = Configuration.ParameterInterval

    /// The keys that are no names of parameters.
    static let settings: Set = [CustomSetReader.key, CatalogReader.key]

    /// Returns the selected parameters with their intervals.
    ///
    /// Without a selection in the file, these are the default parameters. A custom or derived parameter with an interval
    /// of its own is added. If `[parameters]` names it too, the interval there applies.
    static func read(
        _ custom: [CustomEntry],
        _ derived: [DerivedEntry],
        _ cursor: inout ConfigurationCursor
    ) -> [Interval] {
        let added =
            custom.compactMap { entry in
                entry.interval.map { Interval(key: .custom(entry.parameter.name), interval: $0) }
            }
            + derived.compactMap { entry in
                entry.interval.map { Interval(key: .derived(entry.parameter.name), interval: $0) }
            }
        let entries = (cursor.table(.parameters)?.entries ?? []).filter { !Self.settings.contains($0.name) }
        guard !entries.isEmpty else { return Configuration.defaultParameters + added }
        var mentioned = MentionedParameters(
            custom: Set(custom.map(\.parameter.name)),
            derived: Set(derived.map(\.parameter.name))
        )
        for entry in entries { mentioned.add(entry, &cursor) }
        let intervals = mentioned.intervals
        let selected = Set(intervals.map(\.key))
        return intervals + added.filter { !selected.contains($0.key) }
    }

    /// The parameters that `[parameters]` names, each once.
    private struct MentionedParameters {
        private static let unknown =
            "unknown parameter. Try: a name such as engine_speed, or service and PID such as 010C"

        /// The names of the custom parameters.
        let custom: Set<String>
        /// The names of the derived parameters.
        let derived: Set<String>
        private var found: [ParameterKey: Mention] = [:]

        /// The first mention of a parameter.
        private struct Mention {
            let name: String
            let line: Int
            /// Whether the name is that of one field of a PID with several.
            let isField: Bool
            let interval: Duration
        }

        init(custom: Set<String>, derived: Set<String>) {
            self.custom = custom
            self.derived = derived
        }

        var intervals: [Interval] {
            self.found.sorted { $0.key < $1.key }.map { .init(key: $0.key, interval: $0.value.interval) }
        }

        mutating func add(_ entry: Table.Entry, _ cursor: inout ConfigurationCursor) {
            let (name, line) = (entry.name, entry.position.line)
            let path = [Section.parameters.rawValue, name]
            // Each comparison with a name that is not ASCII normalizes it, which takes half a second for the longest names.
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return cursor.report(path, Self.unknown) }
            let isCustom = self.custom.contains(name)
            let parameter = isCustom ? nil : Parameter.named(name)
            let isDerived = self.derived.contains(name)
            guard parameter != nil || isDerived || isCustom else {
                return self.reportUnknown(name, &cursor)
            }
            guard let interval = cursor.seconds(at: path, in: Configuration.intervals) else { return }
            guard let parameter else {
                let key = isDerived ? ParameterKey.derived(name) : .custom(name)
                self.found[key] = Mention(name: name, line: line, isField: false, interval: interval)
                return
            }
            let isField = name != parameter.name && parameter.fields.contains { $0.name == name }
            guard let first = self.found[.pid(parameter.pid)] else {
                self.found[.pid(parameter.pid)] = Mention(name: name, line: line, isField: isField, interval: interval)
                return
            }
            if !isField || !first.isField {
                cursor.report(path, "the same parameter as \(first.name) on line \(first.line). Try: keep one")
            } else if interval != first.interval {
                let message = "read together with \(first.name) on line \(first.line). Try: the same interval for both"
                cursor.report(path, message)
            }
        }

        private func reportUnknown(_ name: String, _ cursor: inout ConfigurationCursor) {
            let path = [Section.parameters.rawValue, name]
            guard SupplyValue(rawValue: name) == nil else {
                return cursor.report(path, "the adapter measures it anyway, so it cannot be selected. Try: remove it")
            }
            let others = self.custom.sorted() + self.derived.sorted()
            if let suggestion = ParameterName.suggestion(for: name, others: others) {
                cursor.report(path, "unknown parameter", suggestion: suggestion)
            } else {
                cursor.report(path, Self.unknown)
            }
        }
    }
}
