// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The usual range of a value, and the limits beyond which it deserves attention.
///
/// All numbers are in the metric unit of the value.
package struct GaugeWords: Hashable, Sendable {
    package let minimum: Double
    package let maximum: Double
    /// The limits below and above which a value deserves attention; nil without one.
    package var warnBelow: Double?
    package var warnAbove: Double?
    /// The limits below and above which a value is dangerous; nil without one.
    package var dangerBelow: Double?
    package var dangerAbove: Double?

    init(
        _ range: ClosedRange<Double>,
        warnBelow: Double? = nil,
        warnAbove: Double? = nil,
        dangerBelow: Double? = nil,
        dangerAbove: Double? = nil
    ) {
        self.minimum = range.lowerBound
        self.maximum = range.upperBound
        self.warnBelow = warnBelow
        self.warnAbove = warnAbove
        self.dangerBelow = dangerBelow
        self.dangerAbove = dangerAbove
    }

    /// The gauge of a share of a whole; nil for another value, such as a correction in percent.
    init?(shareOf field: Field) {
        guard field.kind == .number, field.unit == .percent, field.rangeOfValues == 0...100 else { return nil }
        self.init(0...100)
    }

    /// The gauges, by the name of the value.
    ///
    /// A diesel engine has other limits: the name with the suffix `.diesel`.
    static let all: [String: GaugeWords] = [
        "vehicle_speed": GaugeWords(0...200),
        "engine_speed": GaugeWords(0...7000, warnAbove: 5800, dangerAbove: 6500),
        "engine_speed.diesel": GaugeWords(0...5000, warnAbove: 4000, dangerAbove: 4500),
        "coolant_temperature": GaugeWords(0...130, warnAbove: 105, dangerAbove: 115),
        "oil_temperature": GaugeWords(0...160, warnAbove: 130, dangerAbove: 145),
        "manifold_boost": GaugeWords(-80...120),
        "manifold_boost.diesel": GaugeWords(0...200),
        "fuel_level": GaugeWords(0...100, warnBelow: 10, dangerBelow: 4),
        "control_module_voltage": GaugeWords(
            10...16,
            warnBelow: 12.2,
            warnAbove: 15,
            dangerBelow: 11.5,
            dangerAbove: 15.5
        ),
        "battery_voltage": GaugeWords(
            10...16,
            warnBelow: 12.2,
            warnAbove: 15,
            dangerBelow: 11.5,
            dangerAbove: 15.5
        ),
        "supply_voltage": GaugeWords(
            10...16,
            warnBelow: 12.2,
            warnAbove: 15,
            dangerBelow: 11.5,
            dangerAbove: 15.5
        ),
    ]
}
