// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A statement about values that holds or does not: `coolant_temperature > 115 and vehicle_speed < 5`.
///
/// Formulas are compared by `< <= > >= == !=`, and joined by `and`, `or` and `not`. A formula alone holds if it is not
/// zero, so that the name of a truth value is a condition.
package struct Condition: Hashable, Sendable {
    /// The text of the condition.
    package let text: String
    /// The names of the values that the condition needs, sorted.
    package let names: [String]
    private let term: Term

    /// Parses a condition.
    package init(_ text: String) throws(ExpressionError) {
        var parser = try ExpressionParser(text)
        let term = try parser.condition()
        self.text = text
        self.names = term.names
        self.term = term
    }

    /// Returns whether the condition holds.
    ///
    /// An unknown value leaves the answer open only where the answer depends on it.
    ///
    /// - Parameter value: returns the number that a name stands for; nil if it is unknown.
    /// - Returns: nil if the answer depends on an unknown value.
    package func holds(_ value: (String) -> Double?) -> Bool? { self.term.holds(value) }

    /// Checks the units of what is added and compared.
    ///
    /// - Parameter unit: returns the unit of a name's value.
    package func checkUnits(_ unit: (String) -> KnownUnit) throws(ExpressionError) { _ = try self.term.unit(unit) }

    /// Returns the condition that holds once the compared formula is beyond another threshold.
    ///
    /// `battery_charge < 15` with the threshold 20 becomes `battery_charge > 20`, and `>` becomes `<`.
    package func cleared(at threshold: Double) throws(ThresholdError) -> Condition {
        let (sign, formula, limit): (Term.Comparison, Term, Double)
        switch self.term {
        case .comparison(let comparison, let left, .constant(let number)):
            (sign, formula, limit) = (comparison, left, number)
        case .comparison(let comparison, .constant(let number), let right):
            (sign, formula, limit) = (comparison.mirrored, right, number)
        default: throw .notOneComparison
        }
        let isUpward: Bool
        switch sign {
        case .less, .lessOrEqual: isUpward = true
        case .greater, .greaterOrEqual: isUpward = false
        case .equal, .notEqual:
            let opposite = "\(formula.text) \(sign.opposite.rawValue) \(Term.text(of: limit))"
            throw .compares(by: sign.rawValue, opposite: opposite)
        }
        guard isUpward ? threshold >= limit : threshold <= limit else {
            throw .wrongSide(threshold, isBelow: isUpward, of: limit)
        }
        return Condition(
            text: "\(formula.text) \(isUpward ? ">" : "<") \(Term.text(of: threshold))",
            term: .comparison(isUpward ? .greater : .less, formula, .constant(threshold))
        )
    }

    /// Returns whether it can be proved that both conditions may hold at once.
    ///
    /// The result is true if they are the same, or if both say in which range one formula is, and the ranges overlap.
    package func overlaps(_ other: Condition) -> Bool {
        if self.term == other.term { return true }
        guard let range = ValueRange(self.term), let other = ValueRange(other.term) else { return false }
        return range.overlaps(other)
    }

    private init(text: String, term: Term) {
        self.text = text
        self.names = term.names
        self.term = term
    }
}
