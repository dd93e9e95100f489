// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A parameter as it was published last, and how its number went.
struct LiveValue: Hashable, Sendable {
    /// How many numbers a sparkline has at most.
    static let historyLimit = 60

    /// For people: `closed loop`, `812.5`.
    let text: String
    let unit: String
    /// Nil for what is no number.
    let number: Double?
    private(set) var history: [Double]

    /// - Parameter before: the same parameter, earlier.
    init(_ json: JSON, before: LiveValue?) {
        self.text = Printable.text((json["label"].string ?? json["value"].shown).prefix(bytes: 60))
        self.unit = Printable.text((json["unit"].string ?? "").prefix(bytes: 16))
        // A code that has a meaning is no quantity.
        let isCoded = json["label"].string != nil
        self.number = isCoded ? nil : json["value"].double.flatMap { $0.isFinite ? $0 : nil }
        self.history = if let before, before.unit == self.unit { before.history } else { [] }
        guard let number else { return }
        self.history.append(number)
        self.history.removeFirst(max(0, self.history.count - Self.historyLimit))
    }
}
