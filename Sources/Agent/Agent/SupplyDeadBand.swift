// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Parking
import Session

/// The dead band of a vehicle's 12 V figures: a parked vehicle is measured all night, and few readings are published.
struct SupplyDeadBand: Sendable {
    /// A figure, with the time of its measurement.
    struct Figure: Sendable {
        let value: SupplyValue
        let volts: Double
        let time: MonotonicTime

        var fieldValue: FieldValue { FieldValue(field: self.value.field, value: .number(self.volts)) }
    }

    /// The time after which any change is published, however small it is.
    private static let maximumAge = Duration.seconds(600)

    /// The figures that were published last.
    private var published: [SupplyValue: Figure] = [:]
    /// The measurement time of the voltage that was handed out last, changed or not.
    private var shown: MonotonicTime?

    /// Returns the figures of a report to publish and record, in the order of ``SupplyValue``.
    mutating func changes(in report: ParkingReport, at now: MonotonicTime) -> [Figure] {
        SupplyValue.allCases.compactMap { value in
            guard let figure = Self.figure(value, in: report, at: now) else { return nil }
            if let last = self.published[value] {
                let change = abs(figure.volts - last.volts)
                // The tolerance of 1e-9 absorbs the rounding error of the configured voltage offset.
                guard
                    change > value.threshold - 1e-9
                        || (change > 1e-9 && figure.time - last.time >= Self.maximumAge)
                else { return nil }
            }
            self.published[value] = figure
            if value == .voltage { self.shown = figure.time }
            return figure
        }
    }

    /// Returns the voltage if it was measured again, so that its published time is not that of an earlier measurement.
    ///
    /// A repetition need not be recorded. A parked vehicle has one every ten minutes.
    mutating func repetition(in report: ParkingReport) -> Figure? {
        guard let time = report.voltageTime, let shown = self.shown, time > shown,
            !report.isParked || time - shown >= Self.maximumAge
        else { return nil }
        self.shown = time
        return Self.figure(.voltage, in: report, at: time)
    }

    private static func figure(_ value: SupplyValue, in report: ParkingReport, at now: MonotonicTime) -> Figure? {
        let (volts, time) =
            switch value {
            case .voltage: (report.voltage, report.voltageTime)
            case .cranking: (report.lowestCranking, report.crankingTime)
            case .resting: (report.resting, report.voltageTime)
            case .trend: (report.trend, report.voltageTime)
            }
        let resolution = value.field.resolution
        return volts.map {
            Figure(value: value, volts: ($0 / resolution).rounded() * resolution, time: time ?? now)
        }
    }
}

extension SupplyValue {
    /// The change in V, or for the trend in V/d, that is published at once.
    var threshold: Double {
        switch self {
        case .voltage: 0.1
        case .cranking: 0.01
        case .resting: 0.05
        case .trend: 0.1
        }
    }
}
