// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Systemd
import Testing

@testable import AdapterLink

@Suite("Advertisements")
struct AdvertisementTests {
    private static func likelihood(_ name: String?, _ services: String...) throws -> Int {
        Advertisement(
            path: "/org/bluez/hci0/dev_00_00_00_00_00_01",
            address: try #require(BluetoothAddress("00:00:00:00:00:01")),
            name: name,
            services: Set(services.compactMap(BluetoothUUID.init)),
            rssi: nil
        ).likelihood
    }

    @Test("A known name and a known service each increase the likelihood")
    func likelihood() throws {
        #expect(try Self.likelihood("OBDII", "fff0") == 3)
        for name in [
            "IOS-Vlink", "vLinker MC-IOS", "OBDLink CX", "VEEPEAK", "WiC_0123456789ab", "V-LINK", "KONNWEI", "BT05",
        ] {
            #expect(try Self.likelihood(name) == 2)
        }
        #expect(try Self.likelihood("Printer", "18f0", "180f") == 1)
        #expect(try Self.likelihood(nil, "ffe0") == 1)
        #expect(try Self.likelihood("Lamp", "180f") == 0)
        #expect(try Self.likelihood(nil) == 0)
        #expect(try Self.likelihood("") == 0)
    }

    @Test("Valid properties of BlueZ are read, and others ignored")
    func properties() {
        #expect(Advertisement("/x", [:]) == nil)
        #expect(Advertisement("/x", ["Address": .string("nonsense")]) == nil)
        let odd = Advertisement(
            "/org/bluez/hci12/dev_1",
            [
                "Address": .string("00:00:00:00:00:01"), "Name": .byte(1), "RSSI": .string("loud"),
                "UUIDs": .strings(["fff0", "nonsense"]),
            ]
        )
        #expect(odd?.name == nil && odd?.rssi == nil)
        #expect(odd?.services == Set([BluetoothUUID("fff0")].compactMap(\.self)))
        #expect(odd?.profile?.name == "FFF0")
        #expect(odd?.controller == 12)
        #expect(Advertisement("/x", ["Address": .string("00:00:00:00:00:01")])?.controller == 0)
    }
}
