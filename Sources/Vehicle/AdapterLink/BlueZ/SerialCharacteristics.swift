// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A GATT characteristic that BlueZ has found.
package struct GATTCharacteristic: Hashable, Sendable {
    package var path: String
    package var service: BluetoothUUID
    package var uuid: BluetoothUUID
    package var flags: Set<String>
    /// The characteristic's ATT MTU, in bytes, where BlueZ tells it.
    package var mtu: Int?

    package init(path: String, service: BluetoothUUID, uuid: BluetoothUUID, flags: Set<String>, mtu: Int? = nil) {
        self.path = path
        self.service = service
        self.uuid = uuid
        self.flags = flags
        self.mtu = mtu
    }

    var notifies: Bool { self.flags.contains("notify") }
    var indicates: Bool { self.flags.contains("indicate") }
    var isWritable: Bool { self.takesRequests || self.takesCommands }
    var takesRequests: Bool { self.flags.contains("write") }
    var takesCommands: Bool { self.flags.contains("write-without-response") }
}

/// The two characteristics that carry the serial line, which may be one.
package struct SerialCharacteristics: Hashable, Sendable {
    package var notify: GATTCharacteristic
    package var write: GATTCharacteristic
    /// The known profile that they match, if any.
    package var profile: SerialProfile?

    /// UUIDs that the configuration insists on.
    package struct Wish: Hashable, Sendable {
        package var notify: BluetoothUUID?
        package var write: BluetoothUUID?

        package init(notify: BluetoothUUID? = nil, write: BluetoothUUID? = nil) {
            self.notify = notify
            self.write = write
        }
    }

    /// All pairs that can carry a serial line, the best first.
    ///
    /// What counts is what they can do: one must notify or indicate, the other be writable, both in one service.
    /// Known UUIDs go first, then notify before indicate, then a pair of two before one that is both.
    package static func candidates(
        among characteristics: [GATTCharacteristic],
        wish: Wish = Wish()
    ) -> [SerialCharacteristics] {
        let services = Dictionary(grouping: characteristics) { $0.service }
            .filter { wish != Wish() || !SerialProfile.standardServices.contains($0.key) }
        let pairs = services.values.flatMap { members in
            members.filter { $0.notifies || $0.indicates }.flatMap { notify in
                members.filter(\.isWritable).map { SerialCharacteristics(notify: notify, write: $0) }
            }
        }
        return pairs.filter { pair in
            (wish.notify.map { $0 == pair.notify.uuid } ?? true) && (wish.write.map { $0 == pair.write.uuid } ?? true)
        }
        .sorted { ($0.rank, $0.notify.path, $0.write.path) < ($1.rank, $1.notify.path, $1.write.path) }
    }

    private init(notify: GATTCharacteristic, write: GATTCharacteristic) {
        self.notify = notify
        self.write = write
        self.profile = SerialProfile.known.first {
            $0.service == notify.service && $0.notify == notify.uuid && $0.write == write.uuid
        }
    }

    /// Smaller is better.
    private var rank: Int {
        let known = self.profile.flatMap { SerialProfile.known.firstIndex(of: $0) } ?? SerialProfile.known.count
        return known * 4 + (self.notify.notifies ? 0 : 2) + (self.notify.path == self.write.path ? 1 : 0)
    }
}
