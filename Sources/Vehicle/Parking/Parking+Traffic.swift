// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

// The bus itself as evidence, where it can be listened to.
extension Parking {
    /// Notes that a contact found the bus silent, so that the next traffic is new.
    package mutating func silenceObserved() { self.hadTraffic = false }

    /// Takes over whether nodes of a parked vehicle send, and returns the reason to use the bus; nil if there is none.
    package mutating func trafficObserved(_ hasTraffic: Bool, at now: MonotonicTime, isQuiet: Bool) -> ProbeReason? {
        defer { self.hadTraffic = hasTraffic }
        guard case .parked(let pending) = self.state, hasTraffic else { return nil }
        if !self.hadTraffic { self.state = .parked(pending ?? PendingProbe(reason: .traffic)) }
        guard let probe = self.grantedProbe(at: now, isQuiet: isQuiet) else { return nil }
        self.state = .probing(Probe(probe, at: now))
        return probe.reason
    }
}
