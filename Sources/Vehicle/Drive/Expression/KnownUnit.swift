// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The unit of a part of a formula, as far as it is known.
package enum KnownUnit: Hashable, Sendable {
    /// The part is a literal number, which may have any unit.
    case any
    /// The value has the unit with this symbol; the empty symbol stands for a value without a unit.
    case symbol(String)
    /// The unit is unknown, as that of a product.
    case unknown

    /// Returns the unit of values that are added or compared by `sign`.
    func joined(with other: KnownUnit, by sign: String) throws(ExpressionError) -> KnownUnit {
        switch (self, other) {
        case (.any, let unit), (let unit, .any): return unit
        case (.unknown, let unit), (let unit, .unknown): return unit
        case (.symbol(let left), .symbol(let right)):
            guard left == right else {
                throw .differentUnits(Self.shown(left), Self.shown(right), sign: sign)
            }
            return self
        }
    }

    private static func shown(_ symbol: String) -> String { symbol.isEmpty ? "no unit" : symbol }
}
