// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A system of units in which a screen shows values.
enum UnitSystem: Hashable, Sendable, CaseIterable {
    case metric, imperial

    /// The units of amounts and consumptions, which no single value of the catalogue has.
    private static let totals: [(metric: String, imperial: String, factor: Double)] = [
        ("L", "gal(US)", 0.2641720524), ("kWh/100 km", "kWh/100 mi", 1.609344), ("m/s", "ft/s", 3.280839895),
    ]

    /// Converts a number to this system.
    ///
    /// A unit that the system shares, or that is unknown, stays.
    ///
    /// - Parameter isAir: whether inches of mercury are the usual imperial unit, as for air pressures.
    func convert(_ number: Double, _ unit: String, isAir: Bool = false) -> (number: Double, unit: String) {
        switch self {
        case .metric: Self.metric(number, unit)
        case .imperial: Self.imperial(number, unit, isAir)
        }
    }

    private static func imperial(_ number: Double, _ unit: String, _ isAir: Bool) -> (Double, String) {
        if isAir, unit == Unit.kilopascal.symbol { return (number * Self.mercury, Unit.inchOfMercury.symbol) }
        if let total = Self.totals.first(where: { $0.metric == unit }) {
            return (number * total.factor, total.imperial)
        }
        guard let (converted, imperial) = Unit(rawValue: unit)?.imperial(number) else { return (number, unit) }
        return (converted, imperial.symbol)
    }

    private static func metric(_ number: Double, _ unit: String) -> (Double, String) {
        if unit == Unit.inchOfMercury.symbol { return (number / Self.mercury, Unit.kilopascal.symbol) }
        if let total = Self.totals.first(where: { $0.imperial == unit }) {
            return (number / total.factor, total.metric)
        }
        let metric = Unit.allCases.first { $0.symbol != unit && $0.imperial(0).1.symbol == unit }
        guard let metric else { return (number, unit) }
        let (zero, one) = (metric.imperial(0).0, metric.imperial(1).0)
        return ((number - zero) / (one - zero), metric.symbol)
    }

    /// The inches of mercury of one kPa.
    private static let mercury = 0.2952998751

    /// Returns whether a unit belongs to the imperial system only.
    static func isImperial(_ unit: String) -> Bool { Self.metric(0, unit).1 != unit }
}
