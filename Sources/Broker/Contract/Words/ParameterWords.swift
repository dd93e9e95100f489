// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The words and the numbers by which all screens show a value alike.
package struct ParameterWords: Hashable, Sendable {
    /// The value's name for people.
    package let title: String
    package let group: ParameterCategory
    /// The decimals that a person can use, in the metric unit; nil for a value that is no number.
    package let decimals: Int?
    /// The symbol of the metric unit; nil without one.
    package let unit: String?
    /// The symbol and the decimals of the usual imperial unit; nil if that is the metric one.
    package let imperial: Imperial?
    /// The usual range; nil for a value without a gauge.
    package let gauge: GaugeWords?
    /// The usual range in a vehicle with a diesel engine; nil if it is ``gauge``.
    package let dieselGauge: GaugeWords?

    /// Whether the value is one of those that a driver looks at.
    package let isMain: Bool

    /// The usual imperial unit of a value.
    package struct Imperial: Hashable, Sendable {
        package let unit: String
        package let decimals: Int
    }

    package init(_ field: Field, title: String) {
        self.title = title
        self.group = ParameterCategory(of: field.name)
        self.unit = field.symbol
        let isNumber = field.kind == .number
        self.decimals = isNumber ? Self.decimals(of: field.resolution, field.symbol) : nil
        if isNumber, let (one, unit) = field.imperial(1), let (zero, _) = field.imperial(0), unit != field.unit {
            let step = field.resolution * (one - zero).magnitude
            self.imperial = Imperial(unit: unit.symbol, decimals: Self.decimals(of: step, unit.symbol))
        } else {
            self.imperial = nil
        }
        self.gauge = GaugeWords.all[field.name] ?? GaugeWords(shareOf: field)
        self.isMain = GaugeWords.all[field.name] != nil
        self.dieselGauge = GaugeWords.all["\(field.name).diesel"]
    }

    /// Returns the decimals to show in a unit; nil for an unknown unit.
    package func decimals(in unit: String) -> Int? {
        unit == self.unit ?? "" ? self.decimals : unit == self.imperial?.unit ? self.imperial?.decimals : nil
    }

    /// Returns the number of decimals to show for the step of a value: only as many as a person can use.
    ///
    /// A step of 0.25 rpm, as an ECU reports, has no decimals here.
    package static func decimals(of step: Double, _ unit: String?) -> Int {
        let limit =
            switch unit {
            case "rpm", "km/h", "mph", "Pa", "W", "Wh", "count": 0
            case "%", "°C", "°F", "kPa", "psi", "km", "mi", "s", "min", "h", "°", "N·m", "lb·ft": 1
            case "ratio", "V/d", nil: 3
            default: 2
            }
        var (decimals, reached) = (0, 1.0)
        while decimals < limit, reached > step.magnitude * 1.000_001 {
            (decimals, reached) = (decimals + 1, reached / 10)
        }
        return decimals
    }
}
