// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Testing

@Suite("Bluetooth UUIDs")
struct BluetoothUUIDTests {
    @Test("Short and long forms of one UUID are the same")
    func forms() throws {
        let long = try #require(BluetoothUUID("0000fff0-0000-1000-8000-00805f9b34fb"))
        #expect(long.description == "0000fff0-0000-1000-8000-00805f9b34fb")
        for text in [
            "fff0", "FFF0", "0000FFF0", "0000FFF000001000800000805F9B34FB", "0000FFF0-0000-1000-8000-00805F9B34FB",
        ] {
            #expect(BluetoothUUID(text) == long)
        }
        #expect(BluetoothUUID("fff1") != long)
        #expect(BluetoothUUID("0001fff0") != long)
        #expect(BluetoothUUID("00a1")?.description == "000000a1-0000-1000-8000-00805f9b34fb")
    }

    @Test(
        "Any other text is rejected",
        arguments: [
            "", "fff", "fff0f", "fff0fff", "gff0", "+ff0", "ff f0", "٠٠٠٠", "ｆｆｆ０", String(repeating: "a", count: 31),
            "0x18f0",
        ]
    )
    func invalid(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
