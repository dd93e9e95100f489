// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Parking
import Session
import Uplink

// The ignition state, and the 12 V supply.
extension ContractMapping {
    static func ignition(_ state: IgnitionState) -> AgentStatus.Ignition {
        switch state {
        case .running: .running
        case .on: .on
        case .charging: .charging
        case .off: .off
        case .unknown: .unknown
        }
    }

    /// The source of values that the adapter measures, in place of an ECU.
    private static let adapter = "adapter"

    /// Returns a sample of the 12 V supply for the live plane and for the records.
    func supply(_ figure: SupplyDeadBand.Figure) -> Uplink.Sample {
        self.sample(
            figure.fieldValue,
            of: Self.adapter,
            isPrimary: true,
            at: figure.time,
            deadBand: figure.value.threshold
        )
    }

    /// Returns the figures of the battery; nil if the adapter does not report the voltage.
    static func battery(_ report: ParkingReport, clock: any CalendarClock) -> AgentStatus.Battery? {
        guard let voltage = report.voltage else { return nil }
        return AgentStatus.Battery(
            voltage: Self.hundredths(voltage),
            time: report.voltageTime.map { clock.timestamp(of: $0) },
            lowestCranking: report.lowestCranking.map(Self.hundredths),
            resting: report.resting.map(Self.hundredths),
            trend: report.trend.map(Self.hundredths),
            low: report.isBatteryLow
        )
    }

    /// Returns the voltage in whole hundredths, without the rounding error of an added offset.
    static func hundredths(_ volts: Double) -> Double { (volts * 100).rounded() / 100 }
}
