// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A duration with a unit, as on a command line: `30`, `30s`, `5m`, `2h`, `1d`.
package struct TimeSpan: Hashable, Sendable {
    package let duration: Duration

    package init(_ duration: Duration) {
        self.duration = duration
    }
}

extension TimeSpan: LosslessStringConvertible {
    private static let units: [(letter: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Parses a number of seconds, minutes, hours or days; nil if the text is not, or is more than ten years.
    package init?(_ description: String) {
        var digits = Substring(description)
        var unit: Int64 = 1
        if let last = digits.last, let found = Self.units.first(where: { $0.letter == last }) {
            unit = found.seconds
            digits.removeLast()
        }
        let isPlain = digits.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        guard isPlain, let number = Double(digits), number * Double(unit) <= 315_360_000 else { return nil }
        self.duration = .milliseconds(Int64(number * Double(unit) * 1000))
    }

    /// The duration in its largest unit that gives a whole number.
    package var description: String {
        let (seconds, attoseconds) = self.duration.components
        guard attoseconds == 0, seconds > 0 else { return "\(Double(seconds) + Double(attoseconds) / 1e18)s" }
        let unit = Self.units.first { seconds.isMultiple(of: $0.seconds) } ?? ("s", 1)
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}
