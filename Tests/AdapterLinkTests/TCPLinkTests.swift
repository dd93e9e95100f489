// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import AdapterLink

@Suite("A link over TCP")
struct TCPLinkTests {
    private var soon: MonotonicTime { BootClock().now + .seconds(120) }

    private func reason(_ host: String, _ port: UInt16, until deadline: MonotonicTime) async -> String {
        do {
            try await TCPLink.open(host: host, port: port, until: deadline).close()
            return "opened"
        } catch {
            return error.description
        }
    }

    @Test(
        "Written bytes arrive, and answers are read, with an address and with a name",
        arguments: ["127.0.0.1", "localhost"]
    )
    func conversation(host: String) async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            var received: [UInt8] = []
            while received.last != 0x0D {
                let more = peer.read()
                guard !more.isEmpty else { return }
                received += more
            }
            peer.write(Array("7E8 04 41 0C ".utf8))
            peer.write(Array("1A F8\r\r>".utf8) + received)
            _ = peer.read()
        }
        let link = try await TCPLink.open(host: host, port: listener.port, until: self.soon)
        #expect(link.address == "tcp:\(host):\(listener.port)")
        try await link.write(Array("010C".utf8))
        try await link.write([0x0D])
        var reply: [UInt8] = []
        while reply.last != 0x0D || reply.count < 20, case .bytes(let bytes) = try await link.read(until: self.soon) {
            reply += bytes
        }
        #expect(String(decoding: reply, as: UTF8.self) == "7E8 04 41 0C 1A F8\r\r>010C\r")
        #expect(try await link.read(until: BootClock().now) == .deadline)
        link.interruptRead()
        #expect(try await link.read(until: self.soon) == .interrupted)
        link.close()
        await #expect(throws: LinkError.closed) { try await link.read(until: self.soon) }
        await #expect(throws: LinkError.closed) { try await link.write([0x0D]) }
    }

    @Test("The error of a refused connection names the address")
    func refused() async throws {
        let port = try Loopback.freePort()
        #expect(
            await self.reason("127.0.0.1", port, until: self.soon)
                == "cannot open tcp:127.0.0.1:\(port): Connection refused"
        )
    }

    @Test("The IPv6 loopback address is accepted, with or without an IPv6 network")
    func ipv6() async throws {
        let port = try Loopback.freePort()
        let reason = await self.reason("::1", port, until: self.soon)
        #expect(reason.hasPrefix("cannot open tcp:[::1]:\(port): "))
        #expect(
            ["Connection refused", "Cannot assign requested address"].contains { reason.hasSuffix($0) },
            "\(reason)"
        )
    }

    @Test("The error of an impossible name contains the name")
    func unknownName() async {
        let reason = await self.reason("no such name", 35000, until: self.soon)
        #expect(reason.hasPrefix("cannot open tcp:no such name:35000: "))
        #expect(reason != "cannot open tcp:no such name:35000: ")
    }

    @Test("The connection to a silent host times out at the deadline")
    func late() async throws {
        // The queue of a listener that accepts nothing holds one connection. The kernel ignores later attempts.
        let listener = try LoopbackListener(backlog: 0)
        let queued = try Loopback.connect(to: listener.port)
        defer { Glibc.close(queued) }
        let deadline = BootClock().now + .milliseconds(50)
        let reason = await self.reason("127.0.0.1", listener.port, until: deadline)
        #expect(reason == "cannot open tcp:127.0.0.1:\(listener.port): Connection timed out")
        #expect(BootClock().now >= deadline)
    }

    @Test("A cancelled task opens nothing")
    func cancelled() async throws {
        let listener = try LoopbackListener()
        let deadline = self.soon
        let opener = Task {
            await withTaskCancellationHandler {
                while !Task.isCancelled { await Task.yield() }
                return await self.reason("127.0.0.1", listener.port, until: deadline)
            } onCancel: {
            }
        }
        opener.cancel()
        #expect(await opener.value.hasSuffix("Operation canceled"))
    }

    @Test("A closed peer loses the link after its last bytes were read")
    func peerCloses() async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { $0.write([0x41]) }
        let link = try await TCPLink.open(host: "127.0.0.1", port: listener.port, until: self.soon)
        defer { link.close() }
        #expect(try await link.read(until: self.soon) == .bytes([0x41]))
        await #expect(throws: LinkError.lost("closed by the peer")) { try await link.read(until: self.soon) }
    }

    @Test("A write to a closed peer throws an error and raises no signal")
    func writeAfterClose() async throws {
        let listener = try LoopbackListener()
        try listener.serveOne { _ in }
        let link = try await TCPLink.open(host: "127.0.0.1", port: listener.port, until: self.soon)
        defer { link.close() }
        await #expect(throws: LinkError.self) { try await link.read(until: self.soon) }
        await #expect(throws: LinkError.self) {
            for _ in 0..<100 { try await link.write([UInt8](repeating: 0x41, count: 100_000)) }
        }
    }
}
