// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The value of a field in a reply.
package enum DecodedValue: Hashable, Sendable {
    /// A measured or counted value in the field's unit.
    case number(Double)
    /// A state that is on or off.
    case flag(Bool)
    /// A value of an enumeration, with its label if that is known.
    case code(Int, label: String?)
    /// A word or a trouble code: `spark`, `P0301`.
    case text(String)
    /// A set of names, in the order of their bits: `B1S1`, `B1S2`.
    case names([String])
}

/// A value of a reply, with the field that decoded it.
package struct FieldValue: Hashable, Sendable {
    package let field: Field
    package let value: DecodedValue

    package init(field: Field, value: DecodedValue) {
        self.field = field
        self.value = value
    }
}
