// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The number of things a second in the last minute.
package struct RecentRate: Hashable, Sendable {
    private static let seconds: Int64 = 60

    /// The counts of the last seconds, each at the place of its second modulo 60.
    private var counts = [Int](repeating: 0, count: Int(Self.seconds))
    private var second: Int64?
    private var start: Int64?

    package init() {}

    package mutating func add(_ count: Int, at now: MonotonicTime) {
        self.advance(to: now)
        self.counts[self.place(of: self.second ?? 0)] += count
    }

    /// Returns the rate; in the first minute that since the first count.
    package mutating func perSecond(at now: MonotonicTime) -> Double {
        self.advance(to: now)
        guard let start, let second else { return 0 }
        return Double(self.counts.reduce(0, +)) / Double(min(Self.seconds, max(1, second - start + 1)))
    }

    private mutating func advance(to now: MonotonicTime) {
        let present = now.sinceBoot.milliseconds / 1000
        self.start = self.start ?? present
        if let second = self.second, second < present {
            for passed in max(second + 1, present - Self.seconds + 1)...present {
                self.counts[self.place(of: passed)] = 0
            }
        }
        self.second = max(self.second ?? present, present)
    }

    private func place(of second: Int64) -> Int { Int(second % Self.seconds) }
}
