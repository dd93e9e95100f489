// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// The parameters of an ECU at one moment, encoded as in its replies.
struct Readings: Sendable {
    let ecu: ECU
    let state: VehicleState
    let memory: TroubleMemory
    let powertrain: Powertrain
    /// The parameters of the ECU; nil for those of the combustion model.
    var pids: SupportedPIDs?
    /// The data of PIDs 4F and 50.
    var maxima: [PID: [UInt8]] = [:]
    var ramp: Ramp?

    /// Returns the data after the PID; nil if the ECU does not support the PID.
    func data(of pid: PID) -> [UInt8]? {
        let supported = self.supported
        if pid.isBitmap { return supported.contains(pid) ? supported.bitmap(pid) : nil }
        guard supported.contains(pid) else { return nil }
        if let data = self.maxima[pid] { return data }
        if self.ecu == self.memory.ecus.first, let data = self.ramp?.data(of: pid) { return data }
        switch pid {
        case 0x01: return self.memory.status(of: self.ecu, self.state).data
        case 0x41: return self.memory.cycleStatus(of: self.ecu, self.state).data
        default: return Parameter.withPID(pid)?.encode(self.values(of: pid), scaling: self.scaling)
        }
    }

    /// Returns the data in the freeze frame that `code` stored; nil if the frame lacks this parameter.
    func frameData(of pid: PID, code: DTC) -> [UInt8]? {
        let frame = self.frame
        guard frame.contains(pid) else { return nil }
        if pid.isBitmap { return frame.bitmap(pid) }
        if pid == FreezeFrame.codePID { return code.bytes }
        return Parameter.withPID(pid)?.encode(self.values(of: pid), scaling: self.scaling)
    }

    private var scaling: Scaling { Scaling(of: SupportedPIDs(), isComplete: true, reported: self.maxima) }

    private var supported: SupportedPIDs {
        var supported = self.pids ?? Self.usual(self.ecu)
        for pid in self.maxima.keys { for other in [0x20, 0x40, pid] as [PID] { supported.insert(other) } }
        return supported
    }

    private static func usual(_ ecu: ECU) -> SupportedPIDs {
        switch ecu {
        case .engine: Self.engine
        case .transmission: Self.transmission
        case .brakes: Self.brakes
        case .motor, .battery: SupportedPIDs()
        }
    }

    private var frame: SupportedPIDs {
        switch self.ecu {
        case .engine: Self.engineFrame
        case .transmission: Self.transmissionFrame
        case .brakes: Self.brakesFrame
        case .motor, .battery: Self.brakesFrame
        }
    }

    private static let engine = SupportedPIDs(
        [
            0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x13, 0x14, 0x15, 0x1C, 0x1F,
            0x21, 0x2F, 0x30, 0x31, 0x33, 0x3C, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x49, 0x4C, 0x4D, 0x4E, 0x51, 0x5C,
            0x5E, 0x61, 0x62, 0x63, 0x66, 0x67, 0xA6,
        ] as [PID]
    )
    private static let transmission = SupportedPIDs([0x01, 0x0C, 0xA4] as [PID])
    private static let brakes = SupportedPIDs([0x01, 0x0D] as [PID])
    private static let transmissionFrame = SupportedPIDs([0x02, 0x0C, 0x0D] as [PID])
    private static let brakesFrame = SupportedPIDs([0x02, 0x0D] as [PID])
    private static let engineFrame = SupportedPIDs(
        [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x1F, 0x2F, 0x42] as [PID]
    )

    private func values(of pid: PID) -> [String: DecodedValue] {
        switch pid {
        case 0x03: ["system1": .code(self.fuelSystem, label: nil), "system2": .code(0, label: nil)]
        case 0x13: ["B1S1": .flag(true), "B1S2": .flag(true), "present": .names(["B1S1", "B1S2"])]
        case 0x14: ["voltage": .number(self.state.frontOxygen), "trim": .number(self.state.shortTrim)]
        // The sensor after the catalyst is not used for the trim, so its second byte stays FF.
        case 0x15: ["voltage": .number(self.state.rearOxygen)]
        case 0x1C: ["value": .code(6, label: nil)]
        case 0x34: ["lambda": .number(self.state.lambda), "current": .number(0)]
        case 0x51: ["value": .code(1, label: nil)]
        case 0x66: ["a": .number(self.state.airFlow)]
        case 0x67: ["s1": .number(self.state.coolant)]
        case 0x9A:
            ["voltage": .number(self.state.tractionVoltage), "current": .number(self.state.tractionCurrent)]
        case 0xA4: ["gear": .number(Double(self.state.gear)), "ratio": .number(self.state.gearRatio)]
        default: self.number(of: pid).map { ["value": .number($0)] } ?? [:]
        }
    }

    /// Returns the value of a parameter with a single value.
    private func number(of pid: PID) -> Double? {
        switch pid {
        case 0x04: self.state.engineLoad
        case 0x05: self.state.coolant
        case 0x06: self.state.shortTrim
        case 0x07: self.state.longTrim
        case 0x0B: self.state.manifoldPressure
        case 0x0C: self.state.engineSpeed
        case 0x0D: self.state.vehicleSpeed
        case 0x0E: self.state.timingAdvance
        case 0x0F: self.state.intakeAir
        case 0x10: self.state.airFlow
        case 0x11, 0x4C: self.state.throttle
        case 0x1F: self.state.runTime
        case 0x21: self.memory.distanceWithMIL(self.state)
        case 0x2F: self.state.fuelLevel
        case 0x30: Double(self.memory.warmUpsSinceClear(self.state, self.powertrain.warmsUp))
        case 0x31: self.memory.distanceSinceClear(self.state)
        case 0x33: self.state.barometricPressure
        case 0x3C: self.state.catalyst
        case 0x42: self.state.voltage
        case 0x43: self.state.engineLoad * 0.85
        case 0x44: self.state.lambda
        case 0x45: max(0, self.state.throttle - 12)
        case 0x46: self.state.ambient
        case 0x49: 15 + self.state.pedal * 0.6
        case 0x4D: self.memory.minutesWithMIL(self.state)
        case 0x4E: self.memory.minutesSinceClear(self.state)
        case 0x5B: self.state.stateOfCharge
        case 0x5C: self.state.oil
        case 0x5E: self.state.fuelRate
        case 0x61: self.state.demandedTorque
        case 0x62: self.state.actualTorque
        case 0x63: 155
        case 0xA6: self.state.odometer
        default: nil
        }
    }

    private var fuelSystem: Int {
        guard self.state.engineRuns else { return 0 }
        if self.state.isClosedLoop { return 2 }
        return self.state.coolant < 25 || self.state.runTime <= 20 ? 1 : 4
    }
}
