// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The ignition, the parking, and the 12 V battery of the vehicle.
package struct ParkingReport: Hashable, Sendable {
    package var ignition: IgnitionState
    /// The facts on which the ignition rests, in the order of their weight.
    package var evidence: [IgnitionEvidence]
    /// Whether no value of the last vehicle shows a drive: no speed, and no drive that is enabled.
    package var isEvidenceThin: Bool
    /// Whether the bus stays unused.
    package var isParked: Bool
    /// Whether only the parameters of a charge are polled.
    package var isCharged: Bool
    /// Whether the adapter was lost in use, so that nothing shows that the vehicle has stopped.
    package var hasLostAdapter: Bool
    /// The supply voltage that the adapter reads, in volts.
    package var voltage: Double?
    /// The time at which ``voltage`` was measured.
    package var voltageTime: MonotonicTime?
    /// The lowest voltage while the starter turned, in volts.
    package var lowestCranking: Double?
    /// The time of that start of the engine.
    package var crankingTime: MonotonicTime?
    /// The resting voltage of the parked vehicle in volts, and its change in volts a day.
    package var resting: Double?
    package var trend: Double?
    package var isBatteryLow: Bool

    package init(
        ignition: IgnitionState,
        evidence: [IgnitionEvidence] = [],
        isEvidenceThin: Bool = false,
        isParked: Bool,
        isCharged: Bool = false,
        hasLostAdapter: Bool = false,
        voltage: Double? = nil,
        voltageTime: MonotonicTime? = nil,
        lowestCranking: Double? = nil,
        crankingTime: MonotonicTime? = nil,
        resting: Double? = nil,
        trend: Double? = nil,
        isBatteryLow: Bool = false
    ) {
        self.ignition = ignition
        self.evidence = evidence
        self.isEvidenceThin = isEvidenceThin
        self.isParked = isParked
        self.isCharged = isCharged
        self.hasLostAdapter = hasLostAdapter
        self.voltage = voltage
        self.voltageTime = voltageTime
        self.lowestCranking = lowestCranking
        self.crankingTime = crankingTime
        self.resting = resting
        self.trend = trend
        self.isBatteryLow = isBatteryLow
    }
}

extension Parking {
    /// The state for the rest of the agent.
    package var report: ParkingReport {
        let supply = self.ignition.supply
        return ParkingReport(
            ignition: self.ignition.state,
            evidence: self.ignition.evidence,
            isEvidenceThin: self.lacksSigns && !self.ignition.hasSignOfDriving,
            isParked: self.isParked,
            isCharged: self.isLimited,
            hasLostAdapter: self.adapter.isLostInUse,
            voltage: supply.voltage,
            voltageTime: supply.measurement?.time,
            lowestCranking: supply.cranking?.volts,
            crankingTime: supply.cranking?.time,
            resting: self.isParked ? supply.resting : nil,
            trend: self.isParked ? supply.trend : nil,
            isBatteryLow: supply.isLow
        )
    }
}
