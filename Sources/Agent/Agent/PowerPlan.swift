// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// When the machine is switched off because its vehicle is parked.
///
/// A machine: what is so now in, what to do out.
struct PowerPlan: Sendable {
    /// How long what the broker does not have yet may keep the machine on.
    static let grace = Duration.seconds(120)

    private enum State: Sendable {
        case inUse
        case parked(since: MonotonicTime)
        /// The last words were said.
        case leaving(since: MonotonicTime)
        /// It was asked to be switched off.
        case over
    }

    private let after: Duration
    private var state = State.inUse

    /// - Parameter after: how long a vehicle is parked before the machine is switched off.
    init(after: Duration) { self.after = after }

    enum LookedAction: Hashable, Sendable {
        case wait
        /// Say the last words.
        case sayGoodbye
        /// Switch the machine off.
        case powerOff
        /// What was said is not true any more.
        case stay
    }

    /// This is so now.
    ///
    /// - Parameters:
    ///   - isBusy: whether a command runs, or waits to.
    ///   - waiting: how many records the broker does not have.
    mutating func looked(isParked: Bool, isBusy: Bool, waiting: Int, at now: MonotonicTime) -> LookedAction {
        switch self.state {
        case .over: return .wait
        case .inUse:
            if isParked, !isBusy { self.state = .parked(since: now) }
            return .wait
        case .parked(let since):
            // Whoever works on the vehicle may go on for a while.
            guard isParked, !isBusy else {
                self.state = .inUse
                return .wait
            }
            guard now - since >= self.after else { return .wait }
            self.state = .leaving(since: now)
            return .sayGoodbye
        case .leaving(let since):
            guard isParked, !isBusy else {
                self.state = .inUse
                return .stay
            }
            guard waiting == 0 || now - since >= Self.grace else { return .wait }
            self.state = .over
            return .powerOff
        }
    }

    /// The machine was not switched off: it is tried again after as long as the first time.
    mutating func refused() { self.state = .inUse }
}
