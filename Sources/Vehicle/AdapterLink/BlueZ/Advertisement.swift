// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Systemd

/// What a device says of itself before anybody connects.
package struct Advertisement: Hashable, Sendable {
    package var path: String
    package var address: BluetoothAddress
    package var name: String?
    package var services: Set<BluetoothUUID>
    /// In dBm, while it is in reach.
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

    /// Parts of names that adapters are sold under, in small letters.
    ///
    /// A hint, no proof: only an answer proves it.
    private static let nameHints = [
        "obd", "elm", "vlink", "v-link", "vgate", "icar", "veepeak", "konnwei", "kw90", "carista", "lelink", "viecar",
        "kiwi", "panlong", "nexas", "bafx", "scantool", "wic_", "unicarscan", "hmsoft", "bt05",
    ]

    /// The number of the controller that has found it, as in `/org/bluez/hci0/dev_…`.
    var controller: Int32 {
        let name = self.path.split(separator: "/").first { $0.hasPrefix("hci") }
        return name.flatMap { Int32($0.dropFirst(3)) } ?? 0
    }

    /// The profile whose service it announces.
    package var profile: SerialProfile? {
        SerialProfile.known.first { self.services.contains($0.service) }
    }

    /// How likely it is an OBD-II adapter: 0 not at all, 3 most.
    package var likelihood: Int {
        let name = self.name?.lowercased() ?? ""
        return (self.profile == nil ? 0 : 1) + (Self.nameHints.contains { name.contains($0) } ? 2 : 0)
    }
}
