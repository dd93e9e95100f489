// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import EventLoop
import Testing

@testable import Uplink

@Suite("Readers of the feed")
struct FeedReadersTests {
    private static func id(_ action: FeedReaders.AddAction) -> FeedReaders.ID? {
        if case .serve(let id) = action { id } else { nil }
    }

    /// Takes all that waits for a reader, as text.
    private static func drain(_ readers: inout FeedReaders, _ id: FeedReaders.ID) -> (text: String, isLast: Bool) {
        var bytes: [UInt8] = []
        while true {
            switch readers.take(for: id) {
            case .bytes(let more): bytes += more
            case .wait: return (String(decoding: bytes, as: UTF8.self), false)
            case .last(let more): return (String(decoding: bytes + more, as: UTF8.self), true)
            }
        }
    }

    private static func line(_ text: String, bytes: Int = 0) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "."), count: bytes) + [FeedLine.newline]
    }

    @Test("A reader gets what was there first, then each line once, in order")
    func order() throws {
        var readers = FeedReaders()
        #expect(readers.isEmpty && readers.append(Self.line("lost")).isEmpty)
        let id = try #require(Self.id(readers.add([Self.line("a"), Self.line("b")], waking: {})))
        _ = readers.append(Self.line("c"))
        #expect(Self.drain(&readers, id) == ("a\nb\nc\n", false))
        _ = readers.append(Self.line("d"))
        #expect(Self.drain(&readers, id) == ("d\n", false))
        readers.remove(id)
        #expect(readers.isEmpty && readers.take(for: id) == .last([]))
    }

    @Test("A writer is woken when its queue was empty, and not for each line")
    func waking() throws {
        let count = Locked(0)
        var readers = FeedReaders()
        let id = try #require(Self.id(readers.add([], waking: { count.withLock { $0 += 1 } })))
        for _ in 0..<3 { for wake in readers.append(Self.line("x")) { wake() } }
        #expect(count.withLock { $0 } == 1)
        _ = Self.drain(&readers, id)
        for wake in readers.append(Self.line("x")) { wake() }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("There are so many readers and no more; one that leaves makes room")
    func limit() throws {
        var readers = FeedReaders()
        let ids = (0..<FeedReaders.limit).compactMap { _ in Self.id(readers.add([], waking: {})) }
        #expect(ids.count == FeedReaders.limit && readers.add([], waking: {}) == .refuse(.full))
        readers.remove(try #require(ids.first))
        #expect(Self.id(readers.add([], waking: {})) != nil)
    }

    @Test("A queue is bounded: its reader is dropped with a reason, and the others go on")
    func slowReader() throws {
        var readers = FeedReaders()
        let slow = try #require(Self.id(readers.add([Self.line("old")], waking: {})))
        let other = try #require(Self.id(readers.add([], waking: {})))
        var size = 0
        while size <= FeedReaders.queueLimit {
            _ = readers.append(Self.line("x", bytes: 60_000))
            size += Self.drain(&readers, other).text.utf8.count
        }
        #expect(Self.drain(&readers, slow) == (#"{"end":"slow"}"# + "\n", true))
        _ = readers.append(Self.line("y"))
        #expect(Self.drain(&readers, other) == ("y\n", false))
        #expect(Self.drain(&readers, slow).isLast)
    }

    @Test("A reader that accepts nothing is dropped with a reason")
    func stalledReader() throws {
        var readers = FeedReaders()
        let id = try #require(Self.id(readers.add([Self.line("old")], waking: {})))
        readers.stalled(id)
        _ = readers.append(Self.line("new"))
        #expect(Self.drain(&readers, id) == (#"{"end":"slow"}"# + "\n", true))
    }

    @Test("A line that no reader accepts is left out")
    func longLine() throws {
        var readers = FeedReaders()
        let id = try #require(Self.id(readers.add([], waking: {})))
        #expect(readers.append(Self.line("", bytes: FeedLine.limit)).isEmpty)
        _ = readers.append(Self.line("", bytes: FeedLine.limit - 1))
        #expect(Self.drain(&readers, id).text.utf8.count == FeedLine.limit)
    }

    @Test("At the end each reader gets what waits for it and the reason, and no more readers come")
    func end() throws {
        let count = Locked(0)
        var readers = FeedReaders()
        let busy = try #require(Self.id(readers.add([Self.line("a")], waking: { count.withLock { $0 += 1 } })))
        let idle = try #require(Self.id(readers.add([], waking: { count.withLock { $0 += 1 } })))
        for wake in readers.close() { wake() }
        #expect(count.withLock { $0 } == 2)
        #expect(Self.drain(&readers, busy) == ("a\n" + #"{"end":"stopping"}"# + "\n", true))
        #expect(Self.drain(&readers, idle) == (#"{"end":"stopping"}"# + "\n", true))
        #expect(readers.add([], waking: {}) == .refuse(.stopping))
    }
}
