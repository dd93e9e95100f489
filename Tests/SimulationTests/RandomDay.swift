// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

@testable import Simulator

/// A day of a vehicle that a seed determines: drives, the rests between them, and troubles.
struct RandomDay: Sendable {
    /// A trouble that begins at a time after the start of the day, and lasts for a while.
    struct Event: Sendable {
        var trouble: Trouble
        var start: Duration
        var duration: Duration
    }

    /// The true drive of a vehicle between two rests.
    struct Drive: Sendable {
        var start: MonotonicTime
        var end: MonotonicTime
        /// The distance in km.
        var distance = 0.0
        /// The time and the fuel rate in L/h, or the power in kW, of each step.
        var steps: [(time: MonotonicTime, fuelRate: Double, power: Double)] = []

        /// Returns the used fuel in L from a time on.
        func fuel(from time: MonotonicTime) -> Double {
            self.steps.reduce(0) { $1.time < time ? $0 : $0 + $1.fuelRate * RandomDay.step.seconds / 3600 }
        }

        /// Returns the energies out of the battery and back into it in kWh, from a time on.
        func energy(from time: MonotonicTime) -> (taken: Double, returned: Double) {
            var energy = (taken: 0.0, returned: 0.0)
            for step in self.steps where step.time >= time {
                let part = step.power * RandomDay.step.seconds / 3600
                if part > 0 { energy.taken += part } else { energy.returned -= part }
            }
            return energy
        }
    }

    static let step = Duration.milliseconds(250)
    /// The troubles of a day.
    ///
    /// Two are left out: with a sleeping vehicle, or another one, the drives would differ from the phases of the day.
    private static let troubles = Trouble.allCases.filter { $0 != .carAsleep && $0 != .vehicleSwapped }

    let phases: [VehiclePhase]
    let events: [Event]
    /// The length of the day, without the night after it.
    let length: Duration

    init(phases: [VehiclePhase], events: [Event], length: Duration) {
        (self.phases, self.events, self.length) = (phases, events, length)
    }

    init(seed: UInt64, troubles count: Int) {
        let dice = Dice(seed: seed &* 7919 &+ 1)
        var phases = [VehiclePhase(.asleep, .seconds(120))]
        for drive in 0..<3 + Int(dice[0] * 2) {
            if dice[10 + drive] < 0.3 { phases.append(VehiclePhase(.ignition, .seconds(60))) }
            phases.append(VehiclePhase(.drive, .seconds(dice.value(at: 20 + drive, in: 480...1200).rounded())))
            phases.append(VehiclePhase(.asleep, .seconds(dice.value(at: 30 + drive, in: 600...1500).rounded())))
        }
        let length = phases.reduce(Duration.zero) { $0 + $1.duration }
        phases.append(VehiclePhase(.asleep, .seconds(86_400)))
        // Each trouble has its own share of the day, because other tests cover two troubles at once.
        let share = length / max(1, count)
        let events = (0..<count).map { index in
            let trouble = Self.troubles[Int(dice[100 + index] * Double(Self.troubles.count))]
            return Event(
                trouble: trouble,
                start: share * index + .seconds(dice.value(at: 200 + index, in: 0...max(1, share.seconds - 420))),
                duration: .seconds(dice.value(at: 300 + index, in: 10...285))
            )
        }
        self.init(phases: phases, events: events, length: length)
    }

    /// Returns the drives of a vehicle within `times`.
    ///
    /// - Parameter isDriving: whether the vehicle drives in a state.
    static func drives(
        of vehicle: SimulatedVehicle,
        in times: ClosedRange<MonotonicTime>,
        where isDriving: (VehicleState) -> Bool
    ) -> [Drive] {
        var drives: [Drive] = []
        var rest = Duration.seconds(3600)
        var odometer = vehicle.state(at: times.lowerBound).odometer
        var time = times.lowerBound
        while time <= times.upperBound {
            let state = vehicle.state(at: time)
            defer {
                odometer = state.odometer
                time = time + Self.step
            }
            guard isDriving(state) else {
                rest += Self.step
                continue
            }
            // Stops at lights are part of the drive.
            if rest >= .seconds(300) || drives.isEmpty { drives.append(Drive(start: time, end: time)) }
            rest = .zero
            let last = drives.count - 1
            drives[last].end = time
            drives[last].distance += max(0, state.odometer - odometer)
            drives[last].steps.append((time, state.fuelRate, state.tractionVoltage * state.tractionCurrent / 1000))
        }
        return drives
    }
}
