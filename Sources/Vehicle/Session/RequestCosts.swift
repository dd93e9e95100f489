// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The measured duration of requests on this link, by the number of packets that an answer fills.
///
/// A packet has the smallest payload of Bluetooth LE. On links without packets it serves as a unit of length.
struct RequestCosts: Sendable {
    /// The properties of an answer on which its duration depends.
    struct Class: Hashable, Sendable {
        /// The number of packets of 20 bytes that its text fills.
        var packets: Int
        /// Whether the adapter had a frame count.
        var isCounted: Bool
    }

    private static let payload = 20
    /// An average of the last measurements.
    private struct Mean: Sendable {
        /// The approximate number of measurements in the average.
        static let memory = 32

        var time = Duration.zero
        var count = 0

        mutating func add(_ time: Duration) {
            self.count = min(self.count + 1, Self.memory)
            self.time += (time - self.time) / self.count
        }
    }

    private var times: [Class: Mean] = [:]
    /// The durations by the number of PIDs in a request.
    private var byCount: [Int: Mean] = [:]
    private var all = Mean()

    /// The average duration of the last requests of all kinds; nil before the first.
    var mean: Duration? { self.all.count == 0 ? nil : self.all.time }

    /// Returns the class of an answer with `length` characters.
    static func `class`(length: Int, isCounted: Bool) -> Class {
        Class(packets: (length + Self.payload - 1) / Self.payload, isCounted: isCounted)
    }

    /// Records the duration of a request.
    ///
    /// - Parameters:
    ///   - count: the number of PIDs in the request.
    ///   - kind: the class of the answer; nil if it is not known.
    mutating func requestEnded(after time: Duration, count: Int, _ kind: Class?) {
        self.all.add(time)
        self.byCount[count, default: Mean()].add(time)
        if let kind { self.times[kind, default: Mean()].add(time) }
    }

    /// Returns the expected duration of a request by the class of its answer; nil before the first measurement.
    ///
    /// A class without a measurement is assumed to take as long as the largest smaller one, so that it is tried.
    func time(of kind: Class) -> Duration? {
        if let known = self.times[kind] { return known.time }
        let same = self.times.keys.filter { $0.isCounted == kind.isCounted }
        let nearest =
            same.filter { $0.packets < kind.packets }.max { $0.packets < $1.packets }
            ?? same.min { $0.packets < $1.packets }
        return nearest.flatMap { self.times[$0]?.time }
    }

    /// Returns the share of one PID in requests with up to `limit` PIDs; nil before the first measurement.
    func share(limit: Int) -> Duration? {
        let known = self.byCount.filter { $0.key <= limit }.map { $0.value.time / $0.key }
        guard let best = known.min() else { return self.mean }
        // Requests that are larger than all so far are assumed to take as long as the largest.
        guard limit > 1, let largest = self.byCount.keys.filter({ $0 <= limit }).max(), largest < limit,
            let time = self.byCount[largest]?.time
        else { return best }
        return min(best, time / limit)
    }
}
