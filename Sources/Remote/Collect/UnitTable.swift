// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The metric units of the parameters, as far as they are known.
struct UnitTable {
    /// The largest number of remembered names.
    private static let limit = 100_000
    /// The largest number of remembered answers of the catalog.
    private static let knownLimit = 20_000
    /// The largest number of names that one vehicle has published.
    private static let vehicleLimit = 1000

    private let catalog: @Sendable (String) -> String?
    /// The answers of the catalog, which searches longer.
    private var known: [String: String?] = [:]
    /// The units that a vehicle has published, by the parameter's name.
    private var published: [String: [String: String]] = [:]
    private var count = 0

    init(_ catalog: @escaping @Sendable (String) -> String?) {
        self.catalog = catalog
    }

    /// Returns the unit of a series; nil if it has none, or if it is unknown.
    mutating func unit(of series: String, in vehicle: String) -> String? {
        if let units = self.published[vehicle], let unit = units[String(series.prefix { $0 != "/" })] { return unit }
        if let unit = self.known[series] { return unit }
        let unit = self.catalog(series)
        if self.known.count >= Self.knownLimit { self.known = [:] }
        self.known[series] = .some(unit)
        return unit
    }

    /// Learns the units of a payload of `vehicle`.
    mutating func vehicleReceived(_ json: JSON, _ vehicle: String) {
        self.count -= self.published.removeValue(forKey: vehicle)?.count ?? 0
        var units: [String: String] = [:]
        // A custom parameter hides a derived one of the same name.
        let derived = json["derived"].members.map { name, derived in (name, derived["unit"]) }
        for (name, unit) in derived + json["units"].members.map({ ($0, $1) }) {
            if let unit = unit.string, MessageDecoder.isName(unit, atMost: 32) { units[name] = unit }
        }
        guard !units.isEmpty, units.count <= Self.vehicleLimit, self.count + units.count <= Self.limit else { return }
        self.published[vehicle] = units
        self.count += units.count
    }
}
