// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Logging

/// The lines of the log about gpsd: few, whatever gpsd does.
///
/// No line has a position, because logs go into bug reports.
final class PositionNotices: Sendable {
    private struct State {
        var isConnected = false
        /// The reason for the last loss; nil while connected.
        var reason: String?
        /// The lines about connections that are made and lost.
        var changes: TokenBucket
        var complaints: TokenBucket
    }

    private let logger: Logger
    private let state: Locked<State>

    init(_ logger: Logger, at now: MonotonicTime) {
        self.logger = logger
        self.state = Locked(
            State(
                changes: TokenBucket(capacity: 10, interval: .seconds(600), at: now),
                complaints: TokenBucket(capacity: 3, interval: .seconds(3600), at: now)
            )
        )
    }

    /// gpsd has greeted.
    func connected(to release: String, at now: MonotonicTime) {
        let isShown = self.state.withLock { state in
            (state.isConnected, state.reason) = (true, nil)
            return state.changes.take(at: now) != nil
        }
        guard isShown else { return }
        self.logger.info("Connected to gpsd", metadata: ["release": "\(Printable.text(release))"])
    }

    /// The connection is lost, or was not made.
    ///
    /// - Returns: whether gpsd had greeted.
    func lost(because reason: String, at now: MonotonicTime) -> Bool {
        let (wasConnected, isShown) = self.state.withLock { state in
            defer { (state.isConnected, state.reason) = (false, reason) }
            return (state.isConnected, state.reason != reason && state.changes.take(at: now) != nil)
        }
        if isShown { self.logger.warning("No gpsd: \(reason). Try: systemctl status gpsd; gpspipe -w -n 5") }
        return wasConnected
    }

    /// gpsd has reported an error.
    func failed(_ message: String, at now: MonotonicTime) {
        guard self.mayComplain(at: now) else { return }
        self.logger.warning("gpsd reports an error: \(Printable.text(message))")
    }

    /// Lines of gpsd were ignored; the numbers are those of the connection.
    func refused(malformed: Int, excess: Int, at now: MonotonicTime) {
        guard self.mayComplain(at: now) else { return }
        self.logger.warning(
            "Lines of gpsd were ignored. Try: gpspipe -w, which shows them",
            metadata: ["malformed": "\(malformed)", "too_fast": "\(excess)"]
        )
    }

    private func mayComplain(at now: MonotonicTime) -> Bool {
        self.state.withLock { $0.complaints.take(at: now) != nil }
    }
}
