// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Where the time comes from and how to wait for it: the machine's own clock, or a test's.
package protocol MonotonicClock: Sendable {
    /// The present moment.
    var now: MonotonicTime { get }

    /// Returns when `deadline` has come, at once if it is past.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: MonotonicTime) async throws
}
