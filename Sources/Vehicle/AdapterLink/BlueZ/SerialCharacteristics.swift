// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A GATT characteristic that BlueZ has discovered.
package struct GATTCharacteristic: Hashable, Sendable {
    package var path: String
    package var service: BluetoothUUID
    package var uuid: BluetoothUUID
    package var flags: Set<String>
    /// The characteristic's ATT MTU in bytes; nil if BlueZ does not report it.
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
    var isWritable: Bool { self.acceptsRequests || self.acceptsCommands }
    var acceptsRequests: Bool { self.flags.contains("write") }
    var acceptsCommands: Bool { self.flags.contains("write-without-response") }
}

/// The characteristics that carry the serial line; one characteristic may serve both directions.
package struct SerialCharacteristics: Hashable, Sendable {
    package var notify: GATTCharacteristic
    package var write: GATTCharacteristic
    /// The known profile that they match, if any.
    package var profile: SerialProfile?

    /// The UUIDs that the configuration requires.
    package struct Requirement: Hashable, Sendable {
        package var notify: BluetoothUUID?
        package var write: BluetoothUUID?

        package init(notify: BluetoothUUID? = nil, write: BluetoothUUID? = nil) {
            self.notify = notify
            self.write = write
        }
    }

    /// Returns all pairs that can carry a serial line, the best first.
    ///
    /// A pair is in one service: one characteristic must notify or indicate, the other must be writable. Pairs with
    /// known UUIDs come first, then notify before indicate, then two characteristics before one for both.
    package static func candidates(
        among characteristics: [GATTCharacteristic],
        requirement: Requirement = Requirement()
    ) -> [SerialCharacteristics] {
        let services = Dictionary(grouping: characteristics) { $0.service }
            .filter { requirement != Requirement() || !SerialProfile.standardServices.contains($0.key) }
        let pairs = services.values.flatMap { members in
            members.filter { $0.notifies || $0.indicates }.flatMap { notify in
                members.filter(\.isWritable).map { SerialCharacteristics(notify: notify, write: $0) }
            }
        }
        return pairs.filter { pair in
            (requirement.notify.map { $0 == pair.notify.uuid } ?? true)
                && (requirement.write.map { $0 == pair.write.uuid } ?? true)
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

    /// The sort key of the pair: a smaller rank is better.
    private var rank: Int {
        let known = self.profile.flatMap { SerialProfile.known.firstIndex(of: $0) } ?? SerialProfile.known.count
        return known * 4 + (self.notify.notifies ? 0 : 2) + (self.notify.path == self.write.path ? 1 : 0)
    }
}
