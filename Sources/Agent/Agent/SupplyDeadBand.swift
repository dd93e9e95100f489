// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Parking
import Session

/// The dead band of a vehicle's 12 V figures: a parked vehicle is measured all night, and few readings are published.
struct SupplyDeadBand: Sendable {
    /// The time after which any change is published, however small it is.
    private static let maximumAge = Duration.seconds(600)

    /// The figures that were published last, with the times of their measurement.
    private var published: [SupplyValue: (volts: Double, time: MonotonicTime)] = [:]

    /// Returns the figures of a report to publish, in the order of ``SupplyValue``.
    mutating func changes(in report: ParkingReport, at now: MonotonicTime) -> [FieldValue] {
        SupplyValue.allCases.compactMap { value in
            guard let volts = Self.volts(of: value, in: report) else { return nil }
            if let last = self.published[value] {
                let change = abs(volts - last.volts)
                // The tolerance of 1e-9 absorbs the rounding error of the configured voltage offset.
                guard
                    change > Self.threshold(of: value) - 1e-9
                        || (change > 1e-9 && now - last.time >= Self.maximumAge)
                else { return nil }
            }
            self.published[value] = (volts, now)
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

    /// The change in V, or for the trend in V/d, that is published at once.
    private static func threshold(of value: SupplyValue) -> Double {
        switch value {
        case .voltage: 0.1
        case .cranking: 0.01
        case .resting: 0.05
        case .trend: 0.1
        }
    }
}
