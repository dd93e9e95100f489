// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not a formula; columns count from 1.
package enum FormulaError: Error, Hashable, Sendable {
    /// A value is missing.
    case valueMissing(column: Int)
    /// The text is not allowed here.
    case unexpected(String, column: Int)
    /// The word is neither a byte nor a function.
    case unknownName(String, column: Int)
    /// A function has the wrong number or the wrong kind of arguments; the text is the expected form.
    case wrongArguments(String, column: Int)
    /// A bracket is not closed.
    case notClosed(column: Int)
    /// The formula has more nested brackets, steps or values on the stack than the limits.
    case tooComplex(column: Int)
    /// The formula is longer than the limit.
    case tooLong(limit: Int)
}

extension FormulaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .valueMissing(let column): "column \(column): expected a number, a byte such as A, or a bracket"
        case .unexpected(let text, let column): "column \(column): unexpected \"\(text)\""
        case .unknownName(let name, let column):
            "column \(column): \"\(name)\" is neither a byte (A to Z, AA to ZZ) nor a function"
        case .wrongArguments(let expected, let column): "column \(column): expected \(expected)"
        case .notClosed(let column): "column \(column): this bracket is not closed"
        case .tooComplex(let column): "column \(column): the formula is too complex from here on"
        case .tooLong(let limit): "longer than \(limit) characters"
        }
    }
}
