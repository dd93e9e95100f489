// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import TOML

/// Reads the table `[trips]`.
enum TripsReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Trips {
        let usual = TripLimits()
        return .init(
            isEnabled: cursor.flag(.tripsEnabled) ?? true,
            limits: TripLimits(
                braking: cursor.number(at: Key.tripsHarshBraking.path, in: 1...20) ?? usual.braking,
                acceleration: cursor.number(at: Key.tripsHarshAcceleration.path, in: 1...20) ?? usual.acceleration,
                speed: Self.overSpeed(&cursor)
            )
        )
    }

    private static func overSpeed(_ cursor: inout ConfigurationCursor) -> Double? {
        if cursor.value(.tripsOverSpeed) == .integer(0) { return nil }
        return cursor.number(at: Key.tripsOverSpeed.path, in: 10...300)
    }
}
