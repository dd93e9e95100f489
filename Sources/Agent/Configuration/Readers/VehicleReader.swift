// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import TOML

/// Reads the table `[vehicle]`.
enum VehicleReader {
    /// The most vehicles that `alias` and `expected_vin` each may name.
    private static let vehicleLimit = 1000

    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Vehicle {
        let vehicle = Configuration.Vehicle(
            name: cursor.value(.vehicleName, Configuration.Vehicle.level),
            identity: cursor.word(.vehicleIdentity) ?? .vin,
            aliases: Self.aliases(&cursor),
            expected: Self.expectedVINs(&cursor),
            engine: EngineFacts(
                fuel: cursor.word(.vehicleFuel),
                displacement: cursor.number(at: Key.vehicleEngineDisplacement.path, in: 0.05...100),
                volumetricEfficiency: cursor.number(at: Key.vehicleVolumetricEfficiency.path, in: 0.2...2)
            )
        )
        if vehicle.identity != .alias, !vehicle.aliases.isEmpty {
            cursor.report(Key.vehicleAlias.path, "has no effect without identity = \"alias\"")
        }
        return vehicle
    }

    private static func aliases(_ cursor: inout ConfigurationCursor) -> [VIN: String] {
        let key = Key.vehicleAlias.path
        guard let value = cursor.value(at: key), value != .text("") else { return [:] }
        guard let table = value.table else {
            cursor.report(key, "expected a table such as { 1HGCM82633A004352 = \"van-12\" }, found \(value)")
            return [:]
        }
        var aliases: [VIN: String] = [:]
        var owners: [String: VIN] = [:]
        for entry in table.entries.prefix(Self.vehicleLimit) {
            let path = key + [entry.name]
            guard let vin = VIN(entry.name.uppercased()) else {
                cursor.report(path, ValueError.invalidVIN(entry.name).description)
                continue
            }
            guard case .text(let text) = entry.value else {
                cursor.report(path, "expected a text in quotes, found \(entry.value)")
                continue
            }
            do throws(ValueError) {
                let alias = try Configuration.Vehicle.level(text)
                if let other = owners.updateValue(vin, forKey: alias) {
                    let reason = "\(alias) is already the alias of \(other), and two vehicles must not share topics"
                    cursor.report(path, "\(reason). Try: another alias")
                }
                aliases[vin] = alias
            } catch {
                cursor.report(path, error.description)
            }
        }
        if table.entries.count > Self.vehicleLimit {
            cursor.report(key, "more than \(Self.vehicleLimit) vehicles. Try: remove some")
        }
        return aliases
    }

    private static func expectedVINs(_ cursor: inout ConfigurationCursor) -> Set<VIN> {
        let key = Key.vehicleExpectedVIN
        let texts = cursor.textOrTexts(key)
        var vins: Set<VIN> = []
        for (text, element) in texts.prefix(Self.vehicleLimit) {
            if let vin = VIN(text.uppercased()) {
                vins.insert(vin)
            } else {
                cursor.report(key, .invalidVIN(text), element: element)
            }
        }
        if texts.count > Self.vehicleLimit {
            cursor.report(key.path, "more than \(Self.vehicleLimit) vehicles. Try: remove some")
        }
        return vins
    }
}

extension Configuration.Vehicle {
    /// Returns a text that can be the level of a vehicle in its topics.
    package static func level(_ text: String) throws(ValueError) -> String {
        guard Topic.isLevel(text), text.utf8.count <= Topic.configurablePartLimit else { throw .invalidLevel(text) }
        return text
    }
}
