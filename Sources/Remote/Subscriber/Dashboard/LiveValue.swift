// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The last published value of a parameter, its time, and the history of its numbers.
struct LiveValue: Hashable, Sendable {
    /// The largest number of values in a sparkline.
    static let historyLimit = 120

    /// The title, and the step that decides the decimal places.
    let words: ValueWords
    /// The value as text for the user: `closed loop`, `812.5`.
    let text: String
    let unit: String
    /// The number; nil if the value is none.
    let number: Double?
    /// The state; nil if the value is neither on nor off.
    let flag: Bool?
    /// The number of a value with a label; nil without a label.
    let code: Double?
    /// The decimal places of the number.
    private let places: Int
    /// The time of the measurement.
    let measured: MeasurementTime
    /// That time as the agent tells it; nil without one.
    private let time: String?
    /// The numbers, the newest last; nil stands for a time in which nothing was measured.
    private(set) var history: [Double?]

    /// - Parameters:
    ///   - json: the payload.
    ///   - isRetained: whether the broker had kept the message.
    ///   - arrival: the time of its arrival.
    ///   - previous: the previous value of the same parameter.
    ///   - isContinued: whether the value has been measured without a break since the previous one.
    init(
        _ json: JSON,
        words: ValueWords,
        isRetained: Bool,
        at arrival: MonotonicTime,
        previous: LiveValue?,
        isContinued: Bool
    ) {
        self.words = words
        self.unit = Printable.text((json["unit"].string ?? "").prefix(bytes: 16))
        // The number of a value with a label is a code, not a quantity.
        let label = json["label"].string
        self.flag = json["value"].bool
        self.code = label != nil ? json["value"].double : nil
        let number = label != nil ? nil : json["value"].double.flatMap { $0.isFinite ? $0 : nil }
        self.number = number
        if let number {
            let step = words.step(in: self.unit)
            self.places = FixedPoint.places(of: number, step: step, previous: previous?.places ?? 0)
            self.text = FixedPoint.text(number, places: self.places)
        } else {
            self.places = 0
            self.text = Printable.text((label ?? json["value"].shown).prefix(bytes: 60))
        }
        self.time = json["time"].string?.prefix(bytes: 40)
        // After a lost connection the broker sends what it has kept, and the viewer may know that already.
        let isKnown = isRetained && self.time != nil && previous?.time == self.time
        self.measured =
            isKnown
            ? previous?.measured ?? .unknown : MeasurementTime(json, isRetained: isRetained, at: arrival)
        self.history = if let previous, previous.unit == self.unit { previous.history } else { [] }
        guard let number, !isKnown else { return }
        if !isContinued, !self.history.isEmpty { self.history.append(nil) }
        self.history.append(number)
        self.history.removeFirst(max(0, self.history.count - Self.historyLimit))
    }
}
