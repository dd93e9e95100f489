// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// One value at one time.
package struct Sample: Hashable, Sendable {
    package let value: FieldValue
    package let ecu: ECUAddress
    /// The time at which the reply was complete.
    package let time: MonotonicTime
    /// Whether the request was addressed to this ECU alone, so that no other ECU can have a value of this name.
    package let isAddressed: Bool

    package init(value: FieldValue, ecu: ECUAddress, time: MonotonicTime, isAddressed: Bool = false) {
        self.value = value
        self.ecu = ecu
        self.time = time
        self.isAddressed = isAddressed
    }
}
