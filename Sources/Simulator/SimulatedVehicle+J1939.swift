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
        case .vehicleIdentification: return isEngine ? J1939Text.encode([self.options.vin]) : nil
        case .componentIdentification:
            return J1939Text.encode(isEngine ? ["SIMLT", "D13-460", "0042", ""] : ["SIMLT", "AT12", "0117", ""])
        default:
            guard isEngine, let group = ParameterGroup.withPGN(group) else { return nil }
            return group.encode(Self.values(of: state))
        }
    }

    private func codes(_ faults: [DiagnosticMessage.Entry]) -> [UInt8] {
        let isOn = !self.options.activeJ1939Codes.isEmpty
        return DiagnosticMessage(
            lamps: .init(malfunctionIndicator: isOn, redStop: false, amberWarning: isOn, protect: false),
            codes: faults
        ).data
    }

    /// Returns the values of all groups, by the names of their fields.
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
