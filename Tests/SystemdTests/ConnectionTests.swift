// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Systemd
import TestSupport
import Testing

@Suite("Connections to D-Bus", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test(
        "A missing bus is reported",
        arguments: ["unix:path=/nonexistent/socket", "nonsense", "", "unix:path="]
    )
    func noBus(address: String) async {
        let error = await #expect(throws: BusError.self) { _ = try await BusConnection(.bus(address)) }
        guard case .cannotConnect = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("The end of the bus fails all pending calls")
    func busGone() async throws {
        let echo = try await Echo()
        let closed = Counter()
        let client = try await BusConnection(.bus(echo.bus.address)) { closed.add() }
        let gate = Gate()
        try await echo.server.export("/slow") { _ in
            gate.pass()
            return .success([])
        }
        let slow = MethodCall(echo.name, "/slow", Echo.interface, "Wait")
        let calls = (0..<20).map { _ in Task { try await client.call(slow, timeout: .seconds(60)) } }
        #expect(
            try await client.call(MethodCall("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")).count == 1
        )
        try await echo.bus.kill()
        for call in calls { await #expect(throws: BusError.disconnected) { try await call.value } }
        try await eventually("the end") { closed.value > 0 }
        #expect(client.isClosed)
        await #expect(throws: BusError.disconnected) { try await client.call(slow) }
        await #expect(throws: BusError.disconnected) { try await client.subscribe("type='signal'") { _ in } }
        await #expect(throws: BusError.disconnected) { try await client.emit(echo.signal("Late")) }
        await #expect(throws: BusError.disconnected) { try await client.export("/late") { _ in .success([]) } }
        client.post(slow)
        client.close()
        #expect(closed.value == 1)
        gate.open()
    }

    @Test("Closing fails pending calls")
    func closing() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let gate = Gate()
        let calls = Counter()
        try await echo.server.export("/slow") { _ in
            calls.add()
            gate.pass()
            return .success([])
        }
        let slow = MethodCall(echo.name, "/slow", Echo.interface, "Wait")
        let call = Task { try await client.call(slow, timeout: .seconds(60)) }
        try await eventually("a call that arrived") { calls.value > 0 }
        client.close()
        client.close()
        await #expect(throws: BusError.disconnected) { try await call.value }
        gate.open()
    }

    @Test("A call posted right before closing still arrives")
    func postAndClose() async throws {
        let echo = try await Echo()
        let calls = Counter()
        try await echo.server.export("/count") { _ in
            calls.add()
            return .success([])
        }
        let count = MethodCall(
            echo.name,
            "/count",
            Echo.interface,
            "Count",
            [.bytes([UInt8](repeating: 1, count: 9000))]
        )
        for _ in 0..<50 {
            let client = try await echo.client()
            client.post(count)
            client.close()
        }
        try await eventually("all calls") { calls.value == 50 }
    }

    @Test("The connection to a silent bus times out")
    func silentBus() async throws {
        let directory = try TemporaryDirectory()
        let listener = UnixListener("\(directory.path)/socket")
        let error = await #expect(throws: BusError.self) {
            _ = try await BusConnection(.bus("unix:path=\(directory.path)/socket"))
        }
        #expect(error == .cannotConnect("the connection to D-Bus was lost"))
        #expect(listener.descriptor >= 0)
    }

    @Test("Connections that were closed, lost, released or never made leak no resources")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            let echo = try await Echo()
            let directory = try TemporaryDirectory()
            let silent = UnixListener("\(directory.path)/socket")
            #expect(silent.descriptor >= 0)
            for round in 0..<3 {
                let before = try await OwnResources.settled()
                for number in 0..<70 {
                    let client = try await echo.client()
                    try await client.subscribe("type='signal'") { _ in }
                    try await client.export("/x") { _ in .success([]) }
                    #expect(try await client.call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
                    if number % 2 == 0 { client.close() }
                    _ = try? await BusConnection(.bus("unix:path=/nonexistent"))
                }
                if round == 0 { _ = try? await BusConnection(.bus("unix:path=\(directory.path)/socket")) }
                // The first round also creates resources that stay.
                if round > 0 { await #expect(throws: Never.self) { try await OwnResources.await(atMost: before) } }
            }
        }
    }
}

/// A socket that accepts connections and never answers.
private final class UnixListener: Sendable {
    let descriptor: Int32

    init(_ path: String) {
        self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(self.descriptor, $0, size) == 0
            }
        }
        #expect(isBound && listen(self.descriptor, 8) == 0)
    }

    deinit { Glibc.close(self.descriptor) }
}
