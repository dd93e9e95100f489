// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A formula over the names of values: `fuel_rate / vehicle_speed * 100`.
///
/// The operators are `+ - * /`, the functions `abs`, `min` and `max`, with the usual precedence and brackets.
package struct Expression: Hashable, Sendable {
    /// The largest length of the text, in bytes of UTF-8.
    package static let lengthLimit = 512
    /// The words of formulas and conditions, which are no names.
    package static let reservedWords: Set = ["and", "or", "not", "abs", "min", "max"]

    /// The text of the formula.
    package let text: String
    /// The names of the values that the formula needs, sorted.
    package let names: [String]
    private let term: Term

    /// Parses a formula.
    package init(_ text: String) throws(ExpressionError) {
        var parser = try ExpressionParser(text)
        let term = try parser.number()
        self.text = text
        self.names = term.names
        self.term = term
    }

    /// Returns the value.
    ///
    /// - Parameter value: returns the number that a name stands for; nil if it is unknown.
    /// - Returns: nil if a value is unknown, a divisor is zero, or a result is not finite.
    package func evaluate(_ value: (String) -> Double?) -> Double? { self.term.evaluate(value) }

    /// Returns the unit of the value, and checks the units of what is added and compared.
    ///
    /// - Parameter unit: returns the unit of a name's value.
    package func unit(_ unit: (String) -> KnownUnit) throws(ExpressionError) -> KnownUnit { try self.term.unit(unit) }
}
