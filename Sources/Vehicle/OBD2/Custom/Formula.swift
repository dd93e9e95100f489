// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A formula that computes a number from the bytes of a reply: `(256*A+B)/4`, `signed(A)`, `bits(12, 4)*0.5`.
///
/// `A` is the first byte after the echo of the request, `Z` the 26th, `AA` the 27th, `ZZ` the 702nd. The text is parsed
/// once, to a program for a stack machine. Evaluating the program allocates nothing.
package struct Formula: Hashable, Sendable {
    /// The largest length of the text, in bytes of UTF-8.
    package static let lengthLimit = 512
    /// The largest number of steps in a program.
    static let stepLimit = 256
    /// The largest number of values on the program's stack.
    static let stackLimit = 16

    /// A step of the program, which takes its operands from the stack and leaves its result there.
    enum Step: Hashable, Sendable {
        case constant(Double)
        /// The byte with this index.
        case byte(Int)
        /// Consecutive bits, the highest first; bit 0 is the highest bit of byte A.
        case bits(offset: Int, length: Int)
        /// The signed value of a two's complement of this number of bits.
        case signed(bits: Int)
        case negate, absolute
        case add, subtract, multiply, divide, remainder
        case and, or, exclusiveOr, shiftLeft, shiftRight
        case minimum, maximum
    }

    /// The text of the formula.
    package let text: String
    let steps: [Step]

    /// The number of bytes that a reply must have after the echo of the request.
    package let byteCount: Int

    /// Parses a formula.
    package init(_ text: String) throws(FormulaError) {
        var parser = try FormulaParser(text)
        self.steps = try parser.parse()
        self.text = text
        self.byteCount = self.steps.reduce(0) { count, step in
            switch step {
            case .byte(let index): max(count, index + 1)
            case .bits(let offset, let length): max(count, (offset + length + 7) / 8)
            default: count
            }
        }
    }

    /// Returns the value for `data`.
    ///
    /// - Returns: nil if the data is too short, a divisor is zero, an operand of a bit operation is not an integer, or
    ///   a result is not finite.
    package func evaluate(_ data: Span<UInt8>) -> Double? {
        guard self.byteCount <= data.count else { return nil }
        var stack = InlineArray<16, Double>(repeating: 0)
        var top = 0
        for step in self.steps {
            let value: Double?
            switch step {
            case .constant(let number): value = number
            case .byte(let index): value = Double(data[index])
            case .bits(let offset, let length): value = Double(Self.bits(offset, length, data))
            case .signed, .negate, .absolute:
                top -= 1
                value = Self.apply(step, stack[top])
            default:
                top -= 2
                value = Self.apply(step, stack[top], stack[top + 1])
            }
            guard let value, value.isFinite else { return nil }
            stack[top] = value
            top += 1
        }
        return stack[0]
    }

    private static func bits(_ offset: Int, _ length: Int, _ data: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        let last = offset + length - 1
        for index in offset / 8...last / 8 { value = value &<< 8 | UInt64(data[index]) }
        // At most 48 bits, which span at most 7 bytes.
        return value >> UInt64(7 - last % 8) & (1 << UInt64(length) - 1)
    }

    private static func apply(_ step: Step, _ value: Double) -> Double? {
        switch step {
        case .negate: return -value
        case .absolute: return value.magnitude
        case .signed(let bits):
            guard let raw = Int64(exactly: value), raw >= 0, raw < 1 << Int64(bits) else { return nil }
            return Double(raw < 1 << Int64(bits - 1) ? raw : raw - 1 << Int64(bits))
        default: return nil
        }
    }

    private static func apply(_ step: Step, _ left: Double, _ right: Double) -> Double? {
        switch step {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide: return right == 0 ? nil : left / right
        case .remainder: return right == 0 ? nil : left.truncatingRemainder(dividingBy: right)
        case .minimum: return min(left, right)
        case .maximum: return max(left, right)
        case .and, .or, .exclusiveOr, .shiftLeft, .shiftRight:
            guard let left = Int64(exactly: left), let right = Int64(exactly: right) else { return nil }
            return Self.combine(step, left, right).map { Double($0) }
        default: return nil
        }
    }

    private static func combine(_ step: Step, _ left: Int64, _ right: Int64) -> Int64? {
        switch step {
        case .and: return left & right
        case .or: return left | right
        case .exclusiveOr: return left ^ right
        case .shiftLeft:
            guard 0..<63 ~= right else { return nil }
            let (result, overflow) = left.multipliedReportingOverflow(by: 1 << right)
            return overflow ? nil : result
        case .shiftRight: return 0..<64 ~= right ? left >> right : nil
        default: return nil
        }
    }
}
