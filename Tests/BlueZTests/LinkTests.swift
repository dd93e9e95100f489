// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import Systemd
import TestSupport
import Testing

@Suite("A link over GATT", .timeLimit(.minutes(10)))
struct LinkTests {
    /// The cause of a lost link.
    enum Loss: CaseIterable, Sendable {
        case disconnected, forgotten, objectRemoved, daemonGone, busGone
    }

    private static func lose(_ standIn: BlueZStandIn, _ device: StandInDevice, _ loss: Loss) async throws {
        switch loss {
        case .disconnected: try await standIn.perform { $0.disconnect(device.path) }
        case .forgotten: try await standIn.perform { $0.forget(device.path) }
        case .objectRemoved: try await standIn.perform { $0.removeObject(device.path) }
        case .daemonGone:
            try await standIn.perform { $0.closeSockets() }
            standIn.die()
        case .busGone: try await standIn.bus.kill()
        }
    }

    @Test("A loss ends a read at once, without a request", arguments: Loss.allCases, StandInDevice.Sockets.pairs)
    func loss(loss: Loss, sockets: StandInDevice.Sockets) async throws {
        // Sockets outlive the object and the bus. Only the end of the daemon closes them.
        if sockets == .both, loss == .objectRemoved || loss == .busGone { return }
        var device = StandInDevice()
        device.sockets = sockets
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        let reading = Task { try await link.read(until: BootClock().now + .seconds(3600)) }
        for _ in 0..<10 { await Task.yield() }
        let start = BootClock().now
        try await Self.lose(standIn, device, loss)
        let error = await #expect(throws: LinkError.self) { try await reading.value }
        guard case .lost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(BootClock().now - start < .seconds(10))
        await #expect(throws: LinkError.self) {
            try await link.write([0x0D])
            _ = try await link.read(until: Dial.soon)
        }
        link.close()
        link.close()
    }

    @Test("After a loss the next dial finds the adapter again", arguments: StandInDevice.Sockets.pairs)
    func again(sockets: StandInDevice.Sockets) async throws {
        var device = StandInDevice()
        device.sockets = sockets
        let standIn = try await BlueZStandIn(device)
        let dialer = Dial.dialer(standIn)
        var last: BluetoothAddress?
        for round in 0..<4 {
            let (link, address) = try await dialer.open(last: last, until: Dial.soon)
            last = address
            #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
            let path = device.path
            try await standIn.perform { round == 1 ? $0.forget(path) : $0.disconnect(path) }
            await #expect(throws: LinkError.self) { try await link.read(until: Dial.soon) }
            link.close()
        }
        // One scan for the first link, one after the object was forgotten. A slow disconnection may end the next link,
        // which adds another scan.
        #expect(try await standIn.count(of: "StartDiscovery") >= 2)
    }

    @Test("A wake-up, a cancellation, a close and a deadline each end a read", arguments: StandInDevice.Sockets.pairs)
    func reads(sockets: StandInDevice.Sockets) async throws {
        var device = StandInDevice()
        device.sockets = sockets
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        #expect(try await link.read(until: BootClock().now) == .deadline)
        link.interruptRead()
        #expect(try await link.read(until: Dial.soon) == .interrupted)
        let cancelled = Task { try await link.whileCancellable { try await link.read(until: Dial.soon) } }
        cancelled.cancel()
        #expect(try await cancelled.value == .interrupted)
        // The wake-up may have arrived after the read.
        while try await link.read(until: BootClock().now) == .interrupted {}
        let closed = Task { try await link.read(until: Dial.soon) }
        await Task.yield()
        link.close()
        await #expect(throws: LinkError.closed) { try await closed.value }
        try await standIn.awaitRelease(of: device)
    }

    @Test("Many small packets arrive in order and complete", arguments: StandInDevice.Sockets.pairs)
    func stream(sockets: StandInDevice.Sockets) async throws {
        var device = StandInDevice()
        device.sockets = sockets
        device.mtu = 23
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        let sent = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
        let path = device.path
        try await standIn.perform { world in
            for start in stride(from: 0, to: sent.count, by: 5) { world.send(Array(sent[start..<start + 5]), path) }
        }
        var received: [UInt8] = []
        while received.count < sent.count, case .bytes(let more) = try await link.read(until: Dial.soon) {
            received += more
        }
        #expect(received.elementsEqual(sent))
        link.close()
    }

    @Test("The queue of unread packets is bounded")
    func bounded() async throws {
        var device = StandInDevice()
        device.sockets = .none
        let standIn = try await BlueZStandIn(device)
        let link = try await Dial.open(standIn)
        let path = device.path
        for _ in 0..<10 {
            try await standIn.perform { world in
                for _ in 0..<100 { world.send([UInt8](repeating: 0x2E, count: 100), path) }
            }
        }
        // The answer to this call arrives after the packets.
        try await link.write([UInt8(ascii: " ")])
        // The queued bytes are delivered before the error.
        var count = 0
        let error = await #expect(throws: LinkError.self) {
            while case .bytes(let more) = try await link.read(until: Dial.soon) { count += more.count }
        }
        #expect(error == .lost("the receive queue overflowed"))
        #expect(60_000...70_000 ~= count)
        link.close()
    }

    @Test("A scan lists the devices in range, and distinguishes adapters from others")
    func scanner() async throws {
        var lamp = StandInDevice()
        lamp.address = "AA:BB:CC:00:00:02"
        lamp.name = "Lamp"
        var printer = StandInDevice()
        printer.address = "AA:BB:CC:00:00:03"
        printer.name = nil
        printer.advertised = ["fff0"]
        printer.isAdapter = false
        var old = StandInDevice()
        old.address = "AA:BB:CC:00:00:04"
        old.isRemembered = true
        old.appearsAfter = nil
        let standIn = try await BlueZStandIn(lamp, StandInDevice(), printer, old)
        let scanner = try await BLEScanner(bus: .bus(standIn.bus.address), limits: Dial.limits) { link in
            await Dial.isAdapter(link, for: link.address.hasSuffix("03") ? .milliseconds(50) : .seconds(20))
        }
        defer { scanner.close() }
        var reported: [Advertisement] = []
        let devices = try await scanner.listen(for: .seconds(2)) { reported.append($0) }
        #expect(devices.map(\.address.description) == [StandInDevice().address, printer.address, lamp.address])
        #expect(Set(reported.map(\.address)) == Set(devices.map(\.address)))
        #expect(devices.map(\.likelihood) == [2, 1, 0])
        #expect(devices.first?.rssi == -60)
        #expect(await scanner.attempt(devices[0]) == .adapter)
        #expect(await scanner.attempt(devices[1]) == .failed(.notAnAdapter(devices[1].address)))
        #expect(try await !standIn.isConnected(StandInDevice()))
        #expect(try await !standIn.isConnected(printer))
    }

    @Test("Two hundred dials leak no resources")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            for sockets in StandInDevice.Sockets.pairs {
                var device = StandInDevice()
                device.sockets = sockets
                let standIn = try await BlueZStandIn(device)
                let dialer = Dial.dialer(standIn)
                let address = try Dial.address(device)
                try await dialer.open(last: address, until: Dial.soon).link.close()
                try await standIn.awaitRelease(of: device)
                let before = try await OwnResources.settled()
                let connections = try await standIn.clients()
                for number in 0..<100 {
                    let link = try await dialer.open(last: number % 4 == 0 ? nil : address, until: Dial.soon).link
                    if number % 10 == 0 { #expect(try await Dial.ask(link, "ATI").contains("ELM327")) }
                    link.close()
                    try await standIn.awaitRelease(of: device)
                }
                await #expect(throws: Never.self) { try await OwnResources.await(atMost: before) }
                try await eventually("no client is left") { try await standIn.clients() <= connections }
            }
        }
    }
}
