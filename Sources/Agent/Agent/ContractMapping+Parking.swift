// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2
import Parking
import Session
import Base
import Uplink

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

    /// What the adapter calls itself where the ECU stands of which a value is.
    private static let adapter = "adapter"

    /// A sample of the 12 V supply, for both planes.
    func supply(_ value: FieldValue, at time: MonotonicTime) -> Uplink.Sample {
        let name = value.field.name
        return Uplink.Sample(
            path: .parameter(name, ecu: nil),
            report: ParameterReport(
                value,
                imperial: self.isImperial,
                time: self.clock.timestamp(of: time),
                ecu: Self.adapter,
                quality: self.quality
            ),
            record: Self.steps(of: value).map { scale, steps in
                TelemetryBatcher.Sample(series: name, ecu: Self.adapter, scale: scale, steps: steps, time: time)
            },
            shown: ShownValue(value, imperial: false),
            time: time
        )
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
