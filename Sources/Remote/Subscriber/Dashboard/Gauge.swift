// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

/// An important value with its usual range and its limits.
struct Gauge: Sendable {
    /// The severity of a value.
    enum Severity: Hashable, Sendable {
        case none, attention, danger
    }

    /// The bounds of what is usual; nil for none.
    struct Bounds: Hashable, Sendable {
        var below: Double?
        var above: Double?

        func excludes(_ number: Double) -> Bool {
            self.below.map { number < $0 } == true || self.above.map { number > $0 } == true
        }
    }

    let label: String
    /// The names of possible parameters, and of their roles.
    ///
    /// The first one with a value is shown.
    let names: [String]
    /// The range of the bar, and the bounds beyond which a value needs attention or is dangerous, in the metric unit.
    private let range: ClosedRange<Double>
    private let attention: Bounds
    private let danger: Bounds

    init(
        _ label: String,
        _ names: [String],
        range: ClosedRange<Double>,
        attention: Bounds = Bounds(),
        danger: Bounds = Bounds()
    ) {
        self.label = label
        self.names = names
        self.range = range
        self.attention = attention
        self.danger = danger
    }

    /// Creates the gauge of a value of the shared words; nil if they have none.
    private init?(_ label: String, _ names: [String], isDiesel: Bool) {
        guard let words = names.first.flatMap(Words.parameter), let gauge = words.gauge else { return nil }
        let numbers = isDiesel ? words.dieselGauge ?? gauge : gauge
        self.init(
            label,
            names,
            range: numbers.minimum...max(numbers.minimum, numbers.maximum),
            attention: Bounds(below: numbers.warnBelow, above: numbers.warnAbove),
            danger: Bounds(below: numbers.dangerBelow, above: numbers.dangerAbove)
        )
    }

    /// Returns the severity of a number with its unit.
    func severity(_ number: Double, in unit: String) -> Severity {
        let metric = UnitSystem.metric.convert(number, unit).number
        return self.danger.excludes(metric) ? .danger : self.attention.excludes(metric) ? .attention : .none
    }

    /// Returns the filled part of the bar, 0 to 1.
    func fill(_ number: Double, in unit: String) -> Double {
        self.place(UnitSystem.metric.convert(number, unit).number)
    }

    private func place(_ metric: Double) -> Double {
        let (low, high) = (self.range.lowerBound, self.range.upperBound)
        guard high > low else { return 0 }
        return min(1, max(0, (metric - low) / (high - low)))
    }

    /// The bounds within the bar, as places from 0 to 1, each with its severity.
    var marks: [(place: Double, severity: Severity)] {
        let attention = [self.attention.below, self.attention.above].compactMap { $0.map { ($0, Severity.attention) } }
        let danger = [self.danger.below, self.danger.above].compactMap { $0.map { ($0, Severity.danger) } }
        return (attention + danger).filter { self.range.contains($0.0) }.map { (self.place($0.0), $0.1) }
    }

    /// Returns the range of the bar as text, such as `0–7000`.
    ///
    /// - Parameter convert: converts a metric number to the unit of the screen.
    func rangeText(_ convert: (Double) -> Double) -> String {
        [self.range.lowerBound, self.range.upperBound].map { FixedPoint.text(convert($0), places: 0) }
            .joined(separator: "–")
    }

    /// Returns the gauges of a vehicle.
    ///
    /// A diesel engine has lower speeds and a higher boost.
    static func all(isDiesel: Bool) -> [Gauge] {
        [
            ("Speed", ["vehicle_speed"]), ("Engine", ["engine_speed"]), ("Coolant", ["coolant_temperature"]),
            ("Oil", ["oil_temperature"]), ("Boost", ["manifold_boost", VehicleView.boost]), ("Fuel", ["fuel_level"]),
            ("Battery", ["control_module_voltage", VehicleView.adapterVoltage]),
        ].compactMap { Gauge($0, $1, isDiesel: isDiesel) }
    }
}
