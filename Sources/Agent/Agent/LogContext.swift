// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// What everything that the agent logs is about: the vehicle whose topics these are, and the adapter.
package final class LogContext: Sendable {
    private let value = Locked<(vehicle: String?, adapter: String?)>((nil, nil))

    package init() {}

    /// The vehicle's level in the topics and the adapter's address, as far as they are known.
    package var present: (vehicle: String?, adapter: String?) { self.value.withLock { $0 } }

    func note(vehicle: String) {
        self.value.withLock { $0.vehicle = vehicle }
    }

    func note(adapter: String) {
        self.value.withLock { $0.adapter = adapter }
    }
}
