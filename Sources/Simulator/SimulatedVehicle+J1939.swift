// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The messages of a heavy vehicle on its J1939 bus while the ignition is on.
extension SimulatedVehicle {
    /// The addresses of the first engine and the first transmission (SAE J1939-81).
    private static let engine: UInt8 = 0x00
    private static let transmission: UInt8 = 0x03

    /// The interval between two broadcasts of the active codes (SAE J1939-73, DM1).
    private static let codesInterval = Duration.seconds(1)
    /// The time that an ECU takes to answer a request.
    private static let latency = Duration.milliseconds(30)

    /// Returns the broadcasts of `group` that begin from `start` until before `end`, ordered by time.
    package func broadcasts(
        of group: PGN,
        from start: MonotonicTime,
        until end: MonotonicTime
    ) -> [GroupMessage] {
        guard let interval = self.interval(of: group) else { return [] }
        var messages: [GroupMessage] = []
        for source in [Self.engine, Self.transmission] {
            // Each ECU broadcasts each group with a phase of its own.
            let phase = interval * Int(group.rawValue % 7 + UInt32(source) * 3) / 20
            let elapsed = (start - self.start - phase).milliseconds
            let period = max(1, interval.milliseconds)
            let first = elapsed <= 0 ? 0 : (elapsed + period - 1) / period
            var time = self.start + phase + interval * Int(first)
            while time < end {
                if let data = self.data(of: group, from: source, at: time) {
                    messages.append(GroupMessage(group: group, source: source, data: data, time: time))
                }
                time = time + interval
            }
        }
        return messages.sorted { ($0.time, $0.source) < ($1.time, $1.source) }
    }

    /// Returns the answers to a request for `group` that is addressed to all ECUs.
    ///
    /// An ECU without that group stays silent.
    package func answers(to group: PGN, at time: MonotonicTime) -> [GroupMessage] {
        [Self.engine, Self.transmission].compactMap { source in
            let time = time + Self.latency + .milliseconds(Int(source) * 4)
            return self.data(of: group, from: source, at: time)
                .map { GroupMessage(group: group, source: source, data: $0, time: time) }
        }
    }

    private func interval(of group: PGN) -> Duration? {
        group == .activeCodes ? Self.codesInterval : ParameterGroup.withPGN(group)?.interval
    }

    private func data(of group: PGN, from source: UInt8, at time: MonotonicTime) -> [UInt8]? {
        let state = self.state(at: time)
        guard state.ignition else { return nil }
        let isEngine = source == Self.engine
        switch group {
        case .activeCodes: return self.codes(isEngine ? self.options.activeJ1939Codes : [])
        case .previouslyActiveCodes: return self.codes(isEngine ? self.options.previousJ1939Codes : [])
        case .pendingCodes: return isEngine ? self.codes(self.options.pendingJ1939Codes) : nil
        case .permanentCodes: return isEngine ? self.codes(self.options.permanentJ1939Codes) : nil
        case .readiness: return self.readiness(isEngine, state)
        case .tripReadiness where isEngine:
            let counters = ParameterGroup.withPGN(group)?.encode(self.counters(of: state)) ?? []
            return counters.prefix(3) + Self.readiness(self.memory.cycleStatus(state)).data
        case .calibrations:
            let ecu: ECU = isEngine ? .engine : .transmission
            let number = ecu.calibrationVerificationNumber
            return CalibrationMessage([.init(identification: ecu.calibrationID, verificationNumber: number)]).data
        case .performance: return isEngine ? Self.performance(state).data : nil
        case .vehicleIdentification: return isEngine ? J1939Text.encode([self.options.vin]) : nil
        case .componentIdentification:
            return J1939Text.encode(isEngine ? ["SIMLT", "D13-460", "0042", ""] : ["SIMLT", "AT12", "0117", ""])
        default:
            guard isEngine, let group = ParameterGroup.withPGN(group) else { return nil }
            return group.encode(group.pgn == Self.distances ? self.counters(of: state) : Self.values(of: state))
        }
    }

