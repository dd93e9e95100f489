// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The values that the agent computes from others, or watches, and what has to be polled for them.
package struct DerivedPolling: Sendable {
    /// The ways to compute each derived parameter, the best first, by its name.
    package var ways: [String: [SourceSet]]
    /// The poll intervals of the values that are watched, selected or not, by the names of the values.
    package var watched: [String: Duration]
    /// The way to compute each derived parameter that the vehicle supports.
    private(set) var derivations: [String: Derivation] = [:]
    /// The parameters with the sources, by name; without an entry for a value that the vehicle does not have.
    private var sources: [String: Source] = [:]

    /// The value behind a name, and the parameter that is polled for it.
    struct Source: Hashable, Sendable {
        let value: String
        /// The parameter to poll; nil for a value that the adapter measures.
        let key: ParameterKey?
    }

    /// The largest depth of derived parameters that are computed from others.
    private static let depthLimit = 8
    /// The shortest poll interval of a value that hardly changes.
    static let slowInterval = Duration.seconds(60)

    package init(ways: [String: [SourceSet]] = [:], watched: [String: Duration] = [:]) {
        self.ways = ways
        self.watched = watched
    }

    /// Chooses the first way to compute each parameter whose values the vehicle has.
    ///
    /// - Parameter find: returns the value that a name stands for; nil if the vehicle does not have it.
    mutating func choose(_ find: (String) -> Source?) {
        (self.derivations, self.sources) = ([:], [:])
        for name in self.ways.keys.sorted() { _ = self.isSupported(name, depth: 0, find) }
        for name in self.watched.keys where self.ways[name] == nil { self.sources[name] = find(name) }
    }

    private mutating func isSupported(_ name: String, depth: Int, _ find: (String) -> Source?) -> Bool {
        if self.derivations[name] != nil { return true }
        guard let ways = self.ways[name], depth < Self.depthLimit else { return false }
        for (index, way) in ways.enumerated() {
            guard let values = self.values(of: way, depth: depth, find) else { continue }
            self.derivations[name] = Derivation(way: index, values: values)
            return true
        }
        return false
    }

    /// Returns the values behind the names of a way; nil if the vehicle lacks one of them.
    private mutating func values(
        of way: SourceSet,
        depth: Int,
        _ find: (String) -> Source?
    ) -> [String: String]? {
        var values: [String: String] = [:]
        for name in way.allNames {
            if self.ways[name] != nil {
                guard self.isSupported(name, depth: depth + 1, find) else { return nil }
                values[name] = name
            } else {
                guard let found = self.sources[name] ?? find(name) else { return nil }
                self.sources[name] = found
                values[name] = found.value
            }
        }
        return values
    }

    /// Returns the intervals with the parameters to poll in place of the derived ones, and notes how often these are
    /// computed.
    ///
    /// - Parameter isWatching: whether the watched values are polled too.
    mutating func expand(
        _ intervals: [ParameterKey: Duration],
        isWatching: Bool
    ) -> [ParameterKey: Duration] {
        var expanded: [ParameterKey: Duration] = [:]
        for name in self.derivations.keys { self.derivations[name]?.interval = nil }
        for (key, interval) in intervals {
            if case .derived(let name) = key {
                self.poll(name, every: interval, depth: 0, &expanded)
            } else {
                expanded[key] = min(interval, expanded[key] ?? interval)
            }
        }
        guard isWatching else { return expanded }
        for (name, interval) in self.watched { self.poll(name, every: interval, depth: 0, &expanded) }
        return expanded
    }

    private mutating func poll(
        _ name: String,
        every interval: Duration,
        depth: Int,
        _ expanded: inout [ParameterKey: Duration]
    ) {
        if let key = self.sources[name]?.key {
            expanded[key] = min(interval, expanded[key] ?? interval)
        }
        guard let derivation = self.derivations[name], let way = self.ways[name]?[derivation.way],
            depth < Self.depthLimit
        else { return }
        self.derivations[name]?.interval = min(interval, derivation.interval ?? interval)
        for source in way.names { self.poll(source, every: interval, depth: depth + 1, &expanded) }
        for source in way.slowNames {
            self.poll(source, every: max(interval, Self.slowInterval), depth: depth + 1, &expanded)
        }
    }

    /// Returns the parameters that are polled for a derived parameter; nil if the vehicle does not support it.
    ///
    /// - Parameter withSlow: whether those count that hardly change.
    func keys(of name: String, withSlow: Bool) -> Set<ParameterKey>? {
        guard self.derivations[name] != nil else { return nil }
        var keys: Set<ParameterKey> = []
        self.collect(name, withSlow, depth: 0, &keys)
        return keys
    }

    /// Returns the parameters that are polled for a watched value; nil if the vehicle does not have it.
    func watchedKeys(of name: String) -> Set<ParameterKey>? {
        guard self.ways[name] == nil else { return self.keys(of: name, withSlow: true) }
        return self.sources[name].map { $0.key.map { [$0] } ?? [] }
    }

    private func collect(_ name: String, _ withSlow: Bool, depth: Int, _ keys: inout Set<ParameterKey>) {
        if let key = self.sources[name]?.key { keys.insert(key) }
        guard let derivation = self.derivations[name], let way = self.ways[name]?[derivation.way],
            depth < Self.depthLimit
        else { return }
        for source in withSlow ? way.allNames : way.names { self.collect(source, withSlow, depth: depth + 1, &keys) }
    }
}
