// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Session

// Whether the vehicle is in use, and its battery.
extension ContractMapping {
    static func ignition(_ state: IgnitionState) -> AgentStatus.Ignition {
        switch state {
        case .running: .running
        case .on: .on
        case .off: .off
        case .unknown: .unknown
        }
    }

    /// Nil where the adapter does not tell the voltage.
    static func battery(_ report: ParkingReport) -> AgentStatus.Battery? {
        guard let voltage = report.voltage else { return nil }
        return AgentStatus.Battery(
            voltage: Self.hundredths(voltage),
            lowestCranking: report.lowestCranking.map(Self.hundredths),
            resting: report.resting.map(Self.hundredths),
            trend: report.trend.map(Self.hundredths),
            low: report.isBatteryLow
        )
    }

    /// Without what adding an offset to a reading leaves behind.
    static func hundredths(_ volts: Double) -> Double { (volts * 100).rounded() / 100 }
}
