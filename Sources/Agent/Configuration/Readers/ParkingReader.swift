// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import TOML

/// Reads the table `[parking]`.
enum ParkingReader {
    private static let chargingRoles = Configuration.Parking.chargingRoles

    static func read(
        _ custom: [CustomEntry],
        detectsSets: Bool,
        _ cursor: inout ConfigurationCursor
    ) -> Configuration.Parking {
        .init(
            parkedAfter: cursor.seconds(.parkingAfterSeconds, in: 30...86_400) ?? .seconds(300),
            voltageInterval: cursor.seconds(.parkingLookSeconds, in: 10...3600) ?? .seconds(45),
            charging: Self.charging(custom.map(\.parameter), &cursor),
            choosesCharging: detectsSets && cursor.value(.parkingCharging) == nil,
            chargingInterval: cursor.seconds(.parkingChargingSeconds, in: 10...3600) ?? .seconds(60),
            probesPerHour: cursor.integer(.parkingProbesPerHour, in: 0...12).map(Int.init) ?? 2,
            probesPerNight: cursor.integer(.parkingProbesPerNight, in: 0...60).map(Int.init) ?? 4,
            quietHours: Self.quietHours(&cursor),
            minimumVoltage: cursor.volts(.parkingMinimumVoltage, in: 6...60, allowsZero: true) ?? 12,
            voltageOffset: cursor.volts(.parkingVoltageOffset, in: -2...2) ?? 0,
            sleepsAdapter: cursor.flag(.parkingSleepAdapter) ?? true
        )
    }

    /// Returns the parameters that are read during a charge: without the key, those with a role of the charge.
    private static func charging(_ custom: [CustomParameter], _ cursor: inout ConfigurationCursor) -> [ParameterKey] {
        guard let names = cursor.texts(.parkingCharging) else {
            let standard = Parameter.catalogue.filter { parameter in
                parameter.fields.contains { $0.role.map(self.chargingRoles.contains) ?? false }
            }
            let own = custom.filter { $0.role.map(self.chargingRoles.contains) ?? false }
            return standard.map { .pid($0.pid) } + own.map { .custom($0.name) }
        }
        var keys: [ParameterKey] = []
        for (name, element) in names {
            if custom.contains(where: { $0.name == name }) {
                keys.append(.custom(name))
            } else if let parameter = Parameter.named(name) {
                keys.append(.pid(parameter.pid))
            } else {
                let known = custom.map(\.name) + Parameter.catalogue.flatMap { [$0.name] + $0.fields.map(\.name) }
                cursor.report(
                    Key.parkingCharging.path,
                    "\"\(name)\" is no parameter",
                    suggestion: Spelling.closest(to: name, in: known),
                    element: element
                )
            }
        }
        return keys
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
