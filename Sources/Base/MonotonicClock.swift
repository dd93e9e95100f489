// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A clock that tells the time and waits for it: the machine's own, or a manual one in tests.
package protocol MonotonicClock: Sendable {
    /// The current time.
    var now: MonotonicTime { get }

    /// Waits until `deadline`; returns at once if it is past.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: MonotonicTime) async throws
}
