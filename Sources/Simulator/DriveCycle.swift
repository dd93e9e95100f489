// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// An endless series of trips, pauses and parking, with speed, distance and the state of engine and ignition.
///
/// Sixteen different trips follow each other and repeat. So any moment is computed without stepping through the time
/// before it.
struct DriveCycle: Sendable {
    /// The motion of the vehicle at one moment.
    struct Moment: Sendable {
        /// The number of the trip, counted from zero.
        var trip: Int
        /// The seconds since this trip began, including the pause and the parking after it.
        var time: Double
        var ignition: Bool
        /// Whether the starter turns the engine.
        var cranking: Bool
        var engineRuns: Bool
        /// The run time of the engine since its start in seconds; zero while it does not run.
        var runTime: Double
        /// The run time of the engine over all trips, in seconds.
        var totalRunTime: Double
        /// km/h.
        var speed: Double
        /// m/s².
        var acceleration: Double
        /// The distance since the first trip began, in km.
        var distance: Double
        /// The distance between the beginnings of the first trip and of this one, in km.
        var distanceAtStart: Double
    }

    private static let variety = 16

    /// The lengths of a trip, a pause and a parking, in seconds.
    let trip: Double
    let pause: Double
    let parking: Double
    /// The time from the beginning of a trip until the engine runs, in seconds.
    let crank: Double
    private let trips: [Trip]
    /// The distances before each of the different trips, and of all of them together (`lap`), in km.
    private let distances: [Double]
    private let lap: Double

    init(trip: Duration, pause: Duration, parking: Duration, dice: Dice) {
        // A trip takes at least a second. All times are limited to a year.
        let bounds = 1.0...31_536_000
        self.trip = min(max(trip.seconds, bounds.lowerBound), bounds.upperBound)
        self.pause = min(max(pause.seconds, 0), bounds.upperBound)
        self.parking = min(max(parking.seconds, 0), bounds.upperBound)
        let crank = min(0.8, self.trip * 0.05)
        self.crank = crank
        let length = self.trip
        self.trips = (0..<Self.variety).map { Trip(length: length, crank: crank, dice: dice, index: $0) }
        var distances: [Double] = []
        var sum = 0.0
        for trip in self.trips {
            distances.append(sum)
            sum += trip.distance
        }
        self.distances = distances
        self.lap = sum
    }

    /// The mean distance of a trip in km.
    var meanDistance: Double { self.lap / Double(Self.variety) }

    private var period: Double { self.trip + self.pause + self.parking }

    /// Returns the motion at `elapsed` after the first trip began.
    ///
    /// A negative time counts as zero.
    func moment(at elapsed: Duration) -> Moment {
        let seconds = min(max(0, elapsed.seconds), 1e12)
        let trip = Int(seconds / self.period)
        let time = max(0, seconds - Double(trip) * self.period)
        let runs = time >= self.crank && time < self.trip
        let run = min(time, self.trip) - self.crank
        let (lap, index) = trip.quotientAndRemainder(dividingBy: Self.variety)
        let atStart = Double(lap) * self.lap + self.distances[index]
        let motion = self.trips[index].motion(at: time)
        return Moment(
            trip: trip,
            time: time,
            ignition: time < self.trip + self.pause,
            cranking: time < self.crank,
            engineRuns: runs,
            runTime: runs ? run : 0,
            totalRunTime: Double(trip) * (self.trip - self.crank) + max(0, run),
            speed: motion.speed,
            acceleration: motion.acceleration,
            distance: atStart + motion.distance,
            distanceAtStart: atStart
        )
    }
}

/// A trip: idling, then legs of pulling away, cruising, braking and standing, then idling.
private struct Trip: Sendable {
    private let legs: [Leg]

