// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import TestSupport
import Testing

private let both = ["write", "write-without-response"]

/// The layouts of known adapters, and one unknown layout.
private let layouts: [StandInDevice.Service] = [
    .fff0,
    .init("fff0", notify: "fff1", ["notify"], write: "fff2", ["write"]),
    .init("ffe0", notify: "ffe1", ["notify", "read"], write: "ffe1", both),
    .init("ffe0", notify: "ffe1", ["notify"], write: "ffe1", ["write-without-response"]),
    .init("18f0", notify: "2af0", ["notify", "indicate"], write: "2af1", both),
    .init(
        "e7810a71-73ae-499d-8c15-faa9aef0c3f2",
        notify: "bef8d6c9-9c21-4c9e-b632-bd58c1009f9f",
        ["notify"],
        write: "bef8d6c9-9c21-4c9e-b632-bd58c1009f9f",
        both
    ),
    .init(
        "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
        notify: "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
        ["notify"],
        write: "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
        ["write-without-response"]
    ),
    .init(
        "49535343-fe7d-4ae5-8fa9-9fafd205e455",
        notify: "49535343-1e4d-4bd9-ba61-23c647249616",
        ["notify"],
        write: "49535343-8841-43f4-a8d4-ecbe34729bb3",
        both
    ),
    .init("fee0", notify: "fee1", ["read", "write", "notify"], write: "fee3", ["write"]),
    .init(
        "fefb",
        notify: "00000002-0000-1000-8000-008025000000",
        ["notify"],
        write: "00000001-0000-1000-8000-008025000000",
        ["write-without-response"]
    ),
    .init(
        "0e5f1b9c-0001-4a5c-9d4e-1234567890ab",
        notify: "0e5f1b9c-0002-4a5c-9d4e-1234567890ab",
        ["indicate"],
        write: "0e5f1b9c-0003-4a5c-9d4e-1234567890ab",
        ["write"]
    ),
]

