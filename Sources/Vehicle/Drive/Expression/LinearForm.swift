// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A number as the sum of a constant and of multiples of parts: `2 * a - (a + 3)` is `a - 3`.
struct LinearForm: Hashable, Sendable {
    private var constant = 0.0
    /// The factors of the parts that are no sums themselves; none is zero.
    private var factors: [Term: Double] = [:]

    init(_ term: Term) {
        switch term {
        case .constant(let number): self.constant = number
        case .negation(let part): self.add(Self(part), times: -1)
        case .magnitude(let part):
            let form = Self(part)
            if form.isConstant { self.constant = form.constant.magnitude } else { self.factors[term] = 1 }
        case .operation(let operation, let left, let right):
            let (first, second) = (Self(left), Self(right))
            switch operation {
            case .add:
                self = first
                self.add(second, times: 1)
            case .subtract:
                self = first
                self.add(second, times: -1)
            case .multiply where first.isConstant: self.add(second, times: first.constant)
            case .multiply where second.isConstant: self.add(first, times: second.constant)
            case .divide where second.isConstant && second.constant != 0: self.add(first, times: 1 / second.constant)
            case .divide where first.isZero: break
            case .minimum where first == second, .maximum where first == second: self = first
            case .minimum where first.isConstant && second.isConstant:
                self.constant = min(first.constant, second.constant)
            case .maximum where first.isConstant && second.isConstant:
                self.constant = max(first.constant, second.constant)
            case .multiply, .divide, .minimum, .maximum: self.factors[term] = 1
            }
        case .name, .comparison, .not, .and, .or: self.factors[term] = 1
        }
    }

    /// Whether the number is 0 whatever the values are.
    var isZero: Bool { self.isConstant && self.constant == 0 }

    private var isConstant: Bool { self.factors.isEmpty }

    private mutating func add(_ other: Self, times factor: Double) {
        self.constant += other.constant * factor
        for (part, own) in other.factors {
            let sum = self.factors[part, default: 0] + own * factor
            self.factors[part] = sum == 0 ? nil : sum
        }
    }
}
