// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop

/// The signs of life of an endless task: it reads its clock again and again, or waits until a deadline.
final class Pulse: Sendable {
    private struct State {
        /// The time of the last sign of life.
        var seen: MonotonicTime
        /// The deadlines of the waits under way, by number.
        var waits: [Int: MonotonicTime] = [:]
        var lastWait = 0
    }

    /// The deadline of a wait without a limit.
    static let never = MonotonicTime.zero + .seconds(1 << 40)

    private let state: Locked<State>

    init(at now: MonotonicTime) {
        self.state = Locked(State(seen: now))
    }

    /// The task did something.
    func beat(at now: MonotonicTime) {
        self.state.withLock { $0.seen = max($0.seen, now) }
    }

    /// Begins a wait that ends at `deadline` at the latest.
    ///
    /// - Returns: the number of the wait, for ``endWait(_:at:)``.
    func beginWait(until deadline: MonotonicTime) -> Int {
        self.state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = deadline
            return state.lastWait
        }
    }

    /// Ends a wait.
    func endWait(_ wait: Int, at now: MonotonicTime) {
        self.state.withLock { state in
            state.waits[wait] = nil
            state.seen = max(state.seen, now)
        }
    }

    /// Returns whether the last sign of life, or the latest deadline of a wait, is older than `timeout`.
    func isStuck(at now: MonotonicTime, timeout: Duration) -> Bool {
        let last = self.state.withLock { state in state.waits.values.reduce(state.seen) { max($0, $1) } }
        return now > last + timeout
    }
}

/// A clock that reports each reading and each sleep to a ``Pulse``.
struct WatchedClock: MonotonicClock {
    let clock: any MonotonicClock
    let pulse: Pulse

    var now: MonotonicTime {
        let now = self.clock.now
        self.pulse.beat(at: now)
        return now
    }

    func sleep(until deadline: MonotonicTime) async throws {
        let wait = self.pulse.beginWait(until: deadline)
        defer { self.pulse.endWait(wait, at: self.clock.now) }
        try await self.clock.sleep(until: deadline)
    }
}

/// A link that reports each wait for it to a ``Pulse``.
final class WatchedLink: AdapterLink {
    private let link: any AdapterLink
    private let clock: WatchedClock

    init(_ link: any AdapterLink, _ clock: WatchedClock) {
        self.link = link
        self.clock = clock
    }

    /// Returns an opener that reports its own waits and those of its links.
    static func opener(_ open: @escaping AdapterOpener.Opener, _ clock: WatchedClock) -> AdapterOpener.Opener {
        { deadline throws(LinkError) in
            let wait = clock.pulse.beginWait(until: deadline)
            defer { clock.pulse.endWait(wait, at: clock.clock.now) }
            return WatchedLink(try await open(deadline), clock)
        }
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) { try await self.link.write(bytes) }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        let wait = self.clock.pulse.beginWait(until: deadline)
        defer { self.clock.pulse.endWait(wait, at: self.clock.clock.now) }
        return try await self.link.read(until: deadline)
    }

    func interruptRead() { self.link.interruptRead() }
    func signalStrength() async -> Int? { await self.link.signalStrength() }
    func close() { self.link.close() }
}
