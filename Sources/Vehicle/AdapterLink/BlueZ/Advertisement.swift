// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Systemd

/// The properties that a device advertises before a connection.
package struct Advertisement: Hashable, Sendable {
    package var path: String
    package var address: BluetoothAddress
    package var name: String?
    package var services: Set<BluetoothUUID>
    /// The signal strength in dBm; nil while the device is out of range.
    package var rssi: Int?

    package init(path: String, address: BluetoothAddress, name: String?, services: Set<BluetoothUUID>, rssi: Int?) {
        self.path = path
        self.address = address
        self.name = name
        self.services = services
        self.rssi = rssi
    }

    init?(_ path: String, _ properties: ObjectTree.Properties) {
        guard let address = properties["Address"]?.text.flatMap(BluetoothAddress.init) else { return nil }
        self.init(
            path: path,
            address: address,
            name: properties["Name"]?.text,
            services: Set((properties["UUIDs"]?.texts ?? []).compactMap(BluetoothUUID.init)),
            rssi: properties["RSSI"]?.integer
        )
    }

    /// Parts of the names of known adapters, in lower case.
    ///
    /// A match is a hint only. The proof is an answer of the adapter.
    private static let nameHints = [
        "obd", "elm", "vlink", "v-link", "vgate", "icar", "veepeak", "konnwei", "kw90", "carista", "lelink", "viecar",
        "kiwi", "panlong", "nexas", "bafx", "scantool", "wic_", "unicarscan", "hmsoft", "bt05",
    ]

    /// The number of the controller that found the device, as in `/org/bluez/hci0/dev_…`.
    var controller: Int32 {
        let name = self.path.split(separator: "/").first { $0.hasPrefix("hci") }
        return name.flatMap { Int32($0.dropFirst(3)) } ?? 0
    }

    /// The known profile whose service the device advertises.
    package var profile: SerialProfile? {
        SerialProfile.known.first { self.services.contains($0.service) }
    }

    /// The likelihood that the device is an OBD-II adapter: 0 (unlikely) to 3 (most likely).
    package var likelihood: Int {
        let name = self.name?.lowercased() ?? ""
        return (self.profile == nil ? 0 : 1) + (Self.nameHints.contains { name.contains($0) } ? 2 : 0)
    }
}
