// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not a formula or a condition; columns count from 1.
package enum ExpressionError: Error, Hashable, Sendable {
    /// A value is missing.
    case valueMissing(column: Int)
    /// The text is not allowed here.
    case unexpected(String, column: Int)
    /// The sign or the word is one of another language; the last text is ours.
    case foreignSign(String, column: Int, known: String)
    /// A comparison is compared again; the text is the expected form.
    case comparedTwice(column: Int, instead: String)
    /// A divisor is zero whatever the values are.
    case divisorAlwaysZero(column: Int)
    /// The function is unknown.
    case unknownFunction(String, column: Int)
    /// A function has the wrong number of arguments; the text is the expected form.
    case wrongArguments(String, column: Int)
    /// A bracket is not closed.
    case notClosed(column: Int)
    /// The text has more nested brackets or more parts than the limits.
    case tooComplex(column: Int)
    /// The text is longer than the limit.
    case tooLong(limit: Int)
    /// A comparison stands where a number is expected.
    case notANumber(column: Int)
    /// The text names no value.
    case noNames
    /// Values of different units are added, subtracted or compared.
    case differentUnits(String, String, sign: String)
}

extension ExpressionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .valueMissing(let column): "column \(column): expected a number, the name of a value, or a bracket"
        case .unexpected(let text, let column): "column \(column): unexpected \"\(text)\""
        case .foreignSign(let text, let column, let known):
            "column \(column): \"\(text)\" is no operator. Try: \(known)"
        case .comparedTwice(let column, let instead):
            "column \(column): a comparison has two sides only. Try: \(instead)"
        case .divisorAlwaysZero(let column):
            "column \(column): this divisor is always 0, so there is never a value. Try: another divisor"
        case .unknownFunction(let name, let column):
            "column \(column): \"\(name)\" is no function; there are abs, min and max"
        case .wrongArguments(let expected, let column): "column \(column): expected \(expected)"
        case .notClosed(let column): "column \(column): this bracket is not closed"
        case .tooComplex(let column): "column \(column): the text is too complex from here on"
        case .tooLong(let limit): "longer than \(limit) characters"
        case .notANumber(let column): "column \(column): expected a number, not a comparison"
        case .noNames: "names no value"
        case .differentUnits(let left, let right, let sign):
            "the units of both sides of \(sign) differ: \(left) and \(right)"
        }
    }
}
