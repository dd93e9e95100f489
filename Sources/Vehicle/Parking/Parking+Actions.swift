// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

// The actions that the rules ask for.
extension Parking {
    /// The result of a check before a request.
    package enum CheckAction: Hashable, Sendable {
        case proceed
        /// The vehicle is parked from now on.
        case leave
    }

    /// The next action without a session.
    package enum NextAction: Hashable, Sendable {
        case wait(until: MonotonicTime)
        /// Read the supply voltage and nothing else.
        case readVoltage
        /// Use the bus of a parked vehicle: the probe has begun.
        case probe(ProbeReason)
        /// Connect to a vehicle in use.
        case connect
    }

    /// The action after the adapter was reached.
    package enum ReachedAction: Hashable, Sendable {
        case proceed
        /// The adapter was away, or was lost in use. The probe has begun.
        case probe
    }

    /// The action after a reading of the resting voltage.
    package enum VoltageAction: Hashable, Sendable {
        case leave
        case readMore
        /// The voltage looks like ignition, or another probe is pending. The probe has begun.
        case probe(ProbeReason)
    }

    /// The result of the command `wake`.
    package enum WakeAction: Hashable, Sendable {
        /// The vehicle is in use, and is held until then.
        case held(until: MonotonicTime)
        /// A probe begins as soon as the adapter is reached.
        case probe
        /// The voltage in volts is below the limit.
        case tooLow(Double)
        /// The probes of this hour or night are spent.
        case noProbeLeft
    }
}
