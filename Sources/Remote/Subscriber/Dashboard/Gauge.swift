// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An important value with its usual range.
struct Gauge: Sendable {
    /// The severity of a value.
    enum Severity: Hashable, Sendable {
        case none, attention, danger
    }

    /// The quantity of a value, which determines the conversion of its metric limits.
    enum Quantity: Hashable, Sendable {
        case plain, speed, temperature, pressure

        /// Converts a metric limit to the unit of the values.
        func limit(_ metric: Double, in unit: String) -> Double {
            switch (self, unit) {
            case (.speed, "mph"): metric / 1.609344
            case (.speed, "m/s"): metric / 3.6
            case (.temperature, "°F"): metric * 9 / 5 + 32
            case (.pressure, "psi"): metric * 0.1450377377
            case (.pressure, "inHg"): metric * 0.2952998751
            default: metric
            }
        }
    }

    let label: String
    /// The names of possible parameters, and of their roles.
    ///
    /// The first one with a value is shown.
    let names: [String]
    let quantity: Quantity
    let range: ClosedRange<Double>
    /// The limits beyond which a value needs attention, or is dangerous.
    var attention: (below: Double?, above: Double?) = (nil, nil)
    var danger: (below: Double?, above: Double?) = (nil, nil)

    func severity(_ value: Double, in unit: String) -> Severity {
        func isBeyond(_ limits: (below: Double?, above: Double?)) -> Bool {
            limits.below.map { value < self.quantity.limit($0, in: unit) } == true
                || limits.above.map { value > self.quantity.limit($0, in: unit) } == true
        }
        return isBeyond(self.danger) ? .danger : isBeyond(self.attention) ? .attention : .none
    }

    /// Returns the filled part of the bar, 0 to 1.
    func fill(_ value: Double, in unit: String) -> Double {
        let low = self.quantity.limit(self.range.lowerBound, in: unit)
        let high = self.quantity.limit(self.range.upperBound, in: unit)
        return min(1, max(0, (value - low) / (high - low)))
    }

    /// Returns the gauges of a vehicle.
    ///
    /// A diesel engine has lower speeds and a higher boost.
    static func all(isDiesel: Bool) -> [Gauge] {
        [
            Gauge(label: "Speed", names: ["vehicle_speed"], quantity: .speed, range: 0...200),
            Gauge(
                label: "Engine",
                names: ["engine_speed"],
                quantity: .plain,
                range: 0...(isDiesel ? 5000 : 7000),
                attention: (nil, isDiesel ? 4000 : 5800),
                danger: (nil, isDiesel ? 4500 : 6500)
            ),
            Gauge(
                label: "Coolant",
                names: ["coolant_temperature"],
                quantity: .temperature,
                range: 0...130,
                attention: (nil, 105),
                danger: (nil, 115)
            ),
            Gauge(
                label: "Oil",
                names: ["oil_temperature"],
                quantity: .temperature,
                range: 0...160,
                attention: (nil, 130),
                danger: (nil, 145)
            ),
            Gauge(
                label: "Boost",
                names: [VehicleView.boost],
                quantity: .pressure,
                range: isDiesel ? 0...200 : -80...120
            ),
            Gauge(
                label: "Fuel",
                names: ["fuel_level"],
                quantity: .plain,
                range: 0...100,
                attention: (10, nil),
                danger: (4, nil)
            ),
            Gauge(
                label: "Battery",
                names: ["control_module_voltage", VehicleView.adapterVoltage],
                quantity: .plain,
                range: 10...16,
                attention: (12.2, 15),
                danger: (11.5, 15.5)
            ),
        ]
    }
}
