// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Reads the table `[parking]`.
enum ParkingReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Parking {
        .init(
            parkedAfter: cursor.seconds(.parkingAfterSeconds, in: 30...86_400) ?? .seconds(300),
            voltageInterval: cursor.seconds(.parkingLookSeconds, in: 10...3600) ?? .seconds(45),
            probesPerHour: cursor.integer(.parkingProbesPerHour, in: 0...12).map(Int.init) ?? 2,
            probesPerNight: cursor.integer(.parkingProbesPerNight, in: 0...60).map(Int.init) ?? 4,
            quietHours: Self.quietHours(&cursor),
            minimumVoltage: cursor.volts(.parkingMinimumVoltage, in: 6...60, allowsZero: true) ?? 12,
            voltageOffset: cursor.volts(.parkingVoltageOffset, in: -2...2) ?? 0,
            sleepsAdapter: cursor.flag(.parkingSleepAdapter) ?? true
        )
    }

    /// Returns 22:00 to 06:00 if the key is missing, and `nil`, no quiet hours, if its text is empty.
    private static func quietHours(_ cursor: inout ConfigurationCursor) -> QuietHours? {
        switch cursor.value(.parkingQuiet) {
        case nil: return QuietHours("22:00-06:00")
        case .text(""): return nil
        case .text(let text):
            if let hours = QuietHours(text) { return hours }
            cursor.report(Key.parkingQuiet.path, "\"\(text)\" is not a time range such as \"22:00-06:00\"")
            return nil
        case .some(let value):
            cursor.report(Key.parkingQuiet.path, "expected a time range such as \"22:00-06:00\", found \(value)")
            return nil
        }
    }
}
