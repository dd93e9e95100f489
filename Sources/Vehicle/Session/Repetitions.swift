// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// Plans the repetitions of requests that an ECU has to answer, and does not: first at once, and then in idle time.
struct Repetitions: Sendable {
    private struct State: Sendable {
        var count = 0
        /// The time of the next request in idle time; nil if the next one follows at once, or if there is none.
        var due: MonotonicTime?
    }

    /// The number of requests that follow one another at once.
    private let immediate: Int
    /// The pauses before the other requests.
    private let pauses: [Duration]
    private var states: [PID: State] = [:]

    init(immediate: Int, pauses: [Duration]) {
        self.immediate = immediate
        self.pauses = pauses
    }

    /// The largest number of requests for one PID.
    var limit: Int { self.immediate + self.pauses.count }

    /// Counts a request.
    mutating func requested(_ pid: PID, at now: MonotonicTime) {
        let count = (self.states[pid]?.count ?? 0) + 1
        let pause = count - self.immediate
        self.states[pid] = State(
            count: count,
            due: self.pauses.indices.contains(pause) ? now + self.pauses[pause] : nil
        )
    }

    /// Whether the last request was the last of those that follow one another at once.
    func hasJustPaused(_ pid: PID) -> Bool { self.states[pid]?.count == self.immediate }

    /// Whether the next request follows at once.
    func isImmediate(_ pid: PID) -> Bool { self.states[pid]?.count ?? 0 < self.immediate }

    /// Returns the time of the next request in idle time; nil if there is none.
    func due(_ pid: PID) -> MonotonicTime? { self.states[pid]?.due }

    /// Forgets all requests.
    mutating func reset() { self.states = [:] }
}
