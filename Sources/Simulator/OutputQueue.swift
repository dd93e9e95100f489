// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// The output of an adapter: pieces of bytes with the time at which the last byte of each has left the UART.
struct OutputQueue: Sendable {
    /// The capacity in bytes.
    ///
    /// Further bytes are dropped, as a real adapter drops them while the client does not read.
    private static let limit = 16_384

    /// The time that one byte takes on the wire.
    private let byteTime: Duration
    private var pieces: [(time: MonotonicTime, bytes: [UInt8])] = []
    private var size = 0
    private var busyUntil: MonotonicTime = .zero

    /// - Parameter baudRate: the bit rate in bit/s, with ten bits to a byte. With nil, bytes leave at once.
    init(baudRate: Int?) {
        self.byteTime = baudRate.map { .nanoseconds(10_000_000_000 / Int64(max(300, $0))) } ?? .zero
    }

    var next: MonotonicTime? { self.pieces.first?.time }

    /// Returns the number of bytes that have not left at `time`.
    func backlog(at time: MonotonicTime) -> Int {
        guard self.byteTime > .zero, self.busyUntil > time else { return 0 }
        return Int((self.busyUntil - time) / self.byteTime)
    }

    /// Adds `bytes` that are ready to leave at `time`.
    ///
    /// - Returns: the time at which the last byte has left.
    @discardableResult
    mutating func append(_ bytes: [UInt8], at time: MonotonicTime) -> MonotonicTime {
        guard self.size + bytes.count <= Self.limit else { return max(self.busyUntil, time) }
        self.busyUntil = max(self.busyUntil, time) + self.byteTime * bytes.count
        guard !bytes.isEmpty else { return self.busyUntil }
        self.size += bytes.count
        if let end = self.pieces.indices.last, self.pieces[end].time == self.busyUntil {
            self.pieces[end].bytes += bytes
        } else {
            self.pieces.append((self.busyUntil, bytes))
        }
        return self.busyUntil
    }

    /// Drops the pieces that have not left at `time`.
    mutating func cancel(after time: MonotonicTime) {
        self.pieces.removeAll { $0.time > time }
        self.size = self.pieces.reduce(0) { $0 + $1.bytes.count }
        self.busyUntil = time
    }

    /// Drops all bytes, because nobody reads them.
    mutating func removeAll() { (self.pieces, self.size, self.busyUntil) = ([], 0, .zero) }

    /// Removes and returns the bytes that have left at `time`.
    mutating func take(at time: MonotonicTime) -> [UInt8] {
        let count = self.pieces.firstIndex { $0.time > time } ?? self.pieces.count
        let bytes = self.pieces[..<count].flatMap(\.bytes)
        self.pieces.removeFirst(count)
        self.size -= bytes.count
        return bytes
    }
}
