// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Parking
import Session

/// Finds the begin and the end of a charge of the traction battery.
struct ChargeWatch: Sendable {
    /// A charge that goes on.
    private struct Charge: Sendable {
        let start: MonotonicTime
        /// The counter of charged energy at its first reading in the charge, in kWh.
        var energy: Double?
    }

    /// The age after which a value from before is no longer told.
    private static let lifetime = Duration.seconds(300)

    private typealias Reading = (value: Double, time: MonotonicTime)

    private var stateOfCharge: Reading?
    /// The counter of charged energy at its last reading, in kWh.
    private var energy: Reading?
    private var charge: Charge?

    /// Takes over the state of charge and the charged energy among the samples.
    mutating func samplesReceived(_ samples: [Sample]) {
        for sample in samples {
            guard let role = sample.value.field.role, case .number(let value) = sample.value.value else { continue }
            switch role {
            case .stateOfCharge: self.stateOfCharge = (value, sample.time)
            case .chargedEnergy:
                let energy = sample.value.field.symbol == "Wh" ? value / 1000 : value
                self.energy = (energy, sample.time)
                if self.charge?.energy == nil { self.charge?.energy = energy }
            default: continue
            }
        }
    }

    /// Returns the event of a charge that begins or ends with this report; nil if none does.
    mutating func ignitionChanged(to report: ParkingReport, at now: MonotonicTime) -> AgentEvent? {
        switch (report.ignition, self.charge) {
        case (.charging, nil):
            let energy = self.energy.flatMap { now - $0.time < Self.lifetime ? $0.value : nil }
            self.charge = Charge(start: now, energy: energy)
            return self.event(.chargingStarted, at: now)
        // Without an answer nothing is known of the charge, unless the vehicle has been left alone.
        case (.unknown, .some) where !report.isParked, (.off, .some) where !report.isParked: return nil
        case (.running, let charge?), (.on, let charge?), (.off, let charge?), (.unknown, let charge?):
            self.charge = nil
            var event = self.event(.chargingStopped, at: now)
            event.duration = (now - charge.start).seconds.rounded()
            if let before = charge.energy, let after = self.energy?.value, after >= before {
                event.energy = ((after - before) * 1000).rounded() / 1000
            }
            return event
        case (.charging, .some), (.running, nil), (.on, nil), (.off, nil), (.unknown, nil): return nil
        }
    }

    /// Forgets the values, because another vehicle follows.
    mutating func vehicleChanged() { self = ChargeWatch() }

    private func event(_ kind: AgentEvent.Kind, at now: MonotonicTime) -> AgentEvent {
        var event = AgentEvent(kind)
        if let (value, time) = self.stateOfCharge, now - time < Self.lifetime {
            event.stateOfCharge = (value * 10).rounded() / 10
        }
        return event
    }
}
