// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The values of a parameter in an answer.
package struct ParameterAnswer: Hashable, Sendable {
    /// The value of each ECU that has sent a valid one.
    package var values: [ECUAddress: FieldValue] = [:]
    /// Whether an ECU has answered with something that is no valid value.
    package var isDamaged = false
}
