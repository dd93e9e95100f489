// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The course of a number in time, as far as a viewer has seen it.
///
/// Numbers of the same ``step`` become one point, which keeps the extremes.
struct Course: Hashable, Sendable {
    /// The time between two points.
    static let step = Duration.seconds(2)
    /// The longest time that is shown.
    static let longest = Duration.seconds(600)
    /// The times of which the shortest that holds all points is shown.
    private static let spans = [30, 60, 120, 300, 600]
    /// The largest number of points, and how many go at once.
    private static let (limit, surplus) = (330, 30)

    /// The values that were measured in a step; without numbers, nothing was measured from then on.
    private struct Point: Hashable, Sendable {
        let time: MonotonicTime
        var numbers: Numbers?
    }

    private struct Numbers: Hashable, Sendable {
        var low: Double
        var high: Double
        var last: Double
    }

    private var points: [Point] = []

    /// Appends a measured number.
    mutating func append(_ number: Double, at time: MonotonicTime) {
        if let last = self.points.last, let numbers = last.numbers, time - last.time < Self.step {
            let (low, high) = (min(numbers.low, number), max(numbers.high, number))
            self.points[self.points.count - 1].numbers = Numbers(low: low, high: high, last: number)
            return
        }
        self.add(Point(time: time, numbers: Numbers(low: number, high: number, last: number)))
    }

    /// Ends the course until the next number: what follows is not measured.
    mutating func interrupt(at time: MonotonicTime) {
        guard self.points.last?.numbers != nil else { return }
        self.add(Point(time: time, numbers: nil))
    }

    private mutating func add(_ point: Point) {
        self.points.append(point)
        if self.points.count > Self.limit { self.points.removeFirst(Self.surplus) }
    }

    /// The time of the first number; nil without any.
    var start: MonotonicTime? { self.points.first?.time }

    /// Returns the shown time for a course that began so long ago.
    static func span(for age: Duration) -> Duration {
        Self.spans.map { Duration.seconds($0) }.first { age <= $0 } ?? Self.longest
    }

    /// Returns the last number of each equal part of the shown time, the newest part last.
    ///
    /// A number holds until the next one, for `hold` at most; a part without a number is nil.
    func cells(_ count: Int, span: Duration, at now: MonotonicTime, hold: Duration) -> [Double?] {
        guard count > 0 else { return [] }
        // The parts begin at round times, so that they move on together and not with each frame.
        let part = max(1, span.milliseconds / Int64(count))
        let parts = (now.sinceBoot.milliseconds / part - Int64(count) + 1)...(now.sinceBoot.milliseconds / part)
        func begin(_ part: Int64, _ length: Int64) -> MonotonicTime {
            MonotonicTime(sinceBoot: .milliseconds(part * length))
        }
        var rest = self.points[...]
        var held: (number: Double, time: MonotonicTime)?
        /// Takes the points before a time, and returns the last number among them.
        func take(until end: MonotonicTime) -> Double? {
            var number: Double?
            while let point = rest.first, point.time < end {
                rest.removeFirst()
                held = point.numbers.map { ($0.last, point.time) }
                number = held?.number ?? number
            }
            return number
        }
        _ = take(until: begin(parts.lowerBound, part))
        return parts.map { index in
            let start = begin(index, part)
            let before = held.flatMap { start - $0.time <= hold ? $0.number : nil }
            return take(until: begin(index + 1, part)) ?? before
        }
    }

    /// Returns the least and the largest number of the shown time; nil without any.
    func extremes(span: Duration, at now: MonotonicTime, hold: Duration) -> ClosedRange<Double>? {
        let begin = now - span
        let first = self.points.lastIndex { $0.time < begin }
        // The number before the shown time still holds at its beginning.
        let held = first.map { self.points[$0] }.flatMap { begin - $0.time <= hold ? $0.numbers : nil }
        let shown = self.points.dropFirst(first.map { $0 + 1 } ?? 0).compactMap(\.numbers)
        let lows = (held.map { [$0.last] } ?? []) + shown.map(\.low)
        let highs = (held.map { [$0.last] } ?? []) + shown.map(\.high)
        guard let low = lows.min(), let high = highs.max() else { return nil }
        return low...high
    }
}
