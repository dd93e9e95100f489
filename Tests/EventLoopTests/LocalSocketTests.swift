// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Sockets of this machine", .timeLimit(.minutes(1)))
struct LocalSocketTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(self.directory.path)/test.sock" }
    private var never: MonotonicTime { BootClock().now + .seconds(3600) }

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    /// Both ends of a connection, until they are closed.
    private struct Connection {
        var ours: LocalSocket?
        var other: LocalSocket?
    }

    private func connection() async throws -> Connection {
        let listener = try LocalListener(at: self.path)
        let other = try LocalSocket.connect(to: self.path)
        return Connection(ours: await listener.accept(Waiter()), other: other)
    }

    @Test("Bytes arrive, and the end of the connection is the end of the bytes")
    func bytes() async throws {
        var ends = try await self.connection()
        let other = try #require(ends.other)
        #expect(other.receive() == [])
        #expect(ends.ours?.send([1, 2, 3]) == 3)
        #expect(await other.wait(for: .readable, until: self.never, Waiter()) == .ready)
        #expect(other.receive() == [1, 2, 3])
        ends.ours = nil
        #expect(await other.wait(for: .readable, until: self.never, Waiter()) == .ready)
        #expect(other.receive() == nil && other.send([1]) == nil)
    }

    @Test("A peer that does not read blocks nothing: the kernel takes what fits")
    func fullBuffer() async throws {
        let ends = try await self.connection()
        let (ours, other) = (try #require(ends.ours), try #require(ends.other))
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        var sent = 0
        while let count = ours.send(bytes[...]), count > 0 { sent += count }
        #expect(sent > 0 && ours.send(bytes[...]) == 0)
        async let isWritable = ours.wait(for: .writable, until: self.never, Waiter())
        while other.receive() != [] {}
        #expect(await isWritable == .ready)
    }

    @Test("A wait for the hang-up ends with the peer, and not with bytes that nobody reads")
    func hangUp() async throws {
        var ends = try await self.connection()
        let ours = try #require(ends.ours)
        #expect(ends.other?.send([1, 2, 3]) == 3)
        #expect(await ours.wait(for: .hangUp, until: BootClock().now + .milliseconds(20), Waiter()) == .deadline)
        ends.other = nil
        #expect(await ours.wait(for: .hangUp, until: self.never, Waiter()) == .ready)
    }

    @Test("Owner and group may use the socket, which is gone with its listener")
    func mode() throws {
        var listener: LocalListener? = try LocalListener(at: self.path)
        var status = stat()
        #expect(unsafe stat(self.path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFSOCK && status.st_mode & 0o777 == 0o660)
        #expect(throws: LocalSocketProblem.inUse) { try LocalListener(at: self.path) }
        _ = listener
        listener = nil
        #expect(throws: LocalSocketProblem.absent) { try LocalSocket.connect(to: self.path) }
        #expect(unsafe stat(self.path, &status) != 0)
    }

    @Test("The socket of a process that was killed is replaced, another file never")
    func remains() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: self.path.utf8) }
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        #expect(isBound && close(descriptor) == 0)
        #expect(throws: LocalSocketProblem.absent) { try LocalSocket.connect(to: self.path) }
        _ = try LocalListener(at: self.path)
        let file = try self.directory.write("mine", to: "file")
        #expect(throws: LocalSocketProblem.notASocket) { try LocalListener(at: file) }
        #expect(TextFile.read(file) == "mine")
    }

    @Test("A path that no socket can have, or without a folder, is an error")
    func wrongPaths() {
        let long = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: LocalSocketProblem.longPath) { try LocalSocket.connect(to: long) }
        #expect(throws: LocalSocketProblem.longPath) { try LocalListener(at: long) }
        #expect(throws: LocalSocketProblem.absent) { try LocalListener(at: "\(self.directory.path)/none/test.sock") }
        #expect(throws: LocalSocketProblem.absent) { try LocalSocket.connect(to: "\(self.directory.path)/none") }
    }

    @Test("A notified waiter ends the wait for a connection")
    func stop() async throws {
        let listener = try LocalListener(at: self.path)
        let waiter = Waiter()
        async let socket = listener.accept(waiter)
        waiter.notify()
        #expect(await socket == nil)
    }
}
