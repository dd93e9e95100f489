// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why a text is no formula; columns count from 1.
package enum FormulaError: Error, Hashable, Sendable {
    /// Nothing where a value must be.
    case valueMissing(column: Int)
    /// Something that can't stand there.
    case unexpected(String, column: Int)
    /// A word that is no byte and no function.
    case unknownName(String, column: Int)
    /// A function with too few or too many arguments, or with one that it can't take.
    case wrongArguments(String, column: Int)
    /// A bracket that is not closed.
    case notClosed(column: Int)
    /// Brackets in brackets, or steps, beyond the limit.
    case tooComplex(column: Int)
    /// More characters than the limit.
    case tooLong(limit: Int)
}

extension FormulaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .valueMissing(let column): "column \(column): expected a number, a byte such as A, or a bracket"
        case .unexpected(let text, let column): "column \(column): \"\(text)\" can't stand here"
        case .unknownName(let name, let column):
            "column \(column): \"\(name)\" is neither a byte (A to Z, AA to ZZ) nor a function"
        case .wrongArguments(let expected, let column): "column \(column): expected \(expected)"
        case .notClosed(let column): "column \(column): this bracket is not closed"
        case .tooComplex(let column): "column \(column): too complex from here on"
        case .tooLong(let limit): "longer than \(limit) characters"
        }
    }
}
