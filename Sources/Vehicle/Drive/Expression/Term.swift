// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A part of a formula or of a condition.
///
/// Its depth is bounded by the parser's limit of parts.
indirect enum Term: Hashable, Sendable {
    case constant(Double)
    case name(String)
    case negation(Term)
    case magnitude(Term)
    case operation(Operation, Term, Term)
    case comparison(Comparison, Term, Term)
    case not(Term)
    case and(Term, Term)
    case or(Term, Term)

    /// An operation on two numbers.
    enum Operation: String, Hashable, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case minimum = "min"
        case maximum = "max"
    }

    /// A comparison of two numbers.
    enum Comparison: String, Hashable, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="

        /// The comparison of the same two numbers in the other order.
        var mirrored: Comparison {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            case .equal, .notEqual: self
            }
        }
    }

    /// Whether the part is a number, not a truth value.
    var isNumber: Bool {
        switch self {
        case .constant, .name, .negation, .magnitude, .operation: true
        case .comparison, .not, .and, .or: false
        }
    }

    /// Whether the part is the number 0 whatever the values are, as far as sums and products show it.
    var isAlwaysZero: Bool { LinearForm(self).isZero }

    /// The names of the values in the part, sorted, each once.
    var names: [String] {
        var names: Set<String> = []
        self.collect(&names)
        return names.sorted()
    }

    private func collect(_ names: inout Set<String>) {
        switch self {
        case .constant: break
        case .name(let name): names.insert(name)
        case .negation(let part), .magnitude(let part), .not(let part): part.collect(&names)
        case .operation(_, let left, let right), .comparison(_, let left, let right), .and(let left, let right),
            .or(let left, let right):
            left.collect(&names)
            right.collect(&names)
        }
    }

    // MARK: - Values

    /// Returns the number; nil if a value is unknown, a divisor is zero, or a result is not finite.
    func evaluate(_ value: (String) -> Double?) -> Double? {
        switch self {
        case .constant(let number): return number
        case .name(let name): return value(name).flatMap { $0.isFinite ? $0 : nil }
        case .negation(let part): return part.evaluate(value).map { -$0 }
        case .magnitude(let part): return part.evaluate(value).map(\.magnitude)
        case .operation(let operation, let left, let right):
            guard let left = left.evaluate(value), let right = right.evaluate(value) else { return nil }
            return Self.apply(operation, left, right)
        case .comparison, .not, .and, .or: return self.holds(value).map { $0 ? 1 : 0 }
        }
    }

    private static func apply(_ operation: Operation, _ left: Double, _ right: Double) -> Double? {
        let result: Double
        switch operation {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide: result = left / right
        case .minimum: result = min(left, right)
        case .maximum: result = max(left, right)
        }
        return result.isFinite ? result : nil
    }

    /// Returns whether the part is true; a number is true unless it is zero.
    ///
    /// - Returns: nil if the answer depends on an unknown value.
    func holds(_ value: (String) -> Double?) -> Bool? {
        switch self {
        case .constant, .name, .negation, .magnitude, .operation: return self.evaluate(value).map { $0 != 0 }
        case .comparison(let comparison, let left, let right):
            guard let left = left.evaluate(value), let right = right.evaluate(value) else { return nil }
            return Self.compare(comparison, left, right)
        case .not(let part): return part.holds(value).map { !$0 }
        case .and(let left, let right):
            switch (left.holds(value), right.holds(value)) {
            case (false, _), (_, false): return false
            case (true, true): return true
            default: return nil
            }
        case .or(let left, let right):
            switch (left.holds(value), right.holds(value)) {
            case (true, _), (_, true): return true
            case (false, false): return false
            default: return nil
            }
        }
    }

    private static func compare(_ comparison: Comparison, _ left: Double, _ right: Double) -> Bool {
        switch comparison {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .equal: left == right
        case .notEqual: left != right
        }
    }

    // MARK: - Units

    /// Returns the unit of the part; a truth value has none.
    func unit(_ unit: (String) -> KnownUnit) throws(ExpressionError) -> KnownUnit {
        switch self {
        case .constant: return .any
        case .name(let name): return unit(name)
        case .negation(let part), .magnitude(let part): return try part.unit(unit)
        case .operation(let operation, let left, let right):
            let (left, right) = (try left.unit(unit), try right.unit(unit))
            switch operation {
            case .multiply, .divide: return left == .any && right == .any ? .any : .unknown
            case .add, .subtract, .minimum, .maximum: return try left.joined(with: right, by: operation.rawValue)
            }
        case .comparison(let comparison, let left, let right):
            _ = try left.unit(unit).joined(with: try right.unit(unit), by: comparison.rawValue)
            return .symbol("")
        case .not(let part): _ = try part.unit(unit)
        case .and(let left, let right), .or(let left, let right):
            _ = try left.unit(unit)
            _ = try right.unit(unit)
        }
        return .symbol("")
    }

    // MARK: - Text

    /// The text of a number, whose operations stand in brackets; a truth value has none here.
    var text: String {
        switch self {
        case .constant(let number): Self.text(of: number)
        case .name(let name): name
        case .negation(let part): "-\(part.text)"
        case .magnitude(let part): "abs(\(part.text))"
        case .operation(let operation, let left, let right):
            switch operation {
            case .minimum, .maximum: "\(operation.rawValue)(\(left.text), \(right.text))"
            default: "(\(left.text) \(operation.rawValue) \(right.text))"
            }
        case .comparison, .not, .and, .or: ""
        }
    }

    /// Returns the text of two comparisons that say what `20 < x < 40` means; that of an example if it is too long.
    ///
    /// - Parameter third: nil if it is no number.
    static func text(
        of first: Term,
        _ left: Comparison,
        _ middle: Term,
        _ right: Comparison,
        _ third: Term?
    ) -> String {
        let example = "x > 20 and x < 40"
        guard middle.isNumber, let third, third.isNumber else { return example }
        var text = "\(first.text) \(left.rawValue) \(middle.text)"
        if case .constant(let number) = first {
            text = "\(middle.text) \(left.mirrored.rawValue) \(Self.text(of: number))"
        }
        text += " and \(middle.text) \(right.rawValue) \(third.text)"
        return text.utf8.count <= 120 ? text : example
    }

    /// The text of a number, without `.0` after a whole one.
    static func text(of number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