    init(length: Double, crank: Double, dice: Dice, index: Int) {
        let idle = min(10, length * 0.06)
        let begin = crank + idle
        let end = length - idle
        let count = min(12, max(1, Int(length / 120)))
        let duration = (end - begin) / Double(count)
        var legs: [Leg] = []
        var distance = 0.0
        for leg in 0..<count {
            let start = begin + Double(leg) * duration
            let targetSpeed = dice.value(at: index * 64 + leg, in: 45...125)
            legs.append(Leg(start: start, duration: duration, targetSpeed: targetSpeed, distance: distance))
            distance += legs[leg].length
        }
        self.legs = legs
    }

    /// The distance of the trip in km.
    var distance: Double { self.legs.last.map { $0.distance + $0.length } ?? 0 }

    func motion(at time: Double) -> (speed: Double, acceleration: Double, distance: Double) {
        guard let leg = self.legs.last(where: { $0.start <= time }) else { return (0, 0, 0) }
        return leg.motion(at: time)
    }
}

/// A part of a trip, from standstill to standstill.
private struct Leg: Sendable {
    /// The time from the beginning of the trip to this leg, in seconds.
    let start: Double
    private let up: Double
    private let cruise: Double
    private let down: Double
    /// The cruising speed in m/s.
    private let speed: Double
    /// The drop of the speed below `speed` while cruising in m/s, and the number of drops.
    private let dip: Double
    private let dips: Double
    /// The distance of the trip before this leg, in km.
    let distance: Double

    /// - Parameter targetSpeed: the speed in km/h that is reached if the leg is long enough.
    init(start: Double, duration: Double, targetSpeed: Double, distance: Double) {
        self.start = start
        self.distance = distance
        // The average acceleration is 2.6 m/s² when pulling away, and 3 m/s² when braking.
        self.speed = min(targetSpeed / 3.6, 2.6 * 0.4 * duration, 3 * 0.32 * duration)
        self.up = max(self.speed / 2.6, 0.2 * duration * min(1, self.speed / 35))
        self.down = self.speed / 3
        self.cruise = max(0, duration * 0.92 - self.up - self.down)
        self.dip = self.speed * 0.06
        self.dips = max(1, (self.cruise / 20).rounded(.down))
    }

    /// The distance of the leg in km.
    var length: Double {
        (self.speed * (self.up + self.down) / 2 + (self.speed - self.dip / 2) * self.cruise) / 1000
    }

    func motion(at time: Double) -> (speed: Double, acceleration: Double, distance: Double) {
        let into = time - self.start
        let meters: Double
        let speed: Double
        let acceleration: Double
        if into < self.up {
            let part = into / self.up
            speed = self.speed * Self.ramp(part)
            acceleration = self.speed / self.up * Self.slope(part)
            meters = self.speed * self.up * Self.area(part)
        } else if into < self.up + self.cruise {
            let time = into - self.up
            let period = self.cruise / self.dips
            // The drop follows one minus a cosine, so that it begins and ends without a jump.
            speed = self.speed - self.dip * (1 - wave(time, period: period, phase: 0.25)) / 2
            acceleration = -self.dip * .pi / period * wave(time, period: period)
            meters =
                self.speed * self.up / 2 + (self.speed - self.dip / 2) * time
                + self.dip * period / (4 * .pi) * wave(time, period: period)
        } else if into < self.up + self.cruise + self.down {
            let part = 1 - (into - self.up - self.cruise) / self.down
            speed = self.speed * Self.ramp(part)
            acceleration = -self.speed / self.down * Self.slope(part)
            meters = self.length * 1000 - self.speed * self.down * Self.area(part)
        } else {
            speed = 0
            acceleration = 0
            meters = self.length * 1000
        }
        return (speed * 3.6, acceleration, self.distance + meters / 1000)
    }

    /// A smooth step from zero to one, its slope, and its integral.
    private static func ramp(_ part: Double) -> Double { part * part * (3 - 2 * part) }
    private static func slope(_ part: Double) -> Double { 6 * part * (1 - part) }
    private static func area(_ part: Double) -> Double { part * part * part * (1 - part / 2) }
}
