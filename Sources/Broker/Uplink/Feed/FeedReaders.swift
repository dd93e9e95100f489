// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The programs on this machine that read the feed, each with a bounded queue of lines.
///
/// A writer takes the lines of its queue, and waits to be woken once the queue is empty. The lines of several queues share
/// their bytes.
package struct FeedReaders: Sendable {
    /// The largest number of readers.
    package static let limit = 8
    /// The largest number of bytes that wait for a reader: more than one snapshot.
    package static let queueLimit = 1_048_576
    /// The least number of bytes that are taken at once, if so many wait.
    private static let portion = 16_384

    /// Wakes the writer of a reader.
    package typealias Wake = @Sendable () -> Void
    package typealias ID = Int

    private struct Reader: Sendable {
        let wake: Wake
        var lines: [[UInt8]] = []
        var size = 0
        /// The reason for which no further lines are queued.
        var end: FeedEnd?

        mutating func append(_ line: [UInt8]) {
            self.lines.append(line)
            self.size += line.count
        }

        /// Drops what waits, and has the reader end.
        mutating func finish(_ reason: FeedEnd, dropping: Bool) {
            if dropping { (self.lines, self.size) = ([], 0) }
            self.end = reason
        }
    }

    private var readers: [ID: Reader] = [:]
    private var lastID: ID = 0
    /// Whether the agent ends, and takes no more readers.
    private var isClosed = false

    package init() {}

    package var isEmpty: Bool { self.readers.isEmpty }

    /// The action after a reader has come.
    package enum AddAction: Hashable, Sendable {
        /// The reader is served until ``remove(_:)``.
        case serve(ID)
        /// The reader is refused.
        case refuse(FeedEnd)
    }

    /// A reader has come.
    ///
    /// - Parameters:
    ///   - snapshot: the lines that the agent has for it at once.
    ///   - wake: wakes its writer.
    package mutating func add(_ snapshot: [[UInt8]], waking wake: @escaping Wake) -> AddAction {
        guard !self.isClosed else { return .refuse(.stopping) }
        guard self.readers.count < Self.limit else { return .refuse(.full) }
        self.lastID += 1
        var reader = Reader(wake: wake)
        for line in snapshot { reader.append(line) }
        self.readers[self.lastID] = reader
        return .serve(self.lastID)
    }

    /// Queues a line for all readers; one whose queue is full is dropped.
    ///
    /// - Returns: the writers to wake.
    package mutating func append(_ line: [UInt8]) -> [Wake] {
        // No reader accepts a longer one.
        guard line.count <= FeedLine.limit else { return [] }
        var wakes: [Wake] = []
        for id in self.readers.keys {
            guard var reader = self.readers[id], reader.end == nil else { continue }
            if reader.lines.isEmpty { wakes.append(reader.wake) }
            if reader.size + line.count <= Self.queueLimit {
                reader.append(line)
            } else {
                reader.finish(.slow, dropping: true)
            }
            self.readers[id] = reader
        }
        return wakes
    }

    /// The next bytes for a reader.
    package enum Output: Hashable, Sendable {
        case bytes([UInt8])
        /// The writer has to wait until it is woken.
        case wait
        /// The writer sends these bytes, and ends.
        case last([UInt8])
    }

    /// Takes the next bytes of a reader.
    package mutating func take(for id: ID) -> Output {
        guard var reader = self.readers[id] else { return .last([]) }
        guard !reader.lines.isEmpty else {
            return reader.end.map { .last(FeedLine.end($0).bytes) } ?? .wait
        }
        var (bytes, count) = ([UInt8](), 0)
        while bytes.count < Self.portion, count < reader.lines.count {
            bytes += reader.lines[count]
            count += 1
        }
        reader.lines.removeFirst(count)
        reader.size -= bytes.count
        self.readers[id] = reader
        return .bytes(bytes)
    }

    /// A reader has accepted no bytes for too long: all that waits is dropped.
    package mutating func stalled(_ id: ID) { self.readers[id]?.finish(.slow, dropping: true) }

    /// A reader is gone.
    package mutating func remove(_ id: ID) { self.readers[id] = nil }

    /// The agent ends: each reader gets what waits for it, and the reason.
    ///
    /// - Returns: the writers to wake.
    package mutating func close() -> [Wake] {
        self.isClosed = true
        for id in self.readers.keys where self.readers[id]?.end == nil {
            self.readers[id]?.finish(.stopping, dropping: false)
        }
        return self.readers.values.map(\.wake)
    }
}
