// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// What requests take on this link, as it was measured: by the number of packets that an answer fills.
///
/// A packet is what the smallest Bluetooth LE payload holds; on links without packets it is a measure as good as any.
struct RequestCosts: Sendable {
    /// What an answer is like, as far as its time depends on it.
    struct Class: Hashable, Sendable {
        /// How many packets of 20 bytes its text fills.
        var packets: Int
        /// Whether the adapter knew how many frames to wait for.
        var isCounted: Bool
    }

    private static let payload = 20
    /// An average of the last measurements.
    private struct Mean: Sendable {
        /// Of about how many.
        static let memory = 32

        var time = Duration.zero
        var count = 0

        mutating func add(_ time: Duration) {
            self.count = min(self.count + 1, Self.memory)
            self.time += (time - self.time) / self.count
        }
    }

    private var times: [Class: Mean] = [:]
    /// By the number of PIDs in a request.
    private var byCount: [Int: Mean] = [:]
    private var all = Mean()

    /// On the average of the last requests, whatever they asked; nil until there was one.
    var mean: Duration? { self.all.count == 0 ? nil : self.all.time }

    /// The class of an answer of so many characters.
    static func `class`(length: Int, isCounted: Bool) -> Class {
        Class(packets: (length + Self.payload - 1) / Self.payload, isCounted: isCounted)
    }

    /// A request took `time`.
    ///
    /// - Parameters:
    ///   - count: of how many PIDs.
    ///   - kind: what its answer was like; nil where that is not known.
    mutating func took(_ time: Duration, count: Int, _ kind: Class?) {
        self.all.add(time)
        self.byCount[count, default: Mean()].add(time)
        if let kind { self.times[kind, default: Mean()].add(time) }
    }

    /// What a request takes whose answer is like this.
    ///
    /// What was never measured takes as long as the largest smaller one, so that it is tried; nil where nothing was.
    func time(of kind: Class) -> Duration? {
        if let known = self.times[kind] { return known.time }
        let same = self.times.keys.filter { $0.isCounted == kind.isCounted }
        let nearest =
            same.filter { $0.packets < kind.packets }.max { $0.packets < $1.packets }
            ?? same.min { $0.packets < $1.packets }
        return nearest.flatMap { self.times[$0]?.time }
    }

    /// What one of many PIDs takes where requests have up to `limit`; nil until something was measured.
    func share(limit: Int) -> Duration? {
        let known = self.byCount.filter { $0.key <= limit }.map { $0.value.time / $0.key }
        guard let best = known.min() else { return self.mean }
        // Larger requests than there were so far take as long as the largest.
        guard limit > 1, let largest = self.byCount.keys.filter({ $0 <= limit }).max(), largest < limit,
            let time = self.byCount[largest]?.time
        else { return best }
        return min(best, time / limit)
    }
}
