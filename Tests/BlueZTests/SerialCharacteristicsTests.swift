// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AdapterLink

@Suite("The serial line among the characteristics")
struct SerialCharacteristicsTests {
    /// Returns the characteristics of a service, each given as its UUID and flags.
    private static func service(_ uuid: String, _ characteristics: (String, [String])...) throws -> [GATTCharacteristic]
    {
        try characteristics.map { characteristic in
            GATTCharacteristic(
                path: "/\(uuid)/\(characteristic.0)",
                service: try #require(BluetoothUUID(uuid)),
                uuid: try #require(BluetoothUUID(characteristic.0)),
                flags: Set(characteristic.1)
            )
        }
    }

    private static func names(_ candidates: [SerialCharacteristics]) -> [String] {
        candidates.map { "\($0.notify.path) \($0.write.path)" }
    }

    private static let both = ["write", "write-without-response"]

    @Test("Every known profile is recognized", arguments: SerialProfile.known)
    func profiles(profile: SerialProfile) throws {
        let (service, notify, write) = (
            profile.service.description, profile.notify.description, profile.write.description
        )
        let characteristics =
            notify == write
            ? try Self.service(service, (notify, ["notify"] + Self.both))
            : try Self.service(service, (notify, ["notify"]), (write, Self.both))
        let candidates = SerialCharacteristics.candidates(among: characteristics)
        #expect(candidates.map(\.profile) == [profile])
        #expect(candidates.first?.notify.uuid == profile.notify)
        #expect(candidates.first?.write.uuid == profile.write)
    }

    @Test("The flags count, not the UUIDs")
    func unknown() throws {
        let random = "0e5f1b9c-0001-4a5c-9d4e-1234567890ab"
        var found = SerialCharacteristics.candidates(
            among: try Self.service(random, ("aaaa", ["indicate"]), ("bbbb", ["write"]))
        )
        #expect(Self.names(found) == ["/\(random)/aaaa /\(random)/bbbb"])
        #expect(found.first?.profile == nil)
        found = SerialCharacteristics.candidates(
            among: try Self.service(random, ("aaaa", ["notify", "write-without-response"]))
        )
        #expect(Self.names(found) == ["/\(random)/aaaa /\(random)/aaaa"])
        // A known service with swapped directions.
        found = SerialCharacteristics.candidates(
            among: try Self.service("fff0", ("fff1", ["write"]), ("fff2", ["notify"]))
        )
        #expect(Self.names(found) == ["/fff0/fff2 /fff0/fff1"])
    }

    @Test("The order is known before unknown, notify before indicate, two characteristics before one")
    func order() throws {
        let all =
            try Self.service("ffe0", ("ffe1", ["notify"] + Self.both))
            + Self.service("1234", ("0001", ["notify"]), ("0002", ["indicate"]), ("0003", ["notify", "write"]))
            + Self.service("18f0", ("2af0", ["notify", "indicate"]), ("2af1", Self.both))
            + Self.service("fff0", ("fff1", ["notify"]), ("fff2", Self.both))
        let expected = [
            "/fff0/fff1 /fff0/fff2", "/ffe0/ffe1 /ffe0/ffe1", "/18f0/2af0 /18f0/2af1", "/1234/0001 /1234/0003",
            "/1234/0003 /1234/0003", "/1234/0002 /1234/0003",
        ]
        #expect(Self.names(SerialCharacteristics.candidates(among: all)) == expected)
        #expect(Self.names(SerialCharacteristics.candidates(among: all.reversed())) == expected)
    }

    @Test("A single direction, two services or a standard service are no candidates")
    func nothing() throws {
        #expect(SerialCharacteristics.candidates(among: []).isEmpty)
        let split = try Self.service("fff0", ("fff1", ["notify"])) + Self.service("fff3", ("fff2", Self.both))
        #expect(SerialCharacteristics.candidates(among: split).isEmpty)
        let readers = try Self.service("fff0", ("fff1", ["read", "broadcast"]), ("fff2", ["write"]))
        #expect(SerialCharacteristics.candidates(among: readers).isEmpty)
        for service in ["1800", "1801", "1802", "1804", "180a", "180f", "1812"] {
            let standard = try Self.service(service, ("2a00", ["notify", "write"]))
            #expect(SerialCharacteristics.candidates(among: standard).isEmpty)
        }
    }

    @Test("Required UUIDs are respected, also in a standard service")
    func requirements() throws {
        let all =
            try Self.service("fff0", ("fff1", ["notify"]), ("fff2", Self.both))
            + Self.service("180f", ("2a19", ["notify", "write"]), ("2a1a", ["indicate"]))
        let battery = BluetoothUUID("2a19")
        #expect(
            Self.names(SerialCharacteristics.candidates(among: all, requirement: .init(write: battery)))
                == ["/180f/2a19 /180f/2a19", "/180f/2a1a /180f/2a19"]
        )
        let pair = SerialCharacteristics.candidates(
            among: all,
            requirement: .init(notify: BluetoothUUID("2a1a"), write: battery)
        )
        #expect(Self.names(pair) == ["/180f/2a1a /180f/2a19"])
        #expect(SerialCharacteristics.candidates(among: all, requirement: .init(notify: BluetoothUUID("fff2"))).isEmpty)
    }
}
