// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The counts of a session.
extension Session {
    /// The number of times since the start that an adapter was set to another addressing: to one ECU, or back to all.
    package var headerChanges: Int { self.bus.headerChanges }
}
