// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A set of numbers, as sorted closed ranges that do not touch each other.
package struct NumberSet: Hashable, Sendable {
    /// The largest number of ranges.
    package static let limit = 30_000

    /// The ranges in ascending order; between two of them is at least one number.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    /// Creates the set of the numbers in some ranges, in any order.
    package init(_ ranges: some Sequence<ClosedRange<UInt64>>) {
        for range in ranges { self.insert(range) }
    }

    package var isEmpty: Bool { self.ranges.isEmpty }

    /// The highest number; nil if the set is empty.
    package var last: UInt64? { self.ranges.last?.upperBound }

    /// The number of numbers, at most `UInt64.max`.
    package var count: UInt64 {
        var sum: UInt64 = 0
        for range in self.ranges {
            let (next, overflow) = sum.addingReportingOverflow(Self.count(of: range))
            if overflow { return .max }
            sum = next
        }
        return sum
    }

    /// Whether the set has a number.
    package func contains(_ number: UInt64) -> Bool {
        let index = self.index(endingAtOrAfter: number)
        return index < self.ranges.count && self.ranges[index].lowerBound <= number
    }

    /// Adds a number, and returns whether it is new.
    @discardableResult
    package mutating func insert(_ number: UInt64) -> Bool {
        // Most records come in their order.
        if let last = self.ranges.last, last.upperBound < .max, number == last.upperBound + 1 {
            self.ranges[self.ranges.count - 1] = last.lowerBound...number
            return true
        }
        if self.contains(number) { return false }
        self.insert(number...number)
        return true
    }

    /// Adds all numbers of a range.
    package mutating func insert(_ range: ClosedRange<UInt64>) {
        // The ranges that overlap or adjoin become one.
        let first = self.index(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var (lower, upper) = (range.lowerBound, range.upperBound)
        var end = first
        while end < self.ranges.count,
            self.ranges[end].lowerBound <= (range.upperBound == .max ? .max : range.upperBound + 1)
        {
            lower = min(lower, self.ranges[end].lowerBound)
            upper = max(upper, self.ranges[end].upperBound)
            end += 1
        }
        self.ranges.replaceSubrange(first..<end, with: CollectionOfOne(lower...upper))
    }

    /// Removes a number.
    package mutating func remove(_ number: UInt64) {
        let index = self.index(endingAtOrAfter: number)
        guard index < self.ranges.count, self.ranges[index].contains(number) else { return }
        let range = self.ranges[index]
        var rest: [ClosedRange<UInt64>] = []
        if range.lowerBound < number { rest.append(range.lowerBound...(number - 1)) }
        if number < range.upperBound { rest.append((number + 1)...range.upperBound) }
        self.ranges.replaceSubrange(index...index, with: rest)
    }

    /// Adds all numbers of another set.
    package mutating func formUnion(_ other: NumberSet) {
        guard other.ranges.count > 1 else {
            if let range = other.ranges.first { self.insert(range) }
            return
        }
        var union = NumberSet()
        union.ranges.reserveCapacity(self.ranges.count + other.ranges.count)
        var (own, foreign) = (self.ranges[...], other.ranges[...])
        while let first = own.first ?? foreign.first {
            let isOwn = foreign.first.map { !own.isEmpty && first.lowerBound <= $0.lowerBound } ?? true
            guard let next = isOwn ? own.popFirst() : foreign.popFirst() else { break }
            if let last = union.ranges.last,
                next.lowerBound <= last.upperBound || next.lowerBound - 1 == last.upperBound
            {
                union.ranges[union.ranges.count - 1] = last.lowerBound...max(last.upperBound, next.upperBound)
            } else {
                union.ranges.append(next)
            }
        }
        self = union
    }

    /// Returns the numbers that another set has too.
    package func intersection(_ other: NumberSet) -> NumberSet {
        var result = NumberSet()
        var (index, place) = (0, 0)
        while index < self.ranges.count, place < other.ranges.count {
            let (own, foreign) = (self.ranges[index], other.ranges[place])
            let (lower, upper) = (max(own.lowerBound, foreign.lowerBound), min(own.upperBound, foreign.upperBound))
            if lower <= upper { result.ranges.append(lower...upper) }
            if own.upperBound < foreign.upperBound { index += 1 } else { place += 1 }
        }
        return result
    }

    /// Returns by how much the set has grown; 0 if it has shrunk.
    func growth(since old: NumberSet) -> UInt64 {
        let (before, after) = (old.count, self.count)
        return after > before ? after - before : 0
    }

    /// Whether another set has one of the numbers too.
    package func intersects(_ other: NumberSet) -> Bool {
        // Goes through the smaller set.
        if self.ranges.count > other.ranges.count { return other.intersects(self) }
        return self.ranges.contains { range in
            let index = other.index(endingAtOrAfter: range.lowerBound)
            return index < other.ranges.count && other.ranges[index].lowerBound <= range.upperBound
        }
    }

    /// Returns the smallest ranges, so many that at most `limit` others are left.
    package func smallest(beyond limit: Int) -> NumberSet {
        guard self.ranges.count > limit else { return NumberSet() }
        // A tenth more than needed, so that the next number does not sort again.
        let excess = min(self.ranges.count, self.ranges.count - limit + limit / 10)
        let sizes = self.ranges.enumerated().map { (size: $1.upperBound - $1.lowerBound, offset: $0) }
        var smallest = NumberSet()
        for (_, offset) in sizes.sorted(by: { ($0.size, $0.offset) < ($1.size, $1.offset) }).prefix(excess).sorted(by: {
            $0.offset < $1.offset
        }) {
            smallest.ranges.append(self.ranges[offset])
        }
        return smallest
    }

    /// Returns the numbers from `first` through `last` that the set does not have.
    package func holes(from first: UInt64 = 1, through last: UInt64) -> NumberSet {
        var holes = NumberSet()
        var next = first
        for range in self.ranges[self.index(endingAtOrAfter: first)...] {
            guard next <= last else { break }
            if next < range.lowerBound { holes.ranges.append(next...min(last, range.lowerBound - 1)) }
            guard range.upperBound < .max else { return holes }
            next = max(next, range.upperBound + 1)
        }
        if next <= last { holes.ranges.append(next...last) }
        return holes
    }

    /// Returns the first ranges.
    package func prefix(_ count: Int) -> NumberSet {
        var first = NumberSet()
        first.ranges = Array(self.ranges.prefix(count))
        return first
    }

    /// Closes the smallest holes between the ranges until there are at most `limit` ranges.
    ///
    /// - Returns: the number of numbers that the set has got by that.
    @discardableResult
    package mutating func reduce(to limit: Int = NumberSet.limit) -> UInt64 {
        guard self.ranges.count > limit else { return 0 }
        let sizes = zip(self.ranges, self.ranges.dropFirst()).map { $1.lowerBound - $0.upperBound - 1 }
        // Closes a tenth more than needed, so that the next number does not sort again.
        let excess = min(sizes.count, self.ranges.count - limit + limit / 10)
        let closed = sizes.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.prefix(excess)
        for (offset, _) in closed.sorted(by: { $0.offset > $1.offset }) {
            self.ranges[offset] = self.ranges[offset].lowerBound...self.ranges[offset + 1].upperBound
            self.ranges.remove(at: offset + 1)
        }
        return closed.reduce(0) { $0 &+ $1.element }
    }

    /// Adds a range that lies after all others, with at least one number between.
    mutating func append(_ range: ClosedRange<UInt64>) { self.ranges.append(range) }

    /// The index of the first range that ends at or after a number.
    private func index(endingAtOrAfter number: UInt64) -> Int {
        var (low, high) = (0, self.ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if self.ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func count(of range: ClosedRange<UInt64>) -> UInt64 {
        let (count, overflow) = (range.upperBound - range.lowerBound).addingReportingOverflow(1)
        return overflow ? .max : count
    }
}
