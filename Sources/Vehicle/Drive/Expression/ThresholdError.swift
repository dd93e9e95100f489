// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a number is no threshold at which the opposite of a condition begins.
package enum ThresholdError: Error, Hashable, Sendable {
    /// The condition is not one comparison of a formula with a number.
    case notOneComparison
    /// The condition compares by `==` or `!=`; the text is the opposite condition.
    case compares(by: String, opposite: String)
    /// The number lies beyond that of the condition, so that both conditions could hold at once.
    ///
    /// - `isBelow`: whether it lies below the number, and belongs above it.
    case wrongSide(Double, isBelow: Bool, of: Double)
}

extension ThresholdError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notOneComparison:
            "a number needs one comparison with a number in when, such as \"battery_charge < 15\". "
                + "Try: a condition such as clear = \"battery_charge > 20\""
        case .compares(let sign, let opposite):
            "a number needs <, <=, > or >= in when, which compares by \(sign). "
                + "Try: no clear, which means clear = \"\(opposite)\""
        case .wrongSide(let threshold, let isBelow, let limit):
            "\(Term.text(of: threshold)) is \(isBelow ? "below" : "above") \(Term.text(of: limit)), the number in when, "
                + "so both would hold at once. "
                + "Try: \(Term.text(of: limit)), or a number \(isBelow ? "above" : "below") it"
        }
    }
}
