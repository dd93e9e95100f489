// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The readings of one source in time order, packed as differences: three to four bytes for each reading as a rule.
struct CaptureColumn: Sendable {
    /// A reading without its source: milliseconds since the boot, and steps.
    struct Point: Hashable, Sendable {
        var milliseconds: Int64
        var steps: Int64
    }

    /// The length of a removed beginning from which on the bytes are moved.
    private static let slack = 512

    /// The differences between neighbors: zigzag numbers of 7 bits a byte, the time before the steps.
    private var bytes: [UInt8] = []
    /// The number of bytes at the beginning that belong to removed readings.
    private var head = 0
    private(set) var first: Point
    private var last: Point
    private(set) var count = 1

    init(_ point: Point) {
        self.first = point
        self.last = point
    }

    /// The size of the packed differences in bytes.
    var size: Int { self.bytes.count - self.head }

    /// Appends a reading; one that is older than the last counts as read with that.
    mutating func append(_ point: Point) {
        let milliseconds = max(point.milliseconds, self.last.milliseconds)
        Self.write(milliseconds &- self.last.milliseconds, to: &self.bytes)
        Self.write(point.steps &- self.last.steps, to: &self.bytes)
        self.last = Point(milliseconds: milliseconds, steps: point.steps)
        self.count += 1
    }

    /// Removes the first reading.
    ///
    /// - Returns: false if it is the only one, and stays.
    mutating func removeFirst() -> Bool {
        guard self.count > 1 else { return false }
        Self.advance(&self.first, in: self.bytes, &self.head)
        self.count -= 1
        if self.head > Self.slack, self.head > self.bytes.count / 2 {
            self.bytes.removeFirst(self.head)
            self.head = 0
        }
        return true
    }

    /// All readings in the order of their times.
    var points: [Point] {
        var points: [Point] = []
        points.reserveCapacity(self.count)
        var (point, place) = (self.first, self.head)
        points.append(point)
        while place < self.bytes.count {
            Self.advance(&point, in: self.bytes, &place)
            points.append(point)
        }
        return points
    }

    private static func advance(_ point: inout Point, in bytes: [UInt8], _ place: inout Int) {
        point.milliseconds = point.milliseconds &+ Self.read(bytes, &place)
        point.steps = point.steps &+ Self.read(bytes, &place)
    }

    private static func write(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func read(_ bytes: [UInt8], _ place: inout Int) -> Int64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            number |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
