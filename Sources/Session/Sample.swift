// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Timing

/// One value at one time.
package struct Sample: Hashable, Sendable {
    package let value: FieldValue
    package let ecu: ECUAddress
    /// When the reply was there.
    package let time: MonotonicTime

    package init(value: FieldValue, ecu: ECUAddress, time: MonotonicTime) {
        self.value = value
        self.ecu = ecu
        self.time = time
    }
}
