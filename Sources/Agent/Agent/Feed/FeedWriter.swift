// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Uplink

/// Writes the lines for one reader of the feed, as fast as the reader reads.
struct FeedWriter {
    /// The reason why the writer has ended.
    enum Ending: Hashable, Sendable {
        /// The reader is gone, or the agent ends.
        case over
        /// The reader read too slowly.
        case dropped
    }

    let socket: LocalSocket
    /// The waiter that is notified of new lines.
    let waiter: Waiter
    let stop: FeedStop
    let clock: any MonotonicClock
    /// Returns the next bytes.
    let take: @Sendable () async -> FeedReaders.Output
    /// Tells that the reader accepts nothing.
    let stalled: @Sendable () async -> Void
    /// The longest time for which a reader may accept no byte.
    var stallLimit = Duration.seconds(10)
    /// The time without a line after which the reader is told that the agent lives.
    var heartbeat = FeedGreeting.usualHeartbeat

    /// Writes until the last line, or until the reader is gone.
    func run() async -> Ending {
        var isIdle = false
        while !Task.isCancelled {
            switch await self.take() {
            case .wait where isIdle:
                // The owner of the lines has answered, so it is not the writer alone that lives.
                isIdle = false
                guard case .sent = await self.send(FeedLine.heartbeat.bytes) else { return .over }
            case .wait:
                let deadline = self.clock.now + self.heartbeat
                if await self.socket.wait(for: .hangUp, until: deadline, self.waiter) == .ready { return .over }
                isIdle = self.clock.now >= deadline
            case .last(let bytes):
                // The reader that is too slow gets as long to read why.
                _ = await self.send(bytes)
                return self.stop.hasBegun ? .over : .dropped
            case .bytes(let bytes):
                switch await self.send(bytes) {
                case .sent: continue
                case .closed: return .over
                case .stalled(let count):
                    if self.stop.hasBegun { return .over }
                    await self.stalled()
                    // The line that was begun is completed, so that the last one is a line of its own.
                    if case .sent = await self.send(Self.restOfLine(in: bytes, after: count)) { continue }
                    return .dropped
                }
            }
        }
        return .over
    }

    /// Returns the bytes up to the end of a line of which a part was sent; none between two lines.
    static func restOfLine(in bytes: [UInt8], after count: Int) -> [UInt8] {
        guard count > 0, bytes[count - 1] != FeedLine.newline else { return [] }
        let rest = bytes[count...]
        let end = rest.firstIndex(of: FeedLine.newline) ?? rest.endIndex - 1
        return Array(rest[...end])
    }

    private enum Sending {
        case sent
        /// The reader has accepted this number of bytes, and then none for ``stallLimit``.
        case stalled(Int)
        case closed
    }

    private func send(_ bytes: [UInt8]) async -> Sending {
        var rest = bytes[...]
        var deadline = self.clock.now + self.stallLimit
        while !rest.isEmpty {
            guard !Task.isCancelled, let count = self.socket.send(rest) else { return .closed }
            rest = rest.dropFirst(count)
            if rest.isEmpty { break }
            if count > 0 { deadline = self.clock.now + self.stallLimit }
            let end = min(deadline, self.stop.deadline ?? deadline)
            if self.clock.now >= end { return .stalled(rest.startIndex) }
            _ = await self.socket.wait(for: .writable, until: end, self.waiter)
        }
        return .sent
    }
}
