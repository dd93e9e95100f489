// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Systemd
import TestSupport
import Testing

@Suite("Signals over D-Bus", .timeLimit(.minutes(10)))
struct SignalTests {
    @Test("Signals arrive in order, and none is missed after subscribe returns")
    func order() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let received = Locked<[Int32]>([])
        try await client.subscribe("type='signal',interface='\(Echo.interface)',member='Count'") { signal in
            guard case .int32(let number) = signal.arguments.first else { return }
            received.withLock { $0.append(number) }
        }
        for number: Int32 in 0..<2000 { try await echo.server.emit(echo.signal("Count", [.int32(number)])) }
        try await eventually("all signals") { received.withLock { $0.count } >= 2000 }
        #expect(received.withLock { $0 } == Array(0..<2000))
    }

    @Test("A signal names its sender, and only subscribed signals arrive")
    func contents() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let received = Locked<[Signal]>([])
        try await client.subscribe("type='signal',path_namespace='/org/example',member='Wanted'") { signal in
            received.withLock { $0.append(signal) }
        }
        let arguments: [BusValue] = [.string("x"), .options(["Value": .bytes([1, 2])]), .strings([])]
        try await echo.server.emit(echo.signal("Unwanted", arguments))
        try await echo.server.emit(
            Signal(path: "/org/other", interface: Echo.interface, member: "Wanted", arguments: [])
        )
        var wanted = echo.signal("Wanted", arguments)
        try await echo.server.emit(wanted)
        try await eventually("the signal") { received.withLock { !$0.isEmpty } }
        wanted.sender = echo.name
        #expect(received.withLock { $0 } == [wanted])
    }

    @Test(
        "An invalid match rule is rejected",
        arguments: ["nonsense", "type='signal',path='no path'", "a='b"]
    )
    func rules(rule: String) async throws {
        let echo = try await Echo()
        await #expect(throws: BusError.self) { try await echo.server.subscribe(rule) { _ in } }
        #expect(try await echo.client().call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
    }
}
