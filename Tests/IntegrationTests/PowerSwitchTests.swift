// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import EventLoop
import Systemd
import TestSupport
import Testing

@Suite("Switching the machine off, by a stand-in for systemd-logind on a bus of its own", .timeLimit(.minutes(2)))
struct PowerSwitchTests {
    private static let name = "org.freedesktop.login1"

    /// Returns a message bus, a program on it that answers as logind, and the calls to that program.
    private static func bus(
        _ reply: CallReply
    ) async throws -> (bus: MessageBus, logind: BusConnection, calls: Locked<[IncomingCall]>) {
        let bus = try await MessageBus()
        let logind = try await BusConnection(.bus(bus.address))
        let calls = Locked<[IncomingCall]>([])
        try await logind.export("/org/freedesktop/login1") { call in
            calls.withLock { $0.append(call) }
            return reply
        }
        let driver = "org.freedesktop.DBus"
        let own = MethodCall(driver, "/org/freedesktop/DBus", driver, "RequestName", [.string(Self.name), .uint32(4)])
        #expect(try await logind.call(own) == [.uint32(1)])
        return (bus, logind, calls)
    }

    @Test("logind is asked to power off, and nobody for a password")
    func asked() async throws {
        let (bus, logind, calls) = try await Self.bus(.success([]))
        try await PowerSwitch.powerOff(over: .bus(bus.address))
        let call = try #require(calls.withLock { $0.first })
        #expect(call.interface == "org.freedesktop.login1.Manager" && call.member == "PowerOff")
        #expect(call.arguments == [.boolean(false)])
        #expect(calls.withLock { $0.count } == 1)
        logind.close()
    }

    @Test("Why it is not done is told: no rule of polkit, nobody who answers")
    func refused() async throws {
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        let (bus, logind, _) = try await Self.bus(.failure(name: denied, message: "Permission denied"))
        await #expect(throws: BusError.refused(name: denied, message: "Permission denied")) {
            try await PowerSwitch.powerOff(over: .bus(bus.address))
        }
        logind.close()
        let empty = try await MessageBus()
        let error = await #expect(throws: BusError.self) { try await PowerSwitch.powerOff(over: .bus(empty.address)) }
        guard case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
