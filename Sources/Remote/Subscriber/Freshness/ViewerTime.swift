// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A moment by both clocks of the viewer's machine.
package struct ViewerTime: Hashable, Sendable {
    /// The clock that only goes forward.
    package var monotonic: MonotonicTime
    /// The date and the time of day, which may be wrong.
    package var date: Timestamp

    package init(_ monotonic: MonotonicTime, _ date: Timestamp) {
        self.monotonic = monotonic
        self.date = date
    }
}
