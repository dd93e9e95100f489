// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import EventLoop
import Base

/// Whether something that runs for ever still does: it looks at its clock again and again, or waits until a time that it
/// has named.
final class Pulse: Sendable {
    private struct State {
        /// When it was seen last.
        var seen: MonotonicTime
        /// Until when it may wait, for each wait that has begun and not ended.
        var waits: [Int: MonotonicTime] = [:]
        var lastWait = 0
    }

    /// The deadline of who waits for as long as it takes.
    static let never = MonotonicTime.zero + .seconds(1 << 40)

    private let state: Locked<State>

    init(at now: MonotonicTime) {
        self.state = Locked(State(seen: now))
    }

    /// It did something.
    func beat(at now: MonotonicTime) {
        self.state.withLock { $0.seen = max($0.seen, now) }
    }

    /// It waits until `deadline` at most; ``ended(_:at:)`` takes what this returns.
    func waits(until deadline: MonotonicTime) -> Int {
        self.state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = deadline
            return state.lastWait
        }
    }

    /// A wait is over.
    func ended(_ wait: Int, at now: MonotonicTime) {
        self.state.withLock { state in
            state.waits[wait] = nil
            state.seen = max(state.seen, now)
        }
    }

    /// Whether it was not seen for longer than `patience`, beyond what it wanted to wait.
    func isStuck(at now: MonotonicTime, patience: Duration) -> Bool {
        let last = self.state.withLock { state in state.waits.values.reduce(state.seen) { max($0, $1) } }
        return now > last + patience
    }
}

/// A clock that tells a ``Pulse`` of each look at it, and of each sleep.
struct WatchedClock: MonotonicClock {
    let clock: any MonotonicClock
    let pulse: Pulse

    var now: MonotonicTime {
        let now = self.clock.now
        self.pulse.beat(at: now)
        return now
    }

    func sleep(until deadline: MonotonicTime) async throws {
        let wait = self.pulse.waits(until: deadline)
        defer { self.pulse.ended(wait, at: self.clock.now) }
        try await self.clock.sleep(until: deadline)
    }
}

/// A link that tells a ``Pulse`` how long somebody waits for it.
final class WatchedLink: AdapterLink {
    private let link: any AdapterLink
    private let clock: WatchedClock

    init(_ link: any AdapterLink, _ clock: WatchedClock) {
        self.link = link
        self.clock = clock
    }

    /// An opener whose waits, and whose links' waits, are told.
    static func opener(_ open: @escaping AdapterOpener.Opener, _ clock: WatchedClock) -> AdapterOpener.Opener {
        { deadline throws(LinkError) in
            let wait = clock.pulse.waits(until: deadline)
            defer { clock.pulse.ended(wait, at: clock.clock.now) }
            return WatchedLink(try await open(deadline), clock)
        }
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) { try await self.link.write(bytes) }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        let wait = self.clock.pulse.waits(until: deadline)
        defer { self.clock.pulse.ended(wait, at: self.clock.clock.now) }
        return try await self.link.read(until: deadline)
    }

    func wake() { self.link.wake() }
    func signalStrength() async -> Int? { await self.link.signalStrength() }
    func close() { self.link.close() }
}
