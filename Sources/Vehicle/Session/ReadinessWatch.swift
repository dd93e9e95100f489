// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// The readiness of the ECUs on J1939, which send it apart from their lamp and their codes.
struct ReadinessWatch: Sendable {
    /// The interval between two requests: readiness changes once in many trips, and the request takes a second.
    static let interval = Duration.seconds(600)
    /// The number of requests without an answer after which no more are sent in this session.
    static let attemptLimit = 2

    private var monitors: [ECUAddress: MonitorStatus] = [:]
    private var lastRequest: MonotonicTime?
    private var unanswered = 0

    /// Whether the readiness has to be requested now.
    func isDue(at now: MonotonicTime) -> Bool {
        self.unanswered < Self.attemptLimit && self.lastRequest.map { now - $0 >= Self.interval } ?? true
    }

    /// Takes over the replies to a request.
    mutating func received(_ replies: [ECUAddress: Reply], at now: MonotonicTime) {
        self.lastRequest = now
        self.unanswered = replies.isEmpty ? self.unanswered + 1 : 0
        self.monitors.merge(replies.compactMapValues { try? MonitorStatus(data: $0.data) }) { $1 }
    }

    /// Returns the statuses with the readiness of their ECUs.
    func completing(_ statuses: [ECUAddress: MonitorStatus]) -> [ECUAddress: MonitorStatus] {
        guard !self.monitors.isEmpty else { return statuses }
        return Dictionary(
            statuses.map { ecu, status in (ecu, self.monitors[ecu].map(status.with) ?? status) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
