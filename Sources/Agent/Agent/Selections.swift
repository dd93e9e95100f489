// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import EventLoop
import OBD2
import Store

/// The selections of the vehicles: the stored ones, and the configured one for all others.
struct Selections: Sendable {
    let store: Store
    /// The configured selection, for every vehicle without a stored one.
    let configured: Locked<[ParameterKey: Duration]>
    /// The custom parameters; those of a detected set are polled unless a command selects others.
    let known: KnownParameters

    /// Returns the selection to poll from a vehicle.
    func selection(of vehicle: String) async -> Selection {
        let body = await self.store.state(.selection, of: vehicle)
        let (names, configured) = self.configured(for: vehicle)
        let derived = Set(self.known.derived.map(\.name))
        return body.flatMap { Selection(stored: $0, custom: names, derived: derived, configured: configured) }
            ?? Selection(intervals: configured)
    }

    /// Returns the names of the custom parameters of a vehicle, and the selection without a stored one.
    private func configured(for vehicle: String) -> (names: Set<String>, intervals: [ParameterKey: Duration]) {
        let (names, own) = self.known.known(of: vehicle)
        return (names, self.configured.withLock { $0 }.merging(own) { configured, _ in configured })
    }

    /// Stores the lasting selection of a vehicle.
    ///
    /// The next response's flush writes it to the disk.
    func keep(_ selection: Selection, of vehicle: String) async {
        let body = selection.stored(configured: self.configured(for: vehicle).intervals)
        await self.store.remember(StoredState(.selection, body), of: vehicle)
    }
}

// The stored form: the lasting selection, across restarts. The configured selection of that time is stored with it. A
// later change of the configuration replaces both.
extension Selection {
    /// The nesting limit of the stored JSON.
    private static let depthLimit = 4

    /// Decodes the stored form, and returns the selection to poll; nil if it is damaged.
    ///
    /// - Parameters:
    ///   - custom: the names of the present custom parameters; others are left out.
    ///   - derived: the names of the present derived parameters.
    ///   - configured: the poll intervals that the configuration selects now.
    init?(
        stored body: [UInt8],
        custom: Set<String>,
        derived: Set<String> = [],
        configured: [ParameterKey: Duration]
    ) {
        guard case .object(let members) = try? JSON(parsing: body, depthLimit: Self.depthLimit),
            case .integer(let version) = members["version"], let version = Int(exactly: version), version > 0,
            let intervals = Self.intervals(members["parameters"], custom, derived),
            let before = Self.intervals(members["configured"], custom, derived)
        else { return nil }
        guard before == configured else {
            self.init(version: version + 1, intervals: configured)
            return
        }
        // Older versions of the agent stored no dead bands.
        self.init(version: version, intervals: intervals, deadBands: Self.deadBands(members["dead_bands"]))
    }

    /// Returns the stored form.
    ///
    /// - Parameter configured: the poll intervals that the configuration selects now.
    func stored(configured: [ParameterKey: Duration]) -> [UInt8] {
        let json: JSON = [
            "version": .integer(Int64(self.version)), "parameters": Self.json(self.intervals),
            "configured": Self.json(configured), "dead_bands": .object(self.deadBands.mapValues { .number($0) }),
        ]
        return Array(json.text.utf8)
    }

    private static func json(_ intervals: [ParameterKey: Duration]) -> JSON {
        .object(
            Dictionary(intervals.map { ($0.key.name, .integer($0.value.milliseconds)) }, uniquingKeysWith: { $1 })
        )
    }

    private static func deadBands(_ json: JSON?) -> [String: Double] {
        guard case .object(let members) = json else { return [:] }
        return members.compactMapValues(\.double).filter { $0.value >= 0 }
    }

    private static func intervals(
        _ json: JSON?,
        _ custom: Set<String>,
        _ derived: Set<String>
    ) -> [ParameterKey: Duration]? {
        guard case .object(let members) = json else { return nil }
        var intervals: [ParameterKey: Duration] = [:]
        for (name, value) in members {
            guard case .integer(let milliseconds) = value, 50...86_400_000 ~= milliseconds else { return nil }
            if custom.contains(name) {
                intervals[.custom(name)] = .milliseconds(milliseconds)
            } else if derived.contains(name) {
                intervals[.derived(name)] = .milliseconds(milliseconds)
            } else if let parameter = Parameter.named(name) {
                intervals[.pid(parameter.pid)] = .milliseconds(milliseconds)
            }
        }
        return intervals
    }
}
