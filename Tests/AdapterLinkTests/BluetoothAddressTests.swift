// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import Testing

@testable import AdapterLink

@Suite("Bluetooth addresses")
struct BluetoothAddressTests {
    @Test("Six pairs of digits, in either case, are printed in upper case")
    func valid() {
        #expect(BluetoothAddress("aa:bb:CC:00:01:fF")?.description == "AA:BB:CC:00:01:FF")
        #expect(BluetoothAddress("aa:bb:cc:00:01:ff") == BluetoothAddress("AA:BB:CC:00:01:FF"))
        #expect(BluetoothAddress("01:02:03:04:05:06")?.kernelBytes == [6, 5, 4, 3, 2, 1])
    }

    @Test(
        "Any other text is rejected",
        arguments: [
            "", ":", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA-BB-CC-DD-EE-FF", "AABBCCDDEEFF", "AA:BB:CC:DD:EE:F",
            "AA:BB:CC:DD:EE:FFF", "AA:BB:CC:DD:EE:GG", "+A:BB:CC:DD:EE:FF", "-0:BB:CC:DD:EE:FF", " AA:BB:CC:DD:EE:FF",
            "AA:BB:CC:DD:EE:FF ", "AA::CC:DD:EE:FF", "AA:BB:CC:DD:EE:é", "٠٠:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF:",
        ]
    )
    func invalid(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }
}

/// Whether this machine's kernel supports Bluetooth, so that the tests of its absence are skipped.
private let kernelSupportsBluetooth: Bool = {
    let descriptor = socket(31, Int32(SOCK_RAW.rawValue), 1)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0 || errno != EAFNOSUPPORT
}()

@Suite("A kernel without Bluetooth", .enabled(if: !kernelSupportsBluetooth), .timeLimit(.minutes(10)))
struct NoBluetoothTests {
    private var soon: MonotonicTime { BootClock().now + .seconds(30) }

    @Test("RFCOMM reports no support, SDP finds nothing, and HCI fails")
    func absence() async throws {
        let address = try #require(BluetoothAddress("AA:BB:CC:DD:EE:FF"))
        let failure = await #expect(throws: RFCOMM.Failure.self) {
            Glibc.close(try await RFCOMM.connect(address, channel: 1, until: self.soon))
        }
        #expect(failure?.isUnsupported == true)
        #expect(await SDP.serialChannels(of: address, until: self.soon) == [])
        guard case .failed(let reason) = await HCI.shortenInterval(of: address, controller: 0) else {
            Issue.record("no failure")
            return
        }
        #expect(!reason.isEmpty)
        #expect(await HCI.rssi(of: address, controller: 0) == nil)
    }
}
