// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The context of every log line: the vehicle whose topics are in use, and the adapter.
package final class LogContext: Sendable {
    private let value = Locked<(vehicle: String?, adapter: String?)>((nil, nil))

    package init() {}

    /// The vehicle's topic level and the adapter's address, as far as they are known.
    package var present: (vehicle: String?, adapter: String?) { self.value.withLock { $0 } }

    func note(vehicle: String) {
        self.value.withLock { $0.vehicle = vehicle }
    }

    func note(adapter: String) {
        self.value.withLock { $0.adapter = adapter }
    }
}
