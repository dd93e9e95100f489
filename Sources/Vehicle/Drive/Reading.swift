// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A number that the vehicle has reported, as the machines of this module take it.
///
/// A truth value is 0 or 1, and a value of an enumeration is its code.
package struct Reading: Hashable, Sendable {
    /// The value's name, as in `vehicle_speed`.
    package var name: String
    /// The meaning of the value; nil if the agent knows none.
    package var role: ParameterRole?
    package var value: Double
    /// The symbol of the metric unit; nil if the value has none.
    package var unit: String?
    package var time: MonotonicTime
    /// The step of the value, in its unit; nil if it is not known.
    package var resolution: Double?

    package init(
        _ name: String,
        role: ParameterRole? = nil,
        _ value: Double,
        _ unit: String?,
        at time: MonotonicTime,
        resolution: Double? = nil
    ) {
        self.name = name
        self.role = role
        self.value = value
        self.unit = unit
        self.time = time
        self.resolution = resolution
    }

    /// The value in the usual unit of its role; in its own unit without a role.
    var usualValue: Double { self.role?.usual(self.value, self.unit) ?? self.value }

    /// Creates a reading of a decoded value; nil if the value is a text or a list of names.
    package init?(_ value: FieldValue, at time: MonotonicTime) {
        let number: Double
        switch value.value {
        case .number(let decoded): number = decoded
        case .flag(let isOn): number = isOn ? 1 : 0
        case .code(let code, _): number = Double(code)
        case .text, .names: return nil
        }
        self.init(
            value.field.name,
            role: value.field.role,
            number,
            value.field.symbol,
            at: time,
            resolution: value.field.resolution
        )
    }
}
