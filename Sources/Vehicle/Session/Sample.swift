// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// One value at one time.
package struct Sample: Hashable, Sendable {
    package let value: FieldValue
    package let ecu: ECUAddress
    /// When the reply was there.
    package let time: MonotonicTime
    /// Whether this ECU alone was asked, so that nobody else can have a value of this name.
    package let isAddressed: Bool

    package init(value: FieldValue, ecu: ECUAddress, time: MonotonicTime, isAddressed: Bool = false) {
        self.value = value
        self.ecu = ecu
        self.time = time
        self.isAddressed = isAddressed
    }
}
