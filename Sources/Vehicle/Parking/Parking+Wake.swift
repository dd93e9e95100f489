// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

// The command wake.
extension Parking {
    /// Whether a `wake` waits for its probe, or for the probe's result.
    package var isWakePending: Bool {
        switch self.state {
        case .parked(let pending): pending?.reason == .wakeCommand
        case .probing(let probe): probe.pending.reason == .wakeCommand
        case .inUse: false
        }
    }

    /// Holds the vehicle in use for the command `wake`, or requests a probe of a parked one.
    ///
    /// - Parameter duration: the time for which a user wants to work on the vehicle, at most ``longestHold``.
    package mutating func wakeRequested(for duration: Duration, at now: MonotonicTime, isQuiet: Bool) -> WakeAction {
        let duration = min(duration, Self.longestHold)
        if self.isVoltageTooLow { return .tooLow(self.ignition.supply.voltage ?? 0) }
        if !self.isParked, self.ignition.state == .running {
            self.updateUse { $0.hold(until: now + duration) }
            return .held(until: now + duration)
        }
        guard self.budget.hasProbe(at: now, isQuiet: isQuiet) else { return .noProbeLeft }
        switch self.state {
        case .inUse:
            self.budget.spend(at: now, isQuiet: isQuiet)
            self.updateUse { use in
                use.hold(until: now + duration)
                use.end = max(use.end, now + duration)
            }
            return .held(until: now + duration)
        case .parked(let pending):
            var probe = PendingProbe(reason: .wakeCommand, holdDuration: duration)
            probe.isRepetition = pending?.isRepetition ?? false
            (self.state, self.nextContact) = (.parked(probe), now)
            return .probe
        case .probing(var probe):
            probe.pending.reason = .wakeCommand
            probe.pending.holdDuration = duration
            self.state = .probing(probe)
            return .probe
        }
    }
}
