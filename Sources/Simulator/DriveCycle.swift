// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// Where the vehicle is in its endless round of trips: how fast, how far, with the engine or the ignition on or off.
///
/// Sixteen different trips follow each other and repeat, so that any moment is computed without stepping through what
/// came before it.
struct DriveCycle: Sendable {
    /// A moment of the round.
    struct Moment: Sendable {
        /// Which trip, counted from zero.
        let trip: Int
        /// Seconds since this trip began; the pause and the parking after it count on.
        let time: Double
        let ignition: Bool
        /// The starter turns the engine.
        let cranking: Bool
        let engineRuns: Bool
        /// Seconds that the engine has run since it was started, zero when it does not run.
        let runTime: Double
        /// Seconds that the engine has run in all.
        let totalRunTime: Double
        /// km/h.
        let speed: Double
        /// m/s².
        let acceleration: Double
        /// km since the first trip began.
        let distance: Double
        /// km between the beginnings of the first trip and this one.
        let distanceAtStart: Double
    }

    private static let variety = 16

    /// Seconds.
    let trip: Double
    let pause: Double
    let parking: Double
    /// Seconds from the beginning of a trip until the engine runs.
    let crank: Double
    private let trips: [Trip]
    /// km driven before each of the different trips, and by all of them.
    private let distances: [Double]
    private let lap: Double

    init(trip: Duration, pause: Duration, parking: Duration, dice: Dice) {
        // Shorter than a second is no trip; longer than a year need not be told apart from it.
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

    private var period: Double { self.trip + self.pause + self.parking }

    /// What goes on `elapsed` after the first trip began; before it, the vehicle is about to begin it.
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

/// One trip: idle, then legs of pulling away, cruising, braking and standing, then idle.
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
            let wish = dice.value(at: index * 64 + leg, in: 45...125)
            legs.append(Leg(start: start, duration: duration, wish: wish, distance: distance))
            distance += legs[leg].length
        }
        self.legs = legs
    }

    /// km.
    var distance: Double { self.legs.last.map { $0.distance + $0.length } ?? 0 }

    func motion(at time: Double) -> (speed: Double, acceleration: Double, distance: Double) {
        guard let leg = self.legs.last(where: { $0.start <= time }) else { return (0, 0, 0) }
        return leg.motion(at: time)
    }
}

/// From standing to standing.
private struct Leg: Sendable {
    /// Seconds since the trip began.
    let start: Double
    private let up: Double
    private let cruise: Double
    private let down: Double
    /// m/s.
    private let speed: Double
    /// How far the cruising speed sinks below `speed` and comes back, and how often.
    private let sag: Double
    private let sags: Double
    /// km driven in the trip before this leg.
    let distance: Double

    /// - Parameter wish: the speed in km/h to reach if the leg is long enough for it.
    init(start: Double, duration: Double, wish: Double, distance: Double) {
        self.start = start
        self.distance = distance
        // A brisk driver: 2.6 m/s² when pulling away, 3 m/s² when braking, on average over the ramp.
        self.speed = min(wish / 3.6, 2.6 * 0.4 * duration, 3 * 0.32 * duration)
        self.up = max(self.speed / 2.6, 0.2 * duration * min(1, self.speed / 35))
        self.down = self.speed / 3
        self.cruise = max(0, duration * 0.92 - self.up - self.down)
        self.sag = self.speed * 0.06
        self.sags = max(1, (self.cruise / 20).rounded(.down))
    }

    /// km.
    var length: Double {
        (self.speed * (self.up + self.down) / 2 + (self.speed - self.sag / 2) * self.cruise) / 1000
    }

    func motion(at time: Double) -> (speed: Double, acceleration: Double, distance: Double) {
        let into = time - self.start
        let metres: Double
        let speed: Double
        let acceleration: Double
        if into < self.up {
            let part = into / self.up
            speed = self.speed * Self.ramp(part)
            acceleration = self.speed / self.up * Self.slope(part)
            metres = self.speed * self.up * Self.area(part)
        } else if into < self.up + self.cruise {
            let time = into - self.up
            let period = self.cruise / self.sags
            // One minus a cosine, so that each sag begins and ends without a jump.
            speed = self.speed - self.sag * (1 - wave(time, period: period, phase: 0.25)) / 2
            acceleration = -self.sag * .pi / period * wave(time, period: period)
            metres =
                self.speed * self.up / 2 + (self.speed - self.sag / 2) * time
                + self.sag * period / (4 * .pi) * wave(time, period: period)
        } else if into < self.up + self.cruise + self.down {
            let part = 1 - (into - self.up - self.cruise) / self.down
            speed = self.speed * Self.ramp(part)
            acceleration = -self.speed / self.down * Self.slope(part)
            metres = self.length * 1000 - self.speed * self.down * Self.area(part)
        } else {
            speed = 0
            acceleration = 0
            metres = self.length * 1000
        }
        return (speed * 3.6, acceleration, self.distance + metres / 1000)
    }

    /// A smooth way from zero to one, its slope, and its integral.
    private static func ramp(_ part: Double) -> Double { part * part * (3 - 2 * part) }
    private static func slope(_ part: Double) -> Double { 6 * part * (1 - part) }
    private static func area(_ part: Double) -> Double { part * part * part * (1 - part / 2) }
}
