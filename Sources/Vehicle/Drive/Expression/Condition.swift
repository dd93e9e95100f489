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
    ///
    /// - Returns: nil if the condition is not one comparison of a formula with a number by `<`, `<=`, `>` or `>=`, or if
    ///   both could hold at once.
    package func cleared(at threshold: Double) -> Condition? {
        guard case .comparison(let sign, let formula, .constant(let limit)) = self.term else { return nil }
        let isBelow = sign == .less || sign == .lessOrEqual
        guard isBelow || sign == .greater || sign == .greaterOrEqual,
            isBelow ? threshold >= limit : threshold <= limit
        else { return nil }
        return Condition(
            text: "\(formula.text) \(isBelow ? ">" : "<") \(Term.text(of: threshold))",
            term: .comparison(isBelow ? .greater : .less, formula, .constant(threshold))
        )
    }

    private init(text: String, term: Term) {
        self.text = text
        self.names = term.names
        self.term = term
    }
}
