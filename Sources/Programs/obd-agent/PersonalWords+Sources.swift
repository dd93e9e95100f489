// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Configuration
import Contract
import Diagnosis
import Drive
import EventLoop
import JOSE
import OBD2
import Store
import Subscriber

// The sources of personal words.
extension PersonalWords {
    /// Adds the names, users, files and hosts of a configuration.
    mutating func add(_ configuration: Configuration) {
        let vehicle = configuration.vehicle
        for name in [vehicle.name].compactMap(\.self) + vehicle.aliases.values.sorted() { self.add(name, as: .vehicle) }
        for vin in vehicle.expected.union(vehicle.aliases.keys) { self.add(vin.description, as: .vehicle) }
        let mqtt = configuration.mqtt
        if let user = mqtt.username { self.add(user, as: .user) }
        let files = [
            mqtt.passwordFile, mqtt.caFile, mqtt.certificateFile, mqtt.keyFile, configuration.commands.trustedKeys,
        ]
        for file in files.compactMap(\.self) { self.add(file, as: .file) }
        for server in mqtt.servers { self.add(server.host, as: .host) }
        if case .tcp(let host, _) = configuration.adapter.address { self.add(host, as: .host) }
        if let gpsd = configuration.position.gpsd { self.add(gpsd.host, as: .host) }
        for name in configuration.position.zoneNames { self.add(name, as: .zone) }
        self.add(mqtt.topicPrefix.description, as: .topic)
        let keys = configuration.commands.trustedKeys.flatMap {
            TextFile.bytes(of: $0, limit: JSONWebKeySet.sizeLimit)
        }
        let json = keys.flatMap { try? JSON(parsing: $0, depthLimit: 8) } ?? .null
        for key in json["keys"].elements {
            for name in [key["kid"].string, key["iss"].string].compactMap(\.self) { self.add(name, as: .signer) }
        }
    }

    /// Adds the vehicles of a recording, and the issuers of their findings.
    mutating func add(_ recording: Recording) {
        for vehicle in (try? recording.vehicles()) ?? [] {
            for name in [vehicle.name, vehicle.vin].compactMap(\.self) { self.add(name, as: .vehicle) }
            for finding in (try? recording.findings(of: vehicle.name)) ?? [] {
                if let issuer = finding.issuer { self.add(issuer, as: .signer) }
            }
        }
    }

    /// Adds the personal words of a payload of `status`.
    mutating func add(status: String) {
        let json = (try? JSON(parsing: Array(status.utf8), depthLimit: 8)) ?? .null
        if let agent = json["agent"].string { self.add(agent, as: .machine) }
        if let vehicle = json["wrong_vehicle"].string { self.add(vehicle, as: .vehicle) }
        let address = json["adapter"]["address"].string.flatMap { try? AdapterAddress($0) }
        if case .tcp(let host, _) = address { self.add(host, as: .host) }
    }
}
