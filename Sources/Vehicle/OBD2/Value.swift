// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What a field of a reply says.
package enum Value: Hashable, Sendable {
    /// A measured or counted value in the field's unit.
    case number(Double)
    /// A state that is on or off.
    case flag(Bool)
    /// One of a list, and its meaning if that is known.
    case code(Int, label: String?)
    /// A word or a code of its own: `spark`, `P0301`.
    case text(String)
    /// A set, in the order of its bits: `B1S1`, `B1S2`.
    case names([String])
}

/// One value of a reply, and the field that it comes from.
package struct FieldValue: Hashable, Sendable {
    /// Where the value was, what it is called, its unit.
    package let field: Field
    /// What was there.
    package let value: Value

    package init(field: Field, value: Value) {
        self.field = field
        self.value = value
    }
}
