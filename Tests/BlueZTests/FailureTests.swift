// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import Systemd
import TestSupport
import Testing

@Suite("Failures to open a link over Bluetooth LE", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test("Without an adapter, the dial fails at the deadline and the scan ends")
    func noAdapter() async throws {
        var printer = StandInDevice()
        printer.name = "a lamp"
        let standIn = try await BlueZStandIn(printer)
        let start = BootClock().now
        #expect(await Dial.failure(standIn, within: .milliseconds(300)) == .notFound(nil))
        #expect(BootClock().now - start < .seconds(20))
        #expect(try await standIn.count(of: "Connect") == 0)
        #expect(try await standIn.perform { $0.isScanning() } == false)
    }

    @Test("A missing controller, a blocked one and one that stays off are reported")
    func controllers() async throws {
        var limits = Dial.limits
        limits.power = .milliseconds(100)
        #expect(await Dial.failure(try await BlueZStandIn(controller: .none)) == .noController)
        #expect(await Dial.failure(try await BlueZStandIn(controller: .blocked)) == .blocked)
        #expect(await Dial.failure(try await BlueZStandIn(controller: .refuses("Blocked"))) == .blocked)
        #expect(
            await Dial.failure(try await BlueZStandIn(controller: .staysOff), limits: limits)
                == .notPowered("the controller stays off")
        )
        let refusal = BluetoothError.notPowered("as you like it (org.bluez.Error.Failed)")
        #expect(await Dial.failure(try await BlueZStandIn(controller: .refuses("Failed"))) == refusal)
    }

    @Test("A missing bus, a missing daemon and a missing permission are reported")
    func daemon() async throws {
        let nowhere = BLEDialer(BLETarget(), bus: .bus("unix:path=/nonexistent")) { _ in true }
        let error = await #expect(throws: BluetoothError.self) {
            try await nowhere.open(last: nil, until: Dial.soon).link.close()
        }
        guard case .noBus = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let standIn = try await BlueZStandIn(StandInDevice())
        try await standIn.leaveName()
        #expect(await Dial.failure(standIn) == .noDaemon)
        let strict = try await MessageBus(.init(policy: "<deny send_destination=\"org.bluez\"/>"))
        #expect(await Dial.failure(try await BlueZStandIn(StandInDevice(), bus: strict)) == .noPermission)
    }

    @Test("A daemon that the bus starts on demand is awaited")
    func activation() async throws {
        let bus = try await MessageBus(.init(services: ["org.bluez": "/bin/sleep 60"]))
        let standIn = try await BlueZStandIn(StandInDevice(), bus: bus)
        try await standIn.leaveName()
        // The bus holds the call until the name has an owner.
        async let opening = Dial.open(standIn)
        let watcher = try await BusConnection(.bus(bus.address))
        let daemon = "org.freedesktop.DBus"
        try await eventually("a client that waits for the daemon") {
            let names = try await watcher.call(MethodCall(daemon, "/", daemon, "ListNames"))
            return (names.first?.texts ?? []).count { $0.hasPrefix(":") } >= 3
        }
        try await standIn.takeName()
        let link = try await opening
        #expect(try await Dial.ask(link, "ATI").contains("ELM327"))
        link.close()
    }

    @Test("A device that cannot be used is reported")
    func devices() async throws {
        var device = StandInDevice()
        let address = try Dial.address(device)
        device.isAdapter = false
        #expect(await Dial.failure(try await BlueZStandIn(device), silent: 1) == .notAnAdapter(address))
        device.isAdapter = true
        device.services = [.init("180f", notify: "2a19", ["notify"], write: "2a1b", ["write"])]
        #expect(await Dial.failure(try await BlueZStandIn(device)) == .noSerialLine(address))
        device.services = [.init("fff0", notify: "fff1", ["read"], write: "fff2", ["write"])]
        #expect(await Dial.failure(try await BlueZStandIn(device)) == .noSerialLine(address))
    }

    @Test("A device that does not connect is reported", arguments: [true, false])
    func unreachable(isPinned: Bool) async throws {
        var device = StandInDevice()
        let address = try Dial.address(device)
        let target = BLETarget(address: isPinned ? address : nil)
        let abort = StandInDevice.Connect.fails("Failed", "le-connection-abort-by-local")
        device.connects = [StandInDevice.Connect](repeating: abort, count: 5)
        let reason = "le-connection-abort-by-local (org.bluez.Error.Failed)"
        var standIn = try await BlueZStandIn(device)
        #expect(await Dial.failure(standIn, target) == .unreachable(address, reason))
        #expect(try await standIn.count(of: "Connect") == 5)
        device.connects = [.dropsAtOnce, .dropsAtOnce, .withoutLink, .dropsAtOnce, .withoutLink]
        #expect(
            await Dial.failure(try await BlueZStandIn(device), target)
                == .unreachable(address, "it disconnected at once")
        )
        device.connects = []
        device.servicesTime = nil
        var limits = Dial.limits
        limits.services = .milliseconds(100)
        standIn = try await BlueZStandIn(device)
        let failure = await Dial.failure(standIn, target, limits: limits)
        #expect(failure == .unreachable(address, "the service discovery timed out"))
        #expect(try await !standIn.isConnected(device))
    }

    @Test("Notifications that another client has acquired are no reason to pair")
    func taken() async throws {
        var device = StandInDevice()
        device.sockets = .taken
        let standIn = try await BlueZStandIn(device)
        let reason = "Notify acquired (org.bluez.Error.NotPermitted)"
        #expect(await Dial.failure(standIn) == .unreachable(try Dial.address(device), reason))
        #expect(try await standIn.count(of: "Pair") == 0)
        #expect(try await !standIn.isConnected(device))
    }

    @Test("A daemon that ends during a dial is reported", arguments: [0, 1, 2])
    func dies(stage: Int) async throws {
        var device = StandInDevice()
        switch stage {
        case 0: device.appearsAfter = nil
        case 1: device.connects = [.hangs]
        default: device.servicesTime = nil
        }
        let standIn = try await BlueZStandIn(device)
        let target = BLETarget(address: try Dial.address(device))
        async let failure = Dial.failure(standIn, target)
        let member = stage == 0 ? "StartDiscovery" : "Connect"
        try await eventually(member) { try await standIn.count(of: member) > 0 }
        standIn.die()
        #expect(await failure == .noDaemon)
    }

    @Test("A bus that ends during a dial is reported")
    func busDies() async throws {
        var device = StandInDevice()
        device.connects = [.hangs]
        let standIn = try await BlueZStandIn(device)
        async let failure = Dial.failure(standIn)
        try await eventually("a Connect") { try await standIn.count(of: "Connect") > 0 }
        try await standIn.bus.kill()
        #expect(await failure == .noDaemon)
    }

    @Test(
        "A cancelled dial ends at once and disconnects the device",
        arguments: ["StartDiscovery", "Connect", "AcquireNotify"]
    )
    func cancelled(at member: String) async throws {
        var device = StandInDevice()
        switch member {
        case "StartDiscovery": device.appearsAfter = nil
        case "Connect": device.connects = [.hangs]
        default: device.isAdapter = false
        }
        let standIn = try await BlueZStandIn(device)
        let dialer = Dial.dialer(standIn)
        let task = Task { try await dialer.open(last: nil, until: BootClock().now + .seconds(3600)).link.close() }
        try await eventually(member) { try await standIn.count(of: member) > 0 }
        let start = BootClock().now
        task.cancel()
        await #expect(throws: BluetoothError.self) { try await task.value }
        #expect(BootClock().now - start < .seconds(5))
        try await eventually("the scan ends") { try await !standIn.perform { $0.isScanning() } }
        try await standIn.awaitRelease(of: device)
        if member != "StartDiscovery" {
            try await eventually("Disconnect") { try await standIn.count(of: "Disconnect") > 0 }
        }
    }
}
