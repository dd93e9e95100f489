// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The readings of one source around the moment of a capture.
package struct CaptureSeries: Hashable, Sendable {
    package var source: CaptureSource
    /// The times in milliseconds since the moment; negative before it.
    package var milliseconds: [Int64]
    /// The values, as many as milliseconds.
    package var steps: [Int64]
    /// The part of the readings that is kept: 1 for all, n for every n-th.
    package var step = 1

    package init(source: CaptureSource, milliseconds: [Int64], steps: [Int64]) {
        self.source = source
        self.milliseconds = milliseconds
        self.steps = steps
    }

    /// Returns every n-th reading so that about `limit` remain; the last one before the moment stays.
    func thinned(to limit: Int) -> CaptureSeries {
        let count = self.milliseconds.count
        let step = (count + limit - 1) / max(1, limit)
        guard step > 1 else { return self }
        let anchor = self.milliseconds.lastIndex { $0 <= 0 } ?? 0
        let kept = (0..<count).filter { ($0 - anchor) % step == 0 }
        var series = self
        series.milliseconds = kept.map { self.milliseconds[$0] }
        series.steps = kept.map { self.steps[$0] }
        series.step = self.step * step
        return series
    }

    /// The size in a record, in bytes of JSON.
    var size: Int {
        // {"name":{"ecu":"7E8","scale":0.25,"dt":[…],"dv":[…]},
        var size = 64 + self.source.series.utf8.count + self.source.ecu.utf8.count
        var before = CaptureColumn.Point(milliseconds: 0, steps: 0)
        for (milliseconds, steps) in zip(self.milliseconds, self.steps) {
            size += Self.digits(milliseconds - before.milliseconds) + Self.digits(steps &- before.steps) + 2
            before = CaptureColumn.Point(milliseconds: milliseconds, steps: steps)
        }
        // A record lists the steps of its thinned series: "name":12,
        return size + (self.step > 1 ? self.source.series.utf8.count + Self.digits(Int64(self.step)) + 4 : 0)
    }

    private static func digits(_ number: Int64) -> Int {
        var (rest, digits) = (number.magnitude, number < 0 ? 2 : 1)
        while rest > 9 {
            rest /= 10
            digits += 1
        }
        return digits
    }
}

extension [CaptureSeries] {
    /// Returns the series so that they fit into `limit` bytes of JSON.
    ///
    /// The longest series are thinned first, each evenly, so that those that are read rarely stay whole.
    package func fitted(to limit: Int) -> [CaptureSeries] {
        var longest = self.map(\.steps.count).max() ?? 0
        var fitted = self
        while longest > 1, fitted.reduce(0, { $0 + $1.size }) > limit {
            longest = longest * 3 / 4
            fitted = self.map { $0.thinned(to: longest) }
        }
        return fitted
    }
}
