// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The last published value of a parameter, and the history of its numbers.
struct LiveValue: Hashable, Sendable {
    /// The largest number of values in a sparkline.
    static let historyLimit = 60

    /// The value as text for the user: `closed loop`, `812.5`.
    let text: String
    let unit: String
    /// The number; nil if the value is none.
    let number: Double?
    /// The state; nil if the value is neither on nor off.
    let flag: Bool?
    /// The number of a value with a label; nil without a label.
    let code: Double?
    private(set) var history: [Double]

    /// - Parameters:
    ///   - json: the payload.
    ///   - previous: the previous value of the same parameter.
    init(_ json: JSON, previous: LiveValue?) {
        self.text = Printable.text((json["label"].string ?? json["value"].shown).prefix(bytes: 60))
        self.unit = Printable.text((json["unit"].string ?? "").prefix(bytes: 16))
        // The number of a value with a label is a code, not a quantity.
        let isCoded = json["label"].string != nil
        self.flag = json["value"].bool
        self.code = isCoded ? json["value"].double : nil
        self.number = isCoded ? nil : json["value"].double.flatMap { $0.isFinite ? $0 : nil }
        self.history = if let previous, previous.unit == self.unit { previous.history } else { [] }
        guard let number else { return }
        self.history.append(number)
        self.history.removeFirst(max(0, self.history.count - Self.historyLimit))
    }
}