    private func codes(_ faults: [DiagnosticMessage.Entry]) -> [UInt8] {
        let isOn = !self.options.activeJ1939Codes.isEmpty
        return DiagnosticMessage(
            lamps: .init(malfunctionIndicator: isOn, redStop: false, amberWarning: isOn, protect: false),
            codes: faults
        ).data
    }

    /// Returns DM5; the transmission takes no part in on-board diagnostics.
    private func readiness(_ isEngine: Bool, _ state: VehicleState) -> [UInt8] {
        ReadinessMessage(
            activeCodes: isEngine ? self.options.activeJ1939Codes.count : 0,
            previouslyActiveCodes: isEngine ? self.options.previousJ1939Codes.count : 0,
            compliance: isEngine ? Self.heavyDutyCompliance : Self.noCompliance,
            readiness: isEngine ? Self.readiness(self.memory.status(of: .engine, state)) : nil
        ).data
    }

    /// The numbers of PID 1C for heavy-duty diagnostics, and for none.
    private static let heavyDutyCompliance: UInt8 = 20
    private static let noCompliance: UInt8 = 5

    /// Returns the readiness of a diesel engine whose monitors finish when those of the car's engine do.
    private static func readiness(_ status: MonitorStatus) -> MonitorReadiness {
        let pairs: [(car: Monitor, truck: Monitor)] = [
            (.misfire, .misfire), (.fuelSystem, .fuelSystem), (.components, .components),
            (.catalyst, .noxAftertreatment), (.oxygenSensor, .exhaustGasSensor),
            (.exhaustGasRecirculation, .exhaustGasRecirculation), (.evaporativeSystem, .particulateFilter),
        ]
        return MonitorReadiness(
            supported: Set(pairs.map(\.truck)),
            incomplete: Set(pairs.filter { status.incomplete.contains($0.car) }.map(\.truck))
        )
    }

    private static func performance(_ state: VehicleState) -> PerformanceMessage {
        let counts: [(SPN, Int, Int)] = [
            (5322, 120, 402), (4792, 377, 402), (3064, 98, 260), (5318, 310, 402), (3058, 289, 391), (3055, 301, 402),
        ]
        return PerformanceMessage(
            ignitionCycles: 977 + state.trip,
            monitoringConditions: 402 + state.trip,
            ratios: counts.map { .init(monitor: $0.0, completions: $0.1, conditions: $0.2 + state.trip) }
        )
    }

    /// The group of the distances and times with faults: DM21.
    private static let distances: PGN = 0xC100

    /// Returns the values of DM21 and DM26, by the names of their fields.
    private func counters(of state: VehicleState) -> [String: Double] {
        [
            "run_time": state.runTime, "distance_with_mil": self.memory.distanceWithMIL(state),
            "distance_since_clear": self.memory.distanceSinceClear(state),
            "run_time_with_mil": self.memory.minutesWithMIL(state),
            "time_since_clear": self.memory.minutesSinceClear(state),
            "warm_ups_since_clear": Double(self.memory.warmUpsSinceClear(state, self.powertrain.warmsUp)),
        ]
    }

    /// Returns the values of all other groups, by the names of their fields.
    private static func values(of state: VehicleState) -> [String: Double] {
        [
            "accelerator_pedal_position": state.pedal, "engine_load": state.engineLoad,
            "demanded_torque": state.demandedTorque, "actual_torque": state.actualTorque,
            "engine_speed": state.engineSpeed, "odometer": state.odometer, "engine_hours": state.totalRunTime / 3600,
            "coolant_temperature": state.coolant, "oil_temperature": state.oil,
            "oil_pressure": state.engineRuns ? 180 + state.engineSpeed / 16 : 0, "vehicle_speed": state.vehicleSpeed,
            "fuel_rate": state.fuelRate, "barometric_pressure": state.barometricPressure,
            "ambient_air_temperature": state.ambient, "intake_air_temperature": state.intakeAir,
            "battery_voltage": state.voltage, "fuel_level": state.fuelLevel,
        ]
    }
}
