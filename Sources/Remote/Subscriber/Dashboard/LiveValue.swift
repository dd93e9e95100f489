// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The last published value of a parameter, its time, and the course of its numbers.
struct LiveValue: Hashable, Sendable {
    /// The shared words; nil for a value that is not of the catalogue.
    private let words: ParameterWords?
    /// The label or the text of a value that is no number; empty for a number.
    private let text: String
    /// The unit as published.
    let unit: String
    /// The number as published; nil if the value is none.
    let number: Double?
    /// The state; nil if the value is neither on nor off.
    let flag: Bool?
    /// The number of a value with a label; nil without a label.
    let code: Double?
    /// The decimals that the numbers of a value without shared words have had.
    private let ownPlaces: Int
    /// The time of the measurement.
    let measured: MeasurementTime
    /// That time as the agent tells it; nil without one.
    private let time: String?
    /// The course of the numbers, as published.
    private(set) var course: Course

    /// - Parameters:
    ///   - json: the payload.
    ///   - words: the shared words; nil for a value that is not of the catalogue.
    ///   - isRetained: whether the broker had kept the message.
    ///   - arrival: the time of its arrival.
    ///   - previous: the previous value of the same parameter.
    init(_ json: JSON, words: ParameterWords?, isRetained: Bool, at arrival: MonotonicTime, previous: LiveValue?) {
        self.words = words
        self.unit = Printable.text((json["unit"].string ?? "").prefix(bytes: 16))
        // The number of a value with a label is a code, not a quantity.
        let label = json["label"].string
        self.flag = json["value"].bool
        self.code = label != nil ? json["value"].double : nil
        let number = label != nil ? nil : json["value"].double.flatMap { $0.isFinite ? $0 : nil }
        self.number = number
        self.ownPlaces = number.map { FixedPoint.places(of: $0, previous: previous?.ownPlaces ?? 0) } ?? 0
        self.text = number != nil ? "" : Printable.text((label ?? json["value"].shown).prefix(bytes: 60))
        self.time = json["time"].string?.prefix(bytes: 40)
        // After a lost connection the broker sends what it has kept, and the viewer may know that already.
        let isKnown = isRetained && self.time != nil && previous?.time == self.time
        self.measured =
            isKnown
            ? previous?.measured ?? .unknown : MeasurementTime(json, isRetained: isRetained, at: arrival)
        self.course = if let previous, previous.unit == self.unit { previous.course } else { Course() }
        // The course has what the viewer has seen: when a kept number was measured, it does not know well enough.
        guard let number, !isRetained else { return }
        self.course.append(number, at: arrival)
    }

    /// The course ends until the next number.
    mutating func interrupt(at time: MonotonicTime) { self.course.interrupt(at: time) }

    /// Returns the value as text for the user, `812.5` and `kPa`, or `closed loop` without a unit.
    ///
    /// - Parameter units: the units to convert to; nil to leave the number as it was published.
    func shown(in units: UnitSystem?) -> (text: String, unit: String) {
        self.number.map { self.shown($0, in: units) } ?? (self.text, self.unit)
    }

    /// Returns another number of this value, such as an extreme, as text for the user.
    func shown(_ number: Double, in units: UnitSystem?) -> (text: String, unit: String) {
        let (number, unit) = self.converted(number, in: units)
        return (FixedPoint.text(number, places: self.places(of: number, in: unit)), unit)
    }

    private func converted(_ number: Double, in units: UnitSystem?) -> (number: Double, unit: String) {
        units?.convert(number, self.unit, isAir: self.words?.imperial?.unit == "inHg") ?? (number, self.unit)
    }

    /// Returns the decimals of a number: the shared ones of the value, or else as many as it needs and its unit has.
    private func places(of number: Double, in unit: String) -> Int {
        if let places = self.words?.decimals(in: unit) { return places }
        let own = unit == self.unit ? self.ownPlaces : FixedPoint.places(of: number)
        return min(own, ParameterWords.decimals(of: Self.finest, unit))
    }

    /// A step that is finer than any value's.
    private static let finest = 1e-6
}
