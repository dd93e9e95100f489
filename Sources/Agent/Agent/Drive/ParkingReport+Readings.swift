// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Parking

extension [Reading] {
    /// The figures of the 12 V supply; none if they are those of an earlier measurement.
    init(_ report: ParkingReport, at now: MonotonicTime) {
        guard !report.hasLostAdapter else {
            self = []
            return
        }
        let figures: [(SupplyValue, Double?, MonotonicTime?)] = [
            (.voltage, report.voltage, report.voltageTime), (.cranking, report.lowestCranking, nil),
            (.resting, report.resting, nil), (.trend, report.trend, nil),
        ]
        self = figures.compactMap { value, figure, time in
            figure.map { Reading(value.rawValue, $0, value.field.symbol, at: time ?? now) }
        }
    }
}
