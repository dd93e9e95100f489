// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A boot of the machine, and the date at which its monotonic clock was zero.
package struct MachineBoot: Hashable, Sendable {
    /// The kernel's id.
    package var id: String
    package var start: Timestamp
    /// Whether the date comes from a clock that was synchronized.
    package var isSynchronised: Bool

    package init(id: String, start: Timestamp, isSynchronised: Bool) {
        self.id = id
        self.start = start
        self.isSynchronised = isSynchronised
    }
}
