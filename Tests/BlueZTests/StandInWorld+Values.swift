// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Systemd

extension StandInWorld {
    /// The state of a connected device.
    struct Connection {
        var line: StandInSerialLine
        var notify: PacketSocket?
        var write: PacketSocket?
        /// The characteristics with active notifications as signals.
        var notified: Set<String> = []
    }

    struct Agent {
        var sender: String
        var path: String
        var capability: String
    }

    static func value(_ interfaces: [String: Properties]) -> BusValue {
        .dictionary(
            interfaces.reduce(into: [:]) { $0[.string($1.key)] = .options($1.value) },
            key: "s",
            value: "a{sv}"
        )
    }

    static func properties(_ device: StandInDevice) -> Properties {
        var properties: Properties = [
            "Address": .string(device.address), "Connected": .boolean(false), "ServicesResolved": .boolean(false),
            "Paired": .boolean(false),
            "UUIDs": .strings(device.advertised.compactMap { BluetoothUUID($0)?.description }),
        ]
        if let name = device.name { properties["Name"] = .string(name) }
        return properties
    }

    func property(_ path: String, _ name: String) -> Bool? {
        self.objects[path]?[BlueZInterface.device]?[name]?.bool
    }
}
