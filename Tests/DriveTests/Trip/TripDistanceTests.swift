// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Drive

@Suite("The distance of a trip")
struct TripDistanceTests {
    @Test("Odometers of any step tell the distance within 1 %", arguments: [0.005, 0.1, 1], [300, 900, 3600])
    func steps(resolution: Double, seconds: Int) throws {
        var drive = TestDrive()
        drive.resolution = resolution
        let before = drive.odometer
        for _ in 1...seconds / 300 {
            drive.drive(83, for: 280)
            drive.drive(0, for: 20)
        }
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(isNear(trip.distance, drive.odometer - before, within: 0.01), "\(trip)")
        let error = try #require(trip.distanceError)
        #expect(abs((trip.distance ?? 0) - (drive.odometer - before)) <= error)
    }

    @Test("Without an odometer the integral of the speed is the distance, and says so")
    func speed() throws {
        var drive = TestDrive()
        drive.hasOdometer = false
        let before = drive.odometer
        drive.drive(50, for: 900)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.distanceSource == .speed && trip.start.odometer == nil)
        #expect(isNear(trip.distance, drive.odometer - before, within: 0.01))
        #expect(isNear(trip.distanceError, (trip.distance ?? 0) * 0.02, within: 0.01))
    }

    @Test("Without an odometer nobody knows the error once readings were missed")
    func missed() throws {
        var drive = TestDrive()
        drive.hasOdometer = false
        drive.drive(50, for: 300)
        drive.drive(50, for: 100, isRead: false)
        drive.drive(50, for: 300)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.distanceSource == .speed && trip.distanceError == nil)
    }

    @Test("A trip that was noticed late, after drives that nobody read, knows neither its start nor its error")
    func noticedLate() throws {
        var drive = TestDrive()
        drive.drive(60, for: 228, isRead: false)
        drive.drive(60, for: 300)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.unobserved >= 225)
        #expect(trip.start.odometer == nil && trip.distanceError == nil)
        // The missing part is told, and the mean speed is that of the rest.
        #expect(isNear(trip.distanceWatched, 300, within: 0.02) && isNear(trip.meanSpeed, 60, within: 0.02))
        #expect(isNear(trip.end.odometer, drive.odometer, within: 0.001))
    }

    @Test("The mean speed is the distance by the time in which it was driven, also if the odometer bridges a gap")
    func meanSpeed() throws {
        var drive = TestDrive()
        drive.drive(40, for: 120)
        drive.drive(100, for: 60, isRead: false)
        drive.drive(40, for: 120)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.distanceSource == .odometer && trip.distanceWatched == trip.duration.seconds)
        #expect(isNear(trip.meanSpeed, 52, within: 0.02))
    }

    @Test("A trip that is noticed a little late has the consumption of what was observed; with too little of it, none")
    func consumption() throws {
        for (late, isKnown) in [(12, true), (300, false)] {
            var drive = TestDrive()
            drive.drive(60, for: 60)
            drive.park()
            drive.wait(3600)
            drive.drive(60, for: late, isRead: false)
            drive.drive(60, for: 180)
            drive.park()
            let trip = try #require(drive.trips.last)
            #expect(trip.fuelWatched ?? 0 < trip.duration.seconds * 0.95)
            #expect(isNear(trip.fuelConsumption, 10, within: 0.02) == isKnown, "\(late)")
            #expect((trip.fuelConsumption != nil) == isKnown)
        }
    }

    @Test("An odometer that leaps or goes back is not believed")
    func leaps() throws {
        var (distance, motion) = (TripDistance(), TripMotion())
        for (second, position) in [1000.0, 1000, 1000.1, 999, 5000, 1000.1, 1000.2].enumerated() {
            let time = MonotonicTime(sinceBoot: .seconds(second * 5))
            motion.speedReceived(36, engineRuns: true, TripLimits(), at: time)
            distance.odometerReceived(
                position,
                resolution: 0.1,
                integral: motion.distance,
                at: time
            )
        }
        let result = try #require(distance.result(motion, duration: 30, late: .zero, isComplete: false))
        #expect(isNear(result.distance, 0.3, within: 0.2))
    }

    @Test("The distances of a day add up to what its odometer shows")
    func day() {
        var drive = TestDrive()
        let before = drive.odometer
        for trip in 1...20 {
            drive.drive(0, for: 17 + trip, isRead: false)
            drive.drive(Double(30 + trip), for: 90 + trip * 7)
            drive.park()
            drive.wait(600)
        }
        #expect(drive.trips.count == 20)
        #expect(isNear(drive.recorder.totals.distance, drive.odometer - before, within: 0.01))
    }

    @Test("Speeds in miles and odometers in miles are converted")
    func miles() throws {
        var recorder = TripRecorder(TripLimits())
        var trips: [Trip] = []
        for second in 0...600 {
            let time = MonotonicTime(sinceBoot: .seconds(second))
            let actions = recorder.receive([
                Reading("speed", role: .vehicleSpeed, 60, "mph", at: time),
                Reading("miles", role: .odometer, (Double(second) / 60).rounded(.down), "mi", at: time, resolution: 1),
            ])
            for case .finish(let trip) in actions { trips.append(trip) }
        }
        for case .finish(let trip) in recorder.parkingChanged(isParked: true, isLost: false, isSilent: true) {
            trips.append(trip)
        }
        let trip = try #require(trips.first)
        #expect(isNear(trip.distance, 16.09, within: 0.01))
        #expect(isNear(trip.maximumSpeed, 96.56, within: 0.001))
    }
}
