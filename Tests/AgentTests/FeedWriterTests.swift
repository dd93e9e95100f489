// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Logging
import MQTT
import Store
import TestSupport
import Testing

@testable import Agent
@testable import Uplink

@Suite("The agent's socket", .timeLimit(.minutes(10)))
struct FeedWriterTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(self.directory.path)/live.sock" }

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    /// Reads until the end, or until as many lines have come; returns the lines, and what follows the last one.
    ///
    /// - Parameter begun: the bytes that were read before.
    private static func read(
        _ socket: LocalSocket,
        lines count: Int = .max,
        after begun: [UInt8] = []
    ) async -> (lines: [[UInt8]], rest: [UInt8]) {
        var bytes = begun
        // A test that is over its time is cancelled, and then no wait takes any time.
        var isWhole = false
        while !Task.isCancelled, !isWhole, let more = socket.receive() {
            bytes += more
            if more.isEmpty {
                _ = await socket.wait(for: .readable, until: BootClock().now + .seconds(60), Waiter())
            }
            isWhole = bytes.count(where: { $0 == FeedLine.newline }) >= count && Self.parts(bytes).count > count
        }
        let parts = Self.parts(bytes)
        return (parts.dropLast(), parts.last ?? [])
    }

    /// Returns the lines without the heartbeats of a slow machine, and what follows the last one.
    private static func parts(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: FeedLine.newline, omittingEmptySubsequences: false).map(Array.init)
            .filter { $0 + [FeedLine.newline] != FeedLine.heartbeat.bytes }
    }

    @Test("The rest of a line is what completes it; between two lines there is none")
    func restOfLine() {
        let bytes = Array("one\ntwo\nthree\n".utf8)
        func rest(_ count: Int) -> String {
            String(decoding: FeedWriter.restOfLine(in: bytes, after: count), as: UTF8.self)
        }
        #expect([0, 1, 3, 4, 5, 13].map(rest) == ["", "ne\n", "\n", "", "wo\n", "\n"])
    }

    @Test("A reader that accepts nothing for too long is dropped, and finds whole lines and the reason")
    func stalledReader() async throws {
        let listener = try LocalListener(at: self.path)
        let reader = try LocalSocket.connect(to: self.path)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 9999) + [FeedLine.newline]
        let readers = Locked(FeedReaders())
        // More than any buffer of the kernel.
        let action = readers.withLock { $0.add(Array(repeating: line, count: 2000), waking: {}) }
        guard case .serve(let id) = action else { throw CancellationError() }
        let begun = Locked<[UInt8]>([])
        let ending = try await Self.write(
            to: listener,
            take: { readers.withLock { $0.take(for: id) } },
            stalled: {
                readers.withLock { $0.stalled(id) }
                // The reader begins to read.
                while let bytes = reader.receive(), !bytes.isEmpty { begun.withLock { $0 += bytes } }
            }
        )
        #expect(ending == .dropped)
        let (lines, rest) = await Self.read(reader, after: begun.withLock { $0 })
        #expect(lines.last == FeedLine.end(.slow).bytes.dropLast() && rest.isEmpty)
        #expect(lines.dropLast().allSatisfy { $0.count == 9999 } && lines.count < 2000)
    }

    @Test("A reader hears that the agent lives, for which nothing comes")
    func heartbeat() async throws {
        let listener = try LocalListener(at: self.path)
        let reader = try LocalSocket.connect(to: self.path)
        let takes = Locked(0)
        let ending = try await Self.write(
            to: listener,
            take: {
                let count = takes.withLock { count in
                    count += 1
                    return count
                }
                return count < 5 ? .wait : .last(FeedLine.end(.stopping).bytes)
            },
            stalled: {}
        )
        #expect(ending == .dropped)
        var bytes: [UInt8] = []
        while let more = reader.receive(), !more.isEmpty { bytes += more }
        #expect(bytes == FeedLine.heartbeat.bytes + FeedLine.heartbeat.bytes + FeedLine.end(.stopping).bytes)
    }

    /// Runs the writer of the next connection to its end, and closes the connection.
    private static func write(
        to listener: LocalListener,
        take: @escaping @Sendable () async -> FeedReaders.Output,
        stalled: @escaping @Sendable () async -> Void
    ) async throws -> FeedWriter.Ending {
        var writer = FeedWriter(
            socket: try #require(await listener.accept(Waiter())),
            waiter: Waiter(),
            stop: FeedStop(on: BootClock()),
            clock: BootClock(),
            take: take,
            stalled: stalled
        )
        (writer.stallLimit, writer.heartbeat) = (.milliseconds(20), .milliseconds(20))
        return await writer.run()
    }

    private func uplink() throws -> Uplink {
        try Uplink(
            UplinkOptions(
                servers: [Server(host: "broker.example", port: 8883)],
                username: nil,
                topicPrefix: try Topic("obd"),
                agent: "a1b2",
                boot: "b",
                batchInterval: .seconds(10),
                compressesTelemetry: false,
                storeWindow: .seconds(10)
            ),
            vehicle: "van",
            store: Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1)),
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in throw .notConnected }
        )
    }

    /// Starts a service to which readers can connect at once.
    private func start(_ uplink: Uplink) throws -> Task<Void, Never> {
        let service = FeedService(
            path: self.path,
            uplink: uplink,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        return Task { [listener = try LocalListener(at: self.path)] in
            await service.serve(listener, until: FeedStop(on: BootClock()))
        }
    }

    @Test("A reader that does not read is dropped with a reason, while another one gets every line")
    func hostileReader() async throws {
        let uplink = try self.uplink()
        let service = try self.start(uplink)
        let (hostile, reader) = (try LocalSocket.connect(to: self.path), try LocalSocket.connect(to: self.path))
        // What a reader sends is read by nobody.
        #expect(hostile.send([UInt8](repeating: 0, count: 10_000)[...]) ?? 0 > 0)
        for socket in [hostile, reader] { #expect(await Self.read(socket, lines: 3).lines.count >= 3) }
        var event = AgentEvent(.started)
        event.reason = String(repeating: "x", count: 100_000)
        for _ in 0..<20 {
            await uplink.record(event)
            #expect(await Self.read(reader, lines: 1).lines.count == 1)
        }
        let (lines, rest) = await Self.read(hostile)
        #expect(lines.last == FeedLine.end(.slow).bytes.dropLast() && rest.isEmpty && lines.count < 20)
        service.cancel()
        await service.value
    }

    @Test("So many programs read, and one more is told; the place of one that is gone is free")
    func limit() async throws {
        let uplink = try self.uplink()
        let service = try self.start(uplink)
        var readers: [LocalSocket] = []
        for _ in 0..<FeedReaders.limit {
            readers.append(try LocalSocket.connect(to: self.path))
            #expect(await Self.read(readers[readers.count - 1], lines: 1).lines.count >= 1)
        }
        let refused = await Self.read(try LocalSocket.connect(to: self.path))
        #expect(refused.lines == [FeedLine.end(.full).bytes.dropLast()])
        readers.removeLast()
        try await within("a free place") {
            while await Self.read(try LocalSocket.connect(to: self.path), lines: 1).lines.first == refused.lines[0] {}
        }
        service.cancel()
        await service.value
    }
}