@Suite("Finding an adapter over Bluetooth LE", .timeLimit(.minutes(10)))
struct DialTests {
    @Test("Every layout works, with small and with large packets", arguments: layouts.indices, [23, 517])
    func everyLayout(index: Int, mtu: Int) async throws {
        var device = StandInDevice()
        device.services = [
            .init("180f", notify: "2a19", ["read", "notify"], write: "2a1b", ["write"]), layouts[index],
        ]
        device.mtu = mtu
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        #expect(link.address == "ble:\(device.address)")
        #expect(try await Dial.ask(link, "ATI") == "ATI\rELM327 v1.5\r\r>")
        // Longer than a packet of 20 bytes, in both directions.
        #expect(
            try await Dial.ask(link, "AT                                   @1").hasSuffix(
                "OBDII to RS232 Interpreter\r\r>"
            )
        )
        #expect(try await Dial.ask(link, "ATE0") == "ATE0\rOK\r\r>")
        #expect(try await standIn.perform { $0.isScanning() } == false)
        link.close()
        try await standIn.awaitRelease(of: device)
    }

    @Test(
        "Without a socket from BlueZ, packets travel as D-Bus values",
        arguments: [StandInDevice.Sockets.notifyOnly, .none]
    )
    func fallbacks(sockets: StandInDevice.Sockets) async throws {
        for flags in [["write"], ["write-without-response"], both] {
            var device = StandInDevice()
            device.sockets = sockets
            device.mtu = 23
            device.services = [.init("fff0", notify: "fff1", ["notify"], write: "fff2", flags)]
            let standIn = try await BlueZStandIn(device)
            let link = try await Dial.open(standIn)
            for _ in 0..<20 { #expect(try await Dial.ask(link, "ATI") == "ATI\rELM327 v1.5\r\r>") }
            #expect(try await standIn.count(of: "WriteValue \(flags[0])") == 21)
            link.close()
        }
    }

    @Test(
        "No packet is longer than BlueZ accepts",
        arguments: [(23, 20), (185, 182), (517, 512)],
        StandInDevice.Sockets.pairs
    )
    func longWrites(size: (mtu: Int, packet: Int), sockets: StandInDevice.Sockets) async throws {
        var device = StandInDevice()
        device.mtu = size.mtu
        device.sockets = sockets
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        let bytes = (0..<1300).map { UInt8(truncatingIfNeeded: $0 / 3) | 0x20 }
        try await link.write(bytes)
        try await eventually("all bytes") {
            try await standIn.perform { $0.lastLine?.packets.dropFirst().joined().count } == 1300
        }
        let packets = try await standIn.perform { Array($0.lastLine?.packets.dropFirst() ?? []) }
        #expect(Array(packets.joined()) == bytes)
        #expect(packets.dropLast().allSatisfy { $0.count == size.packet })
        link.close()
    }

    @Test("A printer with an adapter's service is skipped for the adapter")
    func printer() async throws {
        var printer = StandInDevice()
        printer.address = "AA:BB:CC:00:00:02"
        printer.name = "Receipt OBD"
        printer.advertised = ["fff0"]
        printer.isAdapter = false
        var adapter = StandInDevice()
        adapter.name = "vLinker MC"
        let standIn = try await BlueZStandIn(printer, adapter)
        let (link, address) = try await Dial.dialer(standIn, silent: 1).open(last: nil, until: Dial.soon)
        #expect(address == BluetoothAddress(adapter.address))
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        #expect(try await !standIn.isConnected(printer))
        link.close()
    }

    @Test("The pair of characteristics that answers is found among other pairs")
    func pairs() async throws {
        var device = StandInDevice()
        device.services = [
            .fff0, .init("18f0", notify: "2af0", ["notify"], write: "2af1", both),
            .init("ffe0", notify: "ffe1", ["notify"], write: "ffe1", both),
        ]
        device.dead = Set(["fff1", "fff2", "ffe1"].compactMap { BluetoothUUID($0)?.description })
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.dialer(standIn, silent: 2).open(last: nil, until: Dial.soon).link
        #expect(try await Dial.ask(link, "ATI") == "ATI\rELM327 v1.5\r\r>")
        link.close()
    }

    @Test("Only the characteristics that the configuration requires are used")
    func requirement() async throws {
        var device = StandInDevice()
        device.services = [.fff0, .init("180f", notify: "2a19", ["notify"], write: "2a1b", ["write"])]
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(
            standIn,
            BLETarget(characteristics: .init(notify: BluetoothUUID("2A19"), write: BluetoothUUID("2A1B")))
        )
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        #expect(try await standIn.count(of: "WriteValue write") == 2)
        link.close()
        let target = BLETarget(characteristics: .init(notify: BluetoothUUID("FFF2")))
        #expect(await Dial.failure(standIn, target) == .noSerialLine(try Dial.address(device)))
    }

    @Test("Only the pinned adapter is used, whatever its name")
    func pinned() async throws {
        var pinned = StandInDevice()
        pinned.address = "AA:BB:CC:00:00:02"
        pinned.name = nil
        let standIn = try await BlueZStandIn(StandInDevice(), pinned)
        let target = BLETarget(address: try Dial.address(pinned))
        let (link, address) = try await Dial.dialer(standIn, target).open(last: nil, until: Dial.soon)
        #expect(address == target.address)
        #expect(try await standIn.count(of: "Connect") == 1)
        link.close()
        let away = BLETarget(address: BluetoothAddress("AA:BB:CC:00:00:03"))
        #expect(await Dial.failure(standIn, away, within: .milliseconds(300)) == .notFound(away.address))
        #expect(try await standIn.count(of: "Connect") == 1)
    }

    @Test("A known adapter reconnects without a scan, and a left-over connection is ended first")
    func known() async throws {
        var device = StandInDevice()
        device.isLeftConnected = true
        device.appearsAfter = nil
        let standIn = try await BlueZStandIn(device)
        let address = try Dial.address(device)
        for _ in 0..<3 {
            let link = try await Dial.dialer(standIn).open(last: address, until: Dial.soon).link
            #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
            link.close()
            try await standIn.awaitRelease(of: device)
        }
        #expect(try await standIn.count(of: "StartDiscovery") == 0)
    }

    @Test("A scan without result restarts")
    func restartedScan() async throws {
        var device = StandInDevice()
        device.missedScans = 2
        let standIn = try await BlueZStandIn(device)
        var limits = Dial.limits
        limits.rescan = .milliseconds(50)
        let link = try await Dial.dialer(standIn, limits: limits).open(last: nil, until: Dial.soon).link
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        #expect(try await standIn.count(of: "StartDiscovery") >= 3)
        #expect(try await !standIn.perform { $0.isScanning() })
        link.close()
    }

    @Test("A device that BlueZ remembers is tried even if the scan does not find it")
    func remembered() async throws {
        var device = StandInDevice()
        device.isRemembered = true
        device.appearsAfter = nil
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        link.close()
    }

    @Test("A device in range is tried before a remembered device, even a likelier one")
    func inRangeFirst() async throws {
        var gone = StandInDevice()
        gone.advertised = ["fff0"]
        gone.isRemembered = true
        gone.appearsAfter = nil
        gone.connects = [.hangs, .hangs, .hangs]
        var present = StandInDevice()
        present.address = "AA:BB:CC:00:00:02"
        let standIn = try await BlueZStandIn(gone, present)
        var limits = Dial.limits
        // The time that a loaded machine may need to find the device in range.
        limits.scan = .seconds(2)
        let (link, address) = try await Dial.dialer(standIn, limits: limits).open(last: nil, until: Dial.soon)
        #expect(address.description == present.address)
        #expect(try await standIn.count(of: "Connect") == 1)
        link.close()
    }

    @Test("A late device is found, and a controller that is off is switched on")
    func late() async throws {
        var device = StandInDevice()
        device.name = nil
        device.advertised = ["ffe0"]
        device.appearsAfter = .milliseconds(200)
        device.connectTime = .milliseconds(50)
        device.servicesTime = .milliseconds(50)
        let standIn = try await BlueZStandIn(device, controller: .off)
        let link = try await Dial.open(standIn)
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        link.close()
    }

    @Test(
        "A Connect with a transient failure is retried",
        arguments: [
            StandInDevice.Connect.fails("Failed", "le-connection-abort-by-local"), .fails("InProgress", "busy"),
            .withoutLink, .failsAndComesUp, .hangs, .dropsAtOnce,
        ]
    )
    func retries(connect: StandInDevice.Connect) async throws {
        var device = StandInDevice()
        device.connects = [connect, connect]
        var limits = Dial.limits
        // The time that a loaded machine may need for the successful Connect.
        limits.connect = .seconds(2)
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.dialer(standIn, limits: limits).open(last: nil, until: Dial.soon).link
        #expect(try await standIn.count(of: "Connect") == 3)
        link.close()
    }

    @Test("A link without a signal of its connection is used at once")
    func silentConnect() async throws {
        var device = StandInDevice()
        device.connects = [.succeedsWithoutSignal]
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        #expect(try await standIn.count(of: "Connect") == 1)
        link.close()
        try await standIn.awaitRelease(of: device)
    }

    @Test("A device whose object is gone is searched for again")
    func goneObject() async throws {
        var device = StandInDevice()
        device.isRemembered = true
        device.connects = [.removesObject]
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.dialer(standIn).open(last: try Dial.address(device), until: Dial.soon).link
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        #expect(try await standIn.count(of: "StartDiscovery") == 1)
        link.close()
    }
}

extension StandInDevice.Sockets {
    static let pairs: [Self] = [.both, .none]
}
