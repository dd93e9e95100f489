// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import TestSupport
import Testing

@Suite("Pairing", .timeLimit(.minutes(10)))
struct PairingTests {
    private static func device(_ pairing: StandInDevice.Pairing, _ number: Int = 1) -> StandInDevice {
        var device = StandInDevice()
        device.address = "AA:BB:CC:00:00:0\(number)"
        device.pairing = pairing
        return device
    }

    @Test(
        "An adapter that requires pairing is paired once, with and without sockets",
        arguments: StandInDevice.Sockets.pairs
    )
    func pairs(sockets: StandInDevice.Sockets) async throws {
        for (pairing, pin) in [
            (StandInDevice.Pairing.justWorks, nil), (.justWorks, "1234"), (.passkey(123_456), "123456"),
        ] {
            var device = Self.device(pairing)
            device.sockets = sockets
            let standIn = try await BlueZStandIn(device)
            for _ in 0..<2 {
                let link = try await Dial.open(standIn, BLETarget(pin: pin))
                #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
                link.close()
                try await standIn.awaitRelease(of: device)
            }
            #expect(try await standIn.count(of: "Pair") == 1)
            #expect(try await standIn.perform { $0.paired } == [device.path])
        }
    }

    @Test("An adapter that requires pairing only for writes is paired once")
    func guardedWriting() async throws {
        var device = Self.device(.passkey(123_456))
        device.guardsWritingOnly = true
        device.sockets = .notifyOnly
        let standIn = try await BlueZStandIn(device)
        for _ in 0..<2 {
            let link = try await Dial.open(standIn, BLETarget(pin: "123456"))
            #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
            link.close()
            try await standIn.awaitRelease(of: device)
        }
        #expect(try await standIn.count(of: "Pair") == 1)

        let failure = await Dial.failure(
            try await BlueZStandIn(device),
            BLETarget(address: try Dial.address(device), pin: "1")
        )
        guard case .notPaired = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("An adapter that requires no pairing is never paired")
    func open() async throws {
        let standIn = try await BlueZStandIn(Self.device(.open))
        try await Dial.open(standIn, BLETarget(pin: "1234")).close()
        #expect(try await standIn.count(of: "Pair") == 0)
        #expect(try await standIn.count(of: "RegisterAgent") == 0)
    }

    @Test("A wrong, missing or invalid PIN and a refusal are reported")
    func wrong() async throws {
        for (pairing, pin) in [
            (StandInDevice.Pairing.passkey(123_456), "654321"), (.passkey(123_456), nil), (.passkey(123_456), "secret"),
            (.passkey(1), "4294967297"), (.impossible, "1234"), (.impossible, nil),
        ] {
            let device = Self.device(pairing)
            let standIn = try await BlueZStandIn(device)
            let failure = await Dial.failure(standIn, BLETarget(address: try Dial.address(device), pin: pin))
            guard case .notPaired(let address, let reason) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(address == BluetoothAddress(device.address))
            #expect(reason.hasPrefix("Not paired; "))
            #expect(try await !standIn.isConnected(device))
            #expect(try await standIn.perform { $0.paired }.isEmpty)
        }
    }

    @Test("After a failed pairing, the next device is paired")
    func second() async throws {
        var first = Self.device(.impossible, 1)
        first.advertised = ["fff0"]
        let second = Self.device(.passkey(1234), 2)
        let standIn = try await BlueZStandIn(first, second)
        let (link, address) = try await Dial.dialer(standIn, BLETarget(pin: "1234")).open(last: nil, until: Dial.soon)
        #expect(address == BluetoothAddress(second.address))
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        link.close()
    }
}
