// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The energy of a trip out of the traction battery and back into it, from its power, or its voltage and current.
///
/// The sign of the power is up to the manufacturer. A drive takes more than it returns, so the larger of both
/// directions counts as taken.
struct TripEnergy: Hashable, Sendable {
    /// The energies of both directions of the power, in kWh.
    struct Flow: Hashable, Sendable {
        var positive = 0.0
        var negative = 0.0
        /// The time with a known power, in seconds.
        var watched = 0.0

        /// Adds a step of the power, which may change its sign in between.
        mutating func add(_ step: ReadingSteps.Step) {
            let hours = step.seconds / 3600
            self.watched += step.seconds
            guard step.from * step.to < 0 else {
                if step.mean >= 0 { self.positive += step.mean * hours } else { self.negative -= step.mean * hours }
                return
            }
            // The power crosses zero after this share of the step.
            let share = step.from / (step.from - step.to)
            let parts = [step.from / 2 * share * hours, step.to / 2 * (1 - share) * hours]
            for part in parts { if part >= 0 { self.positive += part } else { self.negative -= part } }
        }
    }

    private(set) var source: Trip.EnergySource?
    private(set) var flow = Flow()
    private var steps = ReadingSteps()
    private var voltage = ReadingSteps()

    init() {}

    /// Restores the energy of a trip that an earlier process has begun.
    init(source: Trip.EnergySource?, flow: Flow) { (self.source, self.flow) = (source, flow) }

    /// Takes over the power of the traction battery, in kW.
    mutating func powerReceived(_ power: Double, at time: MonotonicTime) {
        self.powerReceived(power, .power, at: time)
    }

    /// Takes over the voltage of the traction battery, in V.
    mutating func voltageReceived(_ voltage: Double, at time: MonotonicTime) {
        _ = self.voltage.receive(voltage, at: time)
    }

    /// Takes over the current of the traction battery, in A.
    mutating func currentReceived(_ current: Double, at time: MonotonicTime) {
        guard let voltage = self.voltage.recent(at: time) else { return }
        self.powerReceived(voltage * current / 1000, .voltageAndCurrent, at: time)
    }

    private mutating func powerReceived(_ power: Double, _ source: Trip.EnergySource, at time: MonotonicTime) {
        if let known = self.source, known != source, self.steps.recent(at: time) != nil { return }
        if self.source != source { self.steps = ReadingSteps() }
        self.source = source
        guard let step = self.steps.receive(power, at: time) else { return }
        self.flow.add(step)
    }

    /// The energy out of the battery and back into it, in kWh.
    var taken: Double { max(self.flow.positive, self.flow.negative) }
    var returned: Double { min(self.flow.positive, self.flow.negative) }
}
