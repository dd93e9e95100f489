// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Parking
import Session
import Base

/// Which of a vehicle's 12 V figures are worth a sample: a parked vehicle is looked at all night.
struct SupplyNews: Sendable {
    /// After so long a figure that has changed at all is told.
    private static let patience = Duration.seconds(600)

    private var told: [SupplyValue: (volts: Double, time: MonotonicTime)] = [:]

    /// What to tell of a report, in the order of ``SupplyValue``.
    mutating func take(_ report: ParkingReport, at now: MonotonicTime) -> [FieldValue] {
        SupplyValue.allCases.compactMap { value in
            guard let volts = Self.volts(of: value, in: report) else { return nil }
            if let told = self.told[value] {
                let change = abs(volts - told.volts)
                // What adding an offset leaves behind makes no difference.
                guard change > Self.step(of: value) - 1e-9 || (change > 1e-9 && now - told.time >= Self.patience) else {
                    return nil
                }
            }
            self.told[value] = (volts, now)
            return FieldValue(field: value.field, value: .number(volts))
        }
    }

    private static func volts(of value: SupplyValue, in report: ParkingReport) -> Double? {
        let volts: Double? =
            switch value {
            case .voltage: report.voltage
            case .cranking: report.lowestCranking
            case .resting: report.resting
            case .trend: report.trend
            }
        let resolution = value.field.resolution
        return volts.map { ($0 / resolution).rounded() * resolution }
    }

    /// The change in volts, or volts a day, that is told at once.
    private static func step(of value: SupplyValue) -> Double {
        switch value {
        case .voltage: 0.1
        case .cranking: 0.01
        case .resting: 0.05
        case .trend: 0.1
        }
    }
}
