// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The values of one formula for which a condition holds, without a gap: `x > 5`, `20 <= x and x < 40`, `x == 5`.
struct ValueRange: Hashable, Sendable {
    /// An end of the range.
    struct Bound: Hashable, Sendable {
        var value: Double
        /// Whether the condition holds at the end itself.
        var isIncluded: Bool
    }

    let formula: Term
    /// The lower end; nil if there is none.
    private(set) var lower: Bound?
    /// The upper end; nil if there is none.
    private(set) var upper: Bound?

    /// Returns the range in which a condition holds.
    ///
    /// - Returns: nil if the condition is no comparison of a formula with a number, or compares by `!=`, or joins such
    ///   comparisons by something else than `and`, or of different formulas.
    init?(_ term: Term) {
        switch term {
        case .comparison(let comparison, let formula, .constant(let number)):
            self.init(formula, comparison, number)
        case .comparison(let comparison, .constant(let number), let formula):
            self.init(formula, comparison.mirrored, number)
        case .not(.comparison(let comparison, let left, let right)):
            self.init(.comparison(comparison.opposite, left, right))
        case .and(let left, let right):
            guard let left = Self(left), let right = Self(right), left.formula == right.formula else { return nil }
            self = left
            if let bound = right.lower { self.raise(to: bound) }
            if let bound = right.upper { self.lower(to: bound) }
        case .constant, .name, .negation, .magnitude, .operation, .comparison, .not, .or: return nil
        }
    }

    private init?(_ formula: Term, _ comparison: Term.Comparison, _ number: Double) {
        self.formula = formula
        switch comparison {
        case .less: self.upper = Bound(value: number, isIncluded: false)
        case .lessOrEqual: self.upper = Bound(value: number, isIncluded: true)
        case .greater: self.lower = Bound(value: number, isIncluded: false)
        case .greaterOrEqual: self.lower = Bound(value: number, isIncluded: true)
        case .equal:
            self.lower = Bound(value: number, isIncluded: true)
            self.upper = self.lower
        case .notEqual: return nil
        }
    }

    /// Whether both ranges are of one formula and have a value in common.
    func overlaps(_ other: Self) -> Bool {
        guard self.formula == other.formula else { return false }
        var common = self
        if let bound = other.lower { common.raise(to: bound) }
        if let bound = other.upper { common.lower(to: bound) }
        guard let lower = common.lower, let upper = common.upper else { return true }
        return lower.value < upper.value || lower.value == upper.value && lower.isIncluded && upper.isIncluded
    }

    private mutating func raise(to bound: Bound) {
        guard let lower = self.lower else { return self.lower = bound }
        if (bound.value, bound.isIncluded ? 0 : 1) > (lower.value, lower.isIncluded ? 0 : 1) { self.lower = bound }
    }

    private mutating func lower(to bound: Bound) {
        guard let upper = self.upper else { return self.upper = bound }
        if (bound.value, bound.isIncluded ? 1 : 0) < (upper.value, upper.isIncluded ? 1 : 0) { self.upper = bound }
    }
}

extension Term.Comparison {
    /// The comparison that holds where this one does not.
    var opposite: Self {
        switch self {
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        case .equal: .notEqual
        case .notEqual: .equal
        }
    }
}
