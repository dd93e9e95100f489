// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// What an adapter is about to send: bytes with the times at which the last of each piece has left its UART.
struct OutputQueue: Sendable {
    /// A client that does not read loses what is beyond this; no real adapter would keep it either.
    private static let limit = 16_384

    /// How long one byte takes on the wire.
    private let byteTime: Duration
    private var pieces: [(time: MonotonicTime, bytes: [UInt8])] = []
    private var size = 0
    private var last: MonotonicTime = .zero

    /// - Parameter baudRate: bits a second, ten to a byte; none for at once.
    init(baudRate: Int?) {
        self.byteTime = baudRate.map { .nanoseconds(10_000_000_000 / Int64(max(300, $0))) } ?? .zero
    }

    var next: MonotonicTime? { self.pieces.first?.time }

    /// How many bytes are still on their way at `time`.
    func backlog(at time: MonotonicTime) -> Int {
        guard self.byteTime > .zero, self.last > time else { return 0 }
        return Int((self.last - time) / self.byteTime)
    }

    /// Adds `bytes` that are ready to leave at `time`.
    ///
    /// - Returns: when they have left.
    @discardableResult
    mutating func append(_ bytes: [UInt8], at time: MonotonicTime) -> MonotonicTime {
        guard self.size + bytes.count <= Self.limit else { return max(self.last, time) }
        self.last = max(self.last, time) + self.byteTime * bytes.count
        guard !bytes.isEmpty else { return self.last }
        self.size += bytes.count
        if let end = self.pieces.indices.last, self.pieces[end].time == self.last {
            self.pieces[end].bytes += bytes
        } else {
            self.pieces.append((self.last, bytes))
        }
        return self.last
    }

    /// Takes back what has not left at `time`.
    mutating func cancel(after time: MonotonicTime) {
        self.pieces.removeAll { $0.time > time }
        self.size = self.pieces.reduce(0) { $0 + $1.bytes.count }
        self.last = time
    }

    /// Takes out what has left at `time`.
    mutating func take(at time: MonotonicTime) -> [UInt8] {
        let count = self.pieces.firstIndex { $0.time > time } ?? self.pieces.count
        let bytes = self.pieces[..<count].flatMap(\.bytes)
        self.pieces.removeFirst(count)
        self.size -= bytes.count
        return bytes
    }
}
