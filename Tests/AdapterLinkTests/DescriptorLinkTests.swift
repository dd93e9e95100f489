// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import AdapterLink

/// A link over one of two connected sockets.
///
/// The test holds the other socket.
private final class Pair: Sendable {
    let link: DescriptorLink
    let other: Int32

    init(writeTimeout: Duration = .seconds(60)) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #expect(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        self.link = DescriptorLink(ends[0], address: "test", isSocket: true, writeTimeout: writeTimeout)
        self.other = ends[1]
    }

    deinit {
        Glibc.close(self.other)
    }

    /// Returns the bytes that have arrived so far.
    func drain() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = unsafe Glibc.read(self.other, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}

@Suite("A link over a descriptor", .timeLimit(.minutes(10)))
struct DescriptorLinkTests {
    private static let much = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 12) }
    private var soon: MonotonicTime { BootClock().now + .seconds(120) }

    @Test("A write to a peer that does not read times out")
    func writeTimedOut() async {
        let pair = Pair(writeTimeout: .milliseconds(20))
        await #expect(throws: LinkError.writeTimedOut) { try await pair.link.write(Self.much) }
        pair.link.close()
    }

    @Test("A slow peer receives all bytes, and a wake-up during the write ends the next read")
    func slowPeer() async throws {
        let pair = Pair()
        let writer = Task { try await pair.link.write(Self.much) }
        var received: [UInt8] = []
        let deadline = self.soon
        while received.count < Self.much.count, BootClock().now < deadline {
            if received.count < 1_000_000 { pair.link.interruptRead() }
            received += pair.drain()
            await Task.yield()
        }
        try await writer.value
        #expect(received == Self.much)
        #expect(try await pair.link.read(until: self.soon) == .interrupted)
    }

    @Test("The write of a cancelled task ends, before or during its wait", arguments: [false, true])
    func cancelledWrite(isWaiting: Bool) async {
        let pair = Pair()
        let writer = Task { try await pair.link.whileCancellable { try await pair.link.write(Self.much) } }
        while isWaiting, pair.drain().isEmpty { await Task.yield() }
        writer.cancel()
        await #expect(throws: LinkError.closed) { try await writer.value }
    }

    @Test("Every read of a cancelled task ends, whenever it is cancelled")
    func cancelledRead() async throws {
        let pair = Pair()
        for yields in 0..<100 {
            // Each round has its own deadline, because all rounds together may take minutes beside other tests.
            let deadline = self.soon
            let reader = Task {
                try await pair.link.whileCancellable {
                    [try await pair.link.read(until: deadline), try await pair.link.read(until: deadline)]
                }
            }
            for _ in 0..<(yields % 10) { await Task.yield() }
            reader.cancel()
            #expect(try await reader.value == [.interrupted, .interrupted])
            // The wake-up may have arrived between the two reads.
            while try await pair.link.read(until: BootClock().now) == .interrupted {}
        }
    }

    @Test("Closing ends a waiting write")
    func closeWhileWriting() async {
        let pair = Pair()
        let writer = Task { try await pair.link.write(Self.much) }
        while pair.drain().isEmpty { await Task.yield() }
        pair.link.close()
        await #expect(throws: LinkError.closed) { try await writer.value }
    }

    @Test("Closing ends a read at any moment, and never the read of another link")
    func closeWhileReading() async throws {
        for _ in 0..<2000 {
            let pair = Pair()
            let deadline = self.soon
            let reader = Task { try await pair.link.read(until: deadline) }
            await Task.yield()
            pair.link.close()
            // The next link most likely gets the same descriptor number.
            let next = Pair()
            let other = Task { try await next.link.read(until: deadline) }
            var byte: UInt8 = 0x3E
            #expect(unsafe Glibc.write(next.other, &byte, 1) == 1)
            #expect(try await other.value == .bytes([0x3E]))
            await #expect(throws: LinkError.closed) { try await reader.value }
            next.link.close()
        }
    }

    @Test("A link that is closed or released closes its descriptor exactly once")
    func descriptors() async {
        for isReleased in [false, true] {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            #expect(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
            var byte: UInt8 = 0
            do {
                let link = DescriptorLink(ends[0], address: "test", isSocket: true)
                #expect(unsafe Glibc.read(ends[1], &byte, 1) == -1)
                if !isReleased {
                    link.close()
                    link.close()
                }
            }
            // The stream ends, so neither this process nor another holds the other end.
            let end = await EventLoop.shared.wait(for: ends[1], .readable, until: self.soon, Waiter())
            #expect(end == .ready)
            #expect(unsafe Glibc.read(ends[1], &byte, 1) == 0)
            Glibc.close(ends[1])
        }
    }
}
