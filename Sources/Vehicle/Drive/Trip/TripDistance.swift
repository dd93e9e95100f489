// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The distance of a trip by the vehicle's odometer.
///
/// An odometer shows full steps, of 0.1 km or 1 km. Its position is known exactly at the moment when it advances. So the
/// distance is counted between two such moments, and the integral of the speed adds the parts before and after.
struct TripDistance: Hashable, Sendable {
    /// A moment at which the odometer's position is known.
    struct Anchor: Hashable, Sendable {
        /// The position in km, and its largest error.
        var position: Double
        var error: Double
        /// The integral of the speed at that moment, in km.
        var integral: Double
    }

    /// A distance in km, with its largest error if that is known.
    struct Result: Hashable, Sendable {
        var distance: Double
        var source: Trip.DistanceSource
        var error: Double?
        /// The seconds of the trip in which the distance was driven; all of them if it has the whole trip.
        var seconds: Double
        /// The distance that the vehicle has certainly driven; nil if it is unknown.
        var least: Double?

        /// In km/h.
        var meanSpeed: Double? { self.seconds > 0 ? self.distance / self.seconds * 3600 : nil }
    }

    /// The share of a distance by which the integral of the speed may be wrong.
    static let speedError = 0.02
    /// The fastest motion that an odometer can show, in km/s: 300 km/h.
    private static let fastest = 300.0 / 3600
    /// The smallest error of a distance, in km: the vehicle moves between the start and the first reading.
    private static let smallestError = 0.02
    /// The time before the first reading from which the end of the trip before counts.
    private static let lateStart = Duration.seconds(3)
    /// The distance in which a better first anchor is looked for, in km.
    private static let search = 2.0

    var first: Anchor?
    var last: Anchor?
    /// The odometer at the end of the trip before; nil if it is unknown.
    var earlier: Anchor?
    /// Whether readings were missed, so that no later anchor tells the position at the start.
    var isFirstFixed = false
    private var steps = ReadingSteps()
    private var integralAtReading = 0.0

    /// Takes over the position of the odometer.
    ///
    /// - Parameters:
    ///   - position: in km.
    ///   - resolution: the step of the odometer, in km.
    ///   - integral: the integral of the speed since the trip began, in km.
    mutating func odometerReceived(
        _ position: Double,
        resolution: Double,
        integral: Double,
        at time: MonotonicTime
    ) {
        let before = (self.steps.value, self.steps.time, self.integralAtReading)
        if let value = before.0, let last = before.1 {
            let reach = (time - last).seconds * Self.fastest + 1.5 * resolution
            guard position >= value, position - value <= reach else { return }
        }
        let step = self.steps.receive(position, at: time)
        self.integralAtReading = integral
        let isAfterGap = before.1 != nil && step == nil
        let anchor: Anchor
        if let step, step.to > step.from {
            anchor = Anchor(
                position: (step.from + resolution + step.to) / 2,
                error: max((integral - before.2) / 2, (step.to - step.from - resolution) / 2) + resolution / 20,
                integral: (integral + before.2) / 2
            )
        } else {
            anchor = Anchor(position: position + resolution / 2, error: resolution / 2, integral: integral)
        }
        if isAfterGap { self.isFirstFixed = true }
        self.begin(anchor)
        self.advance(to: anchor, isAfterGap: isAfterGap)
    }

    private mutating func begin(_ anchor: Anchor) {
        guard let first = self.first else { return self.first = anchor }
        guard !self.isFirstFixed, anchor.error < first.error, anchor.integral < Self.search else { return }
        self.first = anchor
    }

    private mutating func advance(to anchor: Anchor, isAfterGap: Bool) {
        guard let last = self.last, !isAfterGap else {
            self.last = anchor
            return
        }
        // The integral drifts from the last anchor on.
        let drift = (anchor.integral - last.integral) * Self.speedError
        if anchor.error <= last.error + drift { self.last = anchor }
    }

    /// Returns the first anchor of the trip, whether it tells the position at the start, and whether it is from before
    /// the first reading.
    ///
    /// The vehicle has not moved between two trips. So a trip that was detected late begins where the last one has ended,
    /// unless the vehicle cannot have come that far meanwhile.
    ///
    /// - Parameter late: the time of the trip before its first reading.
    private func beginning(late: Duration) -> (anchor: Anchor, isStart: Bool, isEarlier: Bool)? {
        guard let first = self.first else { return nil }
        guard late >= Self.lateStart else { return (first, true, false) }
        guard let earlier = self.earlier else { return (first, false, false) }
        let moved = first.position - first.integral - earlier.position
        let error = first.error + earlier.error + Self.smallestError
        guard -error...late.seconds * Self.fastest + error ~= moved else { return (first, false, false) }
        return (Anchor(position: earlier.position, error: earlier.error, integral: 0), true, true)
    }

    /// Returns the distance of a trip; nil if nothing tells it.
    ///
    /// The error is unknown if the vehicle may have driven before the first reading.
    ///
    /// - Parameters:
    ///   - motion: the speed of the trip.
    ///   - duration: that of the trip, in seconds.
    ///   - late: the time of the trip before its first reading.
    ///   - isComplete: whether the speed was known for the whole trip.
    func result(_ motion: TripMotion, duration: Double, late: Duration, isComplete: Bool) -> Result? {
        let bySpeed = motion.watched > 0 ? motion.distance : nil
        let speedError = max(Self.smallestError, (bySpeed ?? 0) * Self.speedError)
        guard let (first, isStart, isEarlier) = self.beginning(late: late), let last = self.last else {
            return bySpeed.map { distance in
                let error = isComplete ? speedError : nil
                let least = error.map { distance - $0 }
                return Result(distance: distance, source: .speed, error: error, seconds: motion.watched, least: least)
            }
        }
        let rest = max(0, motion.distance - last.integral)
        let byOdometer = max(0, last.position - first.position + first.integral + rest)
        let error = max(
            Self.smallestError,
            first.error + last.error + (first.integral + rest) * Self.speedError
        )
        guard let bySpeed, isComplete, speedError < error else {
            return Result(
                distance: byOdometer,
                source: .odometer,
                error: isStart ? error : nil,
                seconds: max(0, isEarlier ? duration : duration - late.seconds),
                least: byOdometer - error
            )
        }
        // The odometer bounds what the speed says.
        let distance = min(max(bySpeed, byOdometer - error), byOdometer + error)
        return Result(
            distance: distance,
            source: .speed,
            error: speedError,
            seconds: motion.watched,
            least: distance - speedError
        )
    }

    /// Returns the position at the end of a trip; nil without an odometer.
    func end(_ motion: TripMotion) -> Anchor? {
        guard let last = self.last else { return nil }
        let rest = max(0, motion.distance - last.integral)
        return Anchor(position: last.position + rest, error: last.error + rest * Self.speedError, integral: 0)
    }

    /// Returns the position at the start of a trip; nil if it is unknown.
    func start(late: Duration) -> Double? {
        guard let (first, isStart, _) = self.beginning(late: late), isStart else { return nil }
        return first.position - first.integral
    }
}
