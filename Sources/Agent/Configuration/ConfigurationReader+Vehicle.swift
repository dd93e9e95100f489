// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML
import Base
import OBD2

extension ConfigurationReader {
    /// How many vehicles may be named at most.
    private static let vehicleLimit = 1000

    mutating func vehicle() -> Configuration.Vehicle {
        let vehicle = Configuration.Vehicle(
            name: self.value(.vehicleName, Self.level),
            identity: self.word(.vehicleIdentity) ?? .vin,
            aliases: self.aliases(),
            expected: self.expectedVINs()
        )
        if vehicle.identity != .alias, !vehicle.aliases.isEmpty {
            self.report(Key.vehicleAlias.path, "has no effect without identity = \"alias\"")
        }
        return vehicle
    }

    private static func level(_ text: String) throws(ValueError) -> String {
        guard Topic.isLevel(text), text.utf8.count <= Self.maximumTopicPart else { throw .invalidLevel(text) }
        return text
    }

    private mutating func aliases() -> [VIN: String] {
        let key = Key.vehicleAlias.path
        guard let value = self.found(.vehicleAlias), value != .text("") else { return [:] }
        guard let table = value.table else {
            self.report(key, "expected a table such as { 1HGCM82633A004352 = \"van-12\" }, found \(value)")
            return [:]
        }
        var aliases: [VIN: String] = [:]
        var owners: [String: VIN] = [:]
        for entry in table.entries.prefix(Self.vehicleLimit) {
            let path = key + [entry.name]
            guard let vin = VIN(entry.name.uppercased()) else {
                self.report(path, ValueError.invalidVIN(entry.name).description)
                continue
            }
            guard case .text(let text) = entry.value else {
                self.report(path, "expected a text in quotes, found \(entry.value)")
                continue
            }
            do throws(ValueError) {
                let alias = try Self.level(text)
                if let other = owners.updateValue(vin, forKey: alias) {
                    self.report(path, "\(alias) is \(other) already; no two vehicles may have the same topics")
                }
                aliases[vin] = alias
            } catch {
                self.report(path, error.description)
            }
        }
        if table.entries.count > Self.vehicleLimit {
            self.report(key, "more than \(Self.vehicleLimit) vehicles; remove some")
        }
        return aliases
    }

    /// One VIN, or a list of them.
    private mutating func expectedVINs() -> Set<VIN> {
        let key = Key.vehicleExpectedVIN
        let texts: [(text: String, element: Int?)] =
            if case .array = self.found(key) {
                self.list(key) ?? []
            } else {
                self.text(key).map { [($0, nil)] } ?? []
            }
        var vins: Set<VIN> = []
        for (text, element) in texts.prefix(Self.vehicleLimit) {
            if let vin = VIN(text.uppercased()) {
                vins.insert(vin)
            } else {
                self.report(key, .invalidVIN(text), element: element)
            }
        }
        if texts.count > Self.vehicleLimit {
            self.report(key.path, "more than \(Self.vehicleLimit) vehicles; remove some")
        }
        return vins
    }
}
