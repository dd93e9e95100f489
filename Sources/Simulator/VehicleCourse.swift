// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// The state of a vehicle at any time, as its drives, phases and timetable determine it.
struct VehicleCourse: Sendable {
    let powertrain: Powertrain
    private let model: VehicleModel
    private let cycle: DriveCycle
    private let timetable: Timetable?
    /// The phases; nil if the vehicle makes plain trips, or follows a timetable.
    private let plan: PhasePlan?
    private let chargeUse: Double?
    private let dice: Dice

    init(_ options: SimulatedVehicle.Options) {
        let model = options.model
        let dice = Dice(seed: options.seed)
        var phases = options.phases
        if phases == nil, model.powertrain != .combustion, options.timetable == nil {
            phases = VehiclePhase.round(
                model.powertrain,
                trip: options.trip,
                pause: options.pause,
                parking: options.parking,
                charge: options.charge
            )
        }
        self.model = model
        self.dice = dice
        self.timetable = options.timetable
        self.chargeUse = options.chargeUse
        self.plan = phases.map { PhasePlan($0, dice: dice) }
        self.cycle =
            self.plan?.firstCycle
            ?? DriveCycle(trip: options.trip, pause: options.pause, parking: options.parking, dice: dice)
        self.powertrain = Powertrain(cycle: self.cycle, ambient: options.ambientTemperature, dice: dice)
    }

    /// Returns the state at `elapsed` after the beginning of the first trip.
    func tripState(at elapsed: Duration) -> VehicleState { self.powertrain.state(at: self.cycle.moment(at: elapsed)) }

    /// Returns the state at `elapsed` after the vehicle's first moment.
    func state(at elapsed: Duration) -> VehicleState {
        if let plan = self.plan { return self.state(at: elapsed, plan) }
        var state = self.powertrain.state(at: self.cycle.moment(at: elapsed))
        if let timetable = self.timetable { self.follow(timetable, &state, at: elapsed) }
        state.isAwake = state.ignition
        return state
    }

    private func follow(_ timetable: Timetable, _ state: inout VehicleState, at elapsed: Duration) {
        let entry = timetable.entry(at: elapsed)
        (state.ignition, state.engineRuns) = (entry.ignition, entry.engineRuns)
        state.engineSpeed = entry.engineRuns ? max(state.engineSpeed, Powertrain.idleSpeed) : 0
        if !entry.engineRuns { (state.vehicleSpeed, state.gear) = (0, 0) }
        state.voltage = timetable.voltage(at: elapsed, self.dice)
    }

    // MARK: - Phases

    private func state(at elapsed: Duration, _ plan: PhasePlan) -> VehicleState {
        let position = plan.position(at: elapsed)
        let phase = plan.phases[position.index]
        let kind = phase.kind
        var moment = plan.moment(at: position)
        moment.ignition = kind.hasIgnition
        let use = self.use(plan)
        let charge = self.charge(plan, position, distance: moment.distance, use: use)
        if self.model.powertrain != .combustion {
            moment.cranking = false
            moment.engineRuns = self.model.powertrain.runsEngine(in: moment, charge: charge, self.dice)
        }
        var state = self.powertrain.state(at: moment)
        state.isAwake = kind.isAwake
        state.ready = kind.isReady
        let isPluggable = self.model.powertrain.isChargeable
        state.pluggedIn = isPluggable && kind.isPluggedIn
        state.charging = isPluggable && kind == .charging
        let isFedByEngine = !self.model.powertrain.hasConverter && kind == .drive
        if !isFedByEngine || phase.voltage != nil {
            let index = Int(clamping: elapsed.milliseconds / 500)
            let mean = phase.voltage ?? kind.voltage
            state.voltage = self.dice.value(at: index, in: mean - 0.04...mean + 0.04)
        } else if !state.engineRuns, !moment.cranking {
            // A 48 V system feeds the 12 V supply while the engine of a mild hybrid rests.
            state.voltage = 13.6
        }
        guard let battery = self.model.battery else { return state }
        state.stateOfCharge = charge
        state.stateOfHealth = self.dice.value(at: -11, in: 90...99).rounded()
        state.tractionTemperature = state.ambient + 6 + 2 * wave(position.seconds, period: 5400)
        if state.charging {
            // Where phases are shortened, the charger's power stays possible.
            let energy = battery.capacity * use / 100
            state.chargerPower = min(battery.charger, energy / plan.charging * 3600)
        }
        battery.apply(to: &state, acceleration: moment.acceleration)
        return state
    }

    /// Returns the state of charge that the drives of a round use, in %.
    private func use(_ plan: PhasePlan) -> Double {
        if let use = self.chargeUse { return min(90, max(0, use)) }
        guard let battery = self.model.battery else { return 0 }
        let energy = plan.meanDistance > 0 ? plan.meanDistance * battery.consumption / 100 : battery.capacity / 2
        return min(75, energy / battery.capacity * 100)
    }

    private func charge(
        _ plan: PhasePlan,
        _ position: PhasePlan.Position,
        distance: Double,
        use: Double
    ) -> Double {
        // The engine of a hybrid keeps the charge near the middle.
        guard self.model.powertrain.isChargeable else { return 55 + 7 * wave(distance, period: 2.3) }
        let full = self.dice.value(at: -10, in: 90...98).rounded()
        return max(2, full - use * plan.deficit(at: position))
    }
}
