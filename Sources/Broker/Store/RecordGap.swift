// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// A range of records of one stream and epoch that were dropped.
package struct RecordGap: Hashable, Sendable {
    package let stream: RecordStream
    package let epoch: UInt64
    package private(set) var range: ClosedRange<UInt64>

    init(_ stream: RecordStream, epoch: UInt64, _ range: ClosedRange<UInt64>) {
        self.stream = stream
        self.epoch = epoch
        self.range = range
    }

    /// The largest number of separate gaps.
    ///
    /// Beyond it, gaps grow and include the numbers between them.
    static let limit = 1000

    /// Returns the gaps that dropped records leave.
    static func gaps(_ stream: RecordStream, _ ids: [RecordID]) -> [RecordGap] {
        var gaps: [RecordGap] = []
        for id in ids.sorted() { gaps.add(RecordGap(stream, epoch: id.epoch, id.seq...id.seq)) }
        return gaps
    }

    /// Grows to include another gap of the same stream and epoch, and the numbers between both.
    fileprivate mutating func grow(over other: RecordGap) {
        let start = min(self.range.lowerBound, other.range.lowerBound)
        self.range = start...max(self.range.upperBound, other.range.upperBound)
    }

    /// Whether the two ranges overlap or adjoin.
    fileprivate func touches(_ other: RecordGap) -> Bool {
        self.range.lowerBound <= other.range.upperBound &+ 1 && other.range.lowerBound <= self.range.upperBound &+ 1
    }
}

extension [RecordGap] {
    /// Adds a gap; merges it with an adjoining one.
    mutating func add(_ gap: RecordGap) {
        let related = self.indices.reversed().filter { self[$0].stream == gap.stream && self[$0].epoch == gap.epoch }
        if let index = related.first(where: { self[$0].touches(gap) })
            ?? (self.count >= RecordGap.limit ? related.first : nil)
        {
            self[index].grow(over: gap)
        } else if self.count < RecordGap.limit {
            self.append(gap)
        }
    }
}
