// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The plan by which the machine is switched off while its vehicle is parked.
///
/// A machine: the present conditions in, the next step out.
struct PowerPlan: Sendable {
    /// The longest time that unacknowledged records keep the machine on after the announcement.
    static let grace = Duration.seconds(120)

    private enum State: Sendable {
        case inUse
        case parked(since: MonotonicTime)
        /// The shutdown is announced, and waits for the broker to acknowledge all records.
        case leaving(since: MonotonicTime)
        /// The switch-off is requested.
        case over
    }

    private let after: Duration
    private var state = State.inUse

    /// - Parameter after: how long a vehicle is parked before the machine is switched off.
    init(after: Duration) { self.after = after }

    enum ConditionsAction: Hashable, Sendable {
        case wait
        /// Record and publish that the machine is about to be switched off.
        case announceShutdown
        /// Switch the machine off.
        case powerOff
        /// Publish that the announced shutdown does not happen.
        case cancelShutdown
    }

    /// The conditions of a shutdown were checked.
    ///
    /// - Parameters:
    ///   - isBusy: whether a command runs or waits.
    ///   - waiting: the number of records that the broker has not acknowledged.
    mutating func conditionsChecked(
        isParked: Bool,
        isBusy: Bool,
        waiting: Int,
        at now: MonotonicTime
    ) -> ConditionsAction {
        switch self.state {
        case .over: return .wait
        case .inUse:
            if isParked, !isBusy { self.state = .parked(since: now) }
            return .wait
        case .parked(let since):
            // A command shows that somebody works on the vehicle, so the time begins again.
            guard isParked, !isBusy else {
                self.state = .inUse
                return .wait
            }
            guard now - since >= self.after else { return .wait }
            self.state = .leaving(since: now)
            return .announceShutdown
        case .leaving(let since):
            guard isParked, !isBusy else {
                self.state = .inUse
                return .cancelShutdown
            }
            guard waiting == 0 || now - since >= Self.grace else { return .wait }
            self.state = .over
            return .powerOff
        }
    }

    /// The machine was not switched off.
    ///
    /// The next try follows after the whole parking time.
    mutating func powerOffFailed() { self.state = .inUse }
}
