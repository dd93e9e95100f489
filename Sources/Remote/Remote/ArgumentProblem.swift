// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Subscriber

/// A mistake in the arguments of a command, in a sentence for the user, found before the command is sent.
package struct ArgumentProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter next: the next step, without a period.
    package init(_ problem: String, next: String? = nil) {
        self.description = problem + (next.map { ". Try: \($0)" } ?? "")
    }

    /// Throws if seconds are not within a range.
    ///
    /// - Parameter option: the option or the argument, for the error.
    package static func check(
        _ seconds: Double,
        in range: ClosedRange<Double>,
        _ option: String
    ) throws(ArgumentProblem) {
        guard !range.contains(seconds) else { return }
        let (least, most) = (Self.text(range.lowerBound), Self.text(range.upperBound))
        throw ArgumentProblem("\(option) must be \(least) to \(most), not \(Self.text(seconds))")
    }

    /// Returns seconds as an option has them, such as `10m`.
    private static func text(_ seconds: Double) -> String {
        guard 1..<1e9 ~= seconds else { return JSON.number(seconds).text + "s" }
        return TimeSpan(.milliseconds(Int64(seconds * 1000))).description
    }
}
