// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
package import Base

/// What a heavy vehicle says on its J1939 bus, with ignition on.
extension SimulatedVehicle {
    /// The addresses of the first engine and the first transmission (SAE J1939-81).
    private static let engine: UInt8 = 0x00
    private static let transmission: UInt8 = 0x03

    /// How often active codes are broadcast.
    private static let codesInterval = Duration.seconds(1)
    /// How long an ECU takes to answer a request.
    private static let latency = Duration.milliseconds(30)

    /// The broadcasts of `group` that begin in this time, in order.
    package func broadcasts(
        of group: PGN,
        from start: MonotonicTime,
        until end: MonotonicTime
    ) -> [GroupMessage] {
        guard let interval = self.interval(of: group) else { return [] }
        var messages: [GroupMessage] = []
        for source in [Self.engine, Self.transmission] {
            // Everybody has a time of his own.
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

    /// What comes back for a request to everybody; who does not have it keeps silent.
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
        case .activeCodes: return self.codes(isEngine ? self.options.faults : [])
        case .previouslyActiveCodes: return self.codes(isEngine ? self.options.previousFaults : [])
        case .pendingCodes: return isEngine ? self.codes(self.options.pendingFaults) : nil
        case .permanentCodes: return isEngine ? self.codes(self.options.permanentFaults) : nil
        case .vehicleIdentification: return isEngine ? J1939Text.encode([self.options.vin]) : nil
        case .componentIdentification:
            return J1939Text.encode(isEngine ? ["SIMLT", "D13-460", "0042", ""] : ["SIMLT", "AT12", "0117", ""])
        default:
            guard isEngine, let group = ParameterGroup.withPGN(group) else { return nil }
            return group.encode(Self.values(of: state))
        }
    }

    private func codes(_ faults: [DiagnosticMessage.Entry]) -> [UInt8] {
        let isOn = !self.options.faults.isEmpty
        return DiagnosticMessage(
            lamps: .init(malfunctionIndicator: isOn, redStop: false, amberWarning: isOn, protect: false),
            codes: faults
        ).data
    }

    /// The values of all groups by name.
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
