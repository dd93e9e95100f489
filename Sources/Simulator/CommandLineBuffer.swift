// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// The line that a client is sending to an adapter, and the last one.
struct CommandLineBuffer: Sendable {
    /// The longest command line in bytes.
    private static let limit = 255
    /// The time after which an unfinished line is dropped.
    private static let timeout = Duration.seconds(20)

    private var line: [UInt8] = []
    private var isTooLong = false
    /// The time at which the unfinished line is dropped.
    private(set) var expires: MonotonicTime?
    private var last: [UInt8] = []

    /// Adds a printable byte that was received at `time`.
    ///
    /// Spaces are left out.
    mutating func append(_ byte: UInt8, at time: MonotonicTime) {
        self.expires = time + Self.timeout
        guard byte != UInt8(ascii: " ") else { return }
        self.isTooLong = self.isTooLong || self.line.count == Self.limit
        if !self.isTooLong { self.line.append(byte) }
    }

    /// Drops the unfinished line.
    mutating func drop() {
        self.line = []
        self.isTooLong = false
        self.expires = nil
    }

    /// Forgets the last line.
    mutating func forget() { self.last = [] }

    /// Ends the line, and returns it in capitals; the last one if it is empty, and nil if it is too long.
    mutating func finish() -> String? {
        let (line, isTooLong) = (self.line, self.isTooLong)
        self.drop()
        guard !isTooLong else { return nil }
        if !line.isEmpty { self.last = line }
        return String(decoding: self.last, as: UTF8.self).uppercased()
    }
}
