// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A model of a 1.6 l petrol engine with a six-speed gearbox: sensor values out of the driver's actions.
struct Powertrain: Sendable {
    /// The highest speed of each gear but the last, in km/h.
    static let shiftSpeeds: [Double] = [15, 30, 50, 75, 100]
    /// The engine speed per vehicle speed of each gear, in rpm per km/h.
    static let speedRatios: [Double] = [130, 72, 48, 36, 29, 24]
    static let idleSpeed = 820.0
    /// The factor from rpm per km/h to a gear ratio: 4.06 is the final drive, 1.95 m the tire's circumference.
    private static let ratioOfShafts = 60.0 * 1.95 / 1000 / 4.06

    private let cycle: DriveCycle
    private let dice: Dice
    private let ambient: Double
    private let coolant: WarmUp
    private let oil: WarmUp
    private let catalyst: WarmUp

    init(cycle: DriveCycle, ambient: Double, dice: Dice) {
        self.cycle = cycle
        self.dice = dice
        self.ambient = ambient
        func warmUp(to target: Double, rise: Double, fall: Double) -> WarmUp {
            WarmUp(
                ambient: ambient,
                target: target,
                rise: rise,
                fall: fall,
                running: cycle.trip,
                resting: cycle.pause + cycle.parking
            )
        }
        self.coolant = warmUp(to: 91, rise: 170, fall: 3600)
        self.oil = warmUp(to: 96, rise: 320, fall: 4200)
        self.catalyst = warmUp(to: 540, rise: 45, fall: 600)
    }

    /// Whether a trip counts as a warm-up (SAE J1979): the coolant rises by at least 22 °C, to at least 70 °C.
    func warmsUp(inTrip trip: Int) -> Bool {
        let end = self.coolant.temperature(cycle: trip, at: self.cycle.trip)
        return end >= 70 && end - self.coolant.start(ofCycle: trip) >= 22
    }

    func state(at moment: DriveCycle.Moment) -> VehicleState {
        let clock = Double(moment.trip % 1000) * 60 + moment.time
        var state = VehicleState()
        state.ignition = moment.ignition
        state.trip = moment.trip
        state.engineRuns = moment.engineRuns
        state.runTime = moment.runTime
        state.totalRunTime = moment.totalRunTime
        state.vehicleSpeed = moment.speed
        state.ambient = self.ambient
        state.coolant = self.coolant.temperature(cycle: moment.trip, at: moment.time)
        state.oil = self.oil.temperature(cycle: moment.trip, at: moment.time)
        state.catalyst = self.catalyst.temperature(cycle: moment.trip, at: moment.time)
        state.barometricPressure = self.dice.value(at: -1, in: 96...101)
        state.odometer = self.dice.value(at: -2, in: 20_000...120_000).rounded() + moment.distance
        state.fuelLevel = self.fuelLevel(at: moment)
        if moment.cranking {
            self.crank(&state, at: clock)
        } else if moment.engineRuns {
            self.run(&state, acceleration: moment.acceleration, at: clock)
        } else {
            self.stand(&state)
        }
        return state
    }

    /// Returns the fuel level in %: a tank of 50 l, a consumption of 8 l/100 km.
    ///
    /// The tank is filled to 80 % before a trip that would begin below 10 %.
    private func fuelLevel(at moment: DriveCycle.Moment) -> Double {
        let perKilometer = 8.0 / 100 / 50 * 100
        let atStart = (moment.distanceAtStart * perKilometer).truncatingRemainder(dividingBy: 70)
        return 80 - atStart - (moment.distance - moment.distanceAtStart) * perKilometer
    }

    private func crank(_ state: inout VehicleState, at time: Double) {
        self.stand(&state)
        state.engineSpeed = 210 + 20 * wave(time, period: 0.31)
        state.voltage = 10.3 + 0.2 * wave(time, period: 0.31)
    }

    private func stand(_ state: inout VehicleState) {
        state.throttle = 14
        state.manifoldPressure = state.barometricPressure
        state.intakeAir = self.ambient + (state.coolant - self.ambient) * 0.2
        state.frontOxygen = 0.45
        state.rearOxygen = 0.45
        state.lambda = 1
        state.longTrim = 1.6
        state.voltage = state.ignition ? 12.4 : 12.6
        state.demandedTorque = 0
        state.actualTorque = 0
    }

    private func run(_ state: inout VehicleState, acceleration: Double, at time: Double) {
        let speed = state.vehicleSpeed
        let cold = min(1, max(0, (70 - state.coolant) / 90))
        let idle = Self.idleSpeed + 250 * cold + 6 * wave(time, period: 2.3)
        self.chooseGear(&state, idle: idle)
        // The forces on a compact car: inertia (1400 kg), rolling resistance and drag.
        let meters = speed / 3.6
        let force = 1400 * acceleration + (speed > 0 ? 150 : 0) + 0.4 * meters * meters
        let power = force * meters
        let available = 90_000 * min(1, state.engineSpeed / 5500)
        let overrun = power < 0 && speed > 8
        let effort = min(0.78, max(0, power / available))
        state.engineLoad = overrun ? 6 : min(98, 19 + 8 * cold + 100 * effort + 0.8 * wave(time, period: 3.7))
        state.throttle = overrun ? 12 : 13 + 75 * effort * effort + 20 * effort + 2 * cold
        state.pedal = overrun || effort == 0 ? 0 : 4 + 85 * effort
        state.manifoldPressure = 18 + (state.barometricPressure - 20) * state.engineLoad / 100
        state.airFlow = state.engineSpeed / 120 * 1.6 * 1.18 * (0.08 + 0.85 * state.engineLoad / 100)
        state.fuelRate = overrun ? 0 : state.airFlow / 14.7 / 745 * 3600
        state.timingAdvance = 10 + 18 * (1 - effort) * min(1, state.engineSpeed / 3000) - 4 * cold
        state.demandedTorque = overrun ? -8 : 100 * effort
        state.actualTorque = overrun ? -8 : 100 * effort + 9 + 5 * cold
        state.intakeAir = self.ambient + 6 + 8 * (1 - min(1, meters / 20)) * (1 - cold)
        state.catalyst += 90 * effort
        state.voltage = 14.2 + 0.06 * wave(time, period: 17) - 0.1 * cold
        state.isClosedLoop = state.runTime > 20 && state.coolant > 25 && !overrun
        state.longTrim = 1.6 + 0.8 * wave(time, period: 900, phase: self.dice[-3])
        if state.isClosedLoop {
            let swing = wave(time, period: 1.4)
            state.shortTrim = 2.2 * swing + 0.6 * wave(time, period: 11)
            state.frontOxygen = 0.45 + 0.38 * swing
            state.rearOxygen = 0.68 + 0.04 * wave(time, period: 9)
            state.lambda = 1 - 0.012 * swing
        } else {
            state.shortTrim = 0
            state.frontOxygen = overrun ? 0.06 : 0.78
            state.rearOxygen = overrun ? 0.1 : 0.7
            state.lambda = overrun ? 1.99 : 1 - 0.08 * cold
        }
    }

    private func chooseGear(_ state: inout VehicleState, idle: Double) {
        guard state.vehicleSpeed > 0 else {
            state.engineSpeed = idle
            return
        }
        let index = Self.shiftSpeeds.firstIndex { state.vehicleSpeed < $0 } ?? Self.shiftSpeeds.count
        state.gear = index + 1
        // At a walking pace the clutch slips and the engine idles.
        state.engineSpeed = max(idle, state.vehicleSpeed * Self.speedRatios[index])
        state.gearRatio = Self.speedRatios[index] * Self.ratioOfShafts
    }
}
