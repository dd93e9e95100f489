// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The liveness of the agent's parts: a part is stuck if its probe times out or reports no progress.
struct Liveness: Sendable {
    private enum State {
        /// The probe that began at this time has no reply yet.
        case pending(since: MonotonicTime)
        case replied(isWell: Bool)
    }

    /// The timeout of a probe.
    let timeout: Duration
    private var states: [String: State] = [:]
    private let parts: [String]

    init(parts: [String], timeout: Duration) {
        (self.parts, self.timeout) = (parts, timeout)
    }

    /// Starts a probe of each part that has none pending.
    ///
    /// - Returns: the parts to probe now.
    mutating func startProbes(at now: MonotonicTime) -> [String] {
        let due = self.parts.filter {
            if case .pending = self.states[$0] { false } else { true }
        }
        for part in due { self.states[part] = .pending(since: now) }
        return due
    }

    /// A part has replied to its probe.
    ///
    /// - Parameter isWell: whether the part makes progress.
    mutating func replyReceived(from part: String, isWell: Bool) {
        self.states[part] = .replied(isWell: isWell)
    }

    /// Returns the stuck parts, in the order of the list.
    func stuck(at now: MonotonicTime) -> [String] {
        self.parts.filter { part in
            switch self.states[part] {
            case .pending(let since): now > since + self.timeout
            case .replied(let isWell): !isWell
            case nil: false
            }
        }
    }

    /// Whether no part has a probe pending or was never probed.
    var isComplete: Bool {
        self.parts.allSatisfy {
            if case .replied = self.states[$0] { true } else { false }
        }
    }
}
