// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import OBD2

// The selected parameters, as far as the connected vehicle supports them, and those that are polled faster for a while.
extension Session {
    /// The selection that is polled without a temporary one.
    package var lasting: Selection { self.selections.lasting }

    /// The selection that is polled now.
    package var currentSelection: Selection { self.selections.current }

    /// The selected parameters that are not polled because the vehicle does not support or does not answer them.
    package var unsupported: [ParameterKey] {
        self.vehicle?.agenda.unsupported.filter { self.currentSelection.intervals[$0] != nil } ?? []
    }

    /// The names of the values that are watched for limits, captures or trips, and that the vehicle does not have.
    package var lackedValues: Set<String> { self.vehicle?.agenda.lackedValues ?? [] }

    /// The measured interval of each parameter; nil before the first request of a session.
    package var achieved: [ParameterKey: Duration]? {
        self.vehicle?.agenda.achieved?.filter { self.currentSelection.intervals[$0.key] != nil }
    }

    /// The selected parameters that are polled more often than that, for trips, limits or a capture.
    package var hastened: Set<ParameterKey> {
        let polled = self.vehicle?.agenda.polledIntervals ?? [:]
        return Set(
            self.currentSelection.intervals.filter { key, interval in polled[key].map { $0 < interval } ?? false }.keys
        )
    }

    /// The parameters that are polled now, selected or not, and the derived ones that are computed; none without a vehicle.
    package var polledParameters: Set<ParameterKey> { self.vehicle?.agenda.polledParameters ?? [] }

    /// The ways to compute the derived parameters that the vehicle supports, by their names; nil without a vehicle.
    package var derivations: [String: Derivation]? { self.vehicle?.agenda.derivations }

    /// Polls parameters faster for a while, selected or not, as far as the link allows; no selection changes.
    package func hasten(_ keys: [ParameterKey], every interval: Duration, for duration: Duration) {
        self.selections.hasten(keys, every: interval, for: duration, at: self.clock.now)
        self.vehicle?.agenda.select(self.selections.polled)
        self.bus.interruptRead()
    }
}
