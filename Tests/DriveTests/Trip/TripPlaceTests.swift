// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The places of a trip")
struct TripPlaceTests {
    /// A vehicle whose receiver may have a fix in each second.
    private struct Journey {
        var drive = TestDrive()
        private(set) var place = Coordinate.at(48, 11)

        /// Drives at a speed in km/h, and returns the place after it.
        ///
        /// - Parameters:
        ///   - hasFix: whether the receiver determines the place.
        ///   - isWithheld: whether the place must not be told.
        @discardableResult
        mutating func drive(
            _ speed: Double,
            for seconds: Int,
            engine: Double = 1800,
            isRead: Bool = true,
            hasFix: Bool = true,
            isWithheld: Bool = false
        ) -> Coordinate {
            for _ in 1...seconds {
                self.drive.drive(speed, for: 1, engine: engine, isRead: isRead)
                self.place = self.place.moved(by: speed / 3.6, toward: 90)
                guard hasFix else { continue }
                self.drive.recorder.placeReceived(isWithheld ? nil : self.place, at: self.drive.now)
            }
            return self.place
        }

        /// Parks, and returns the last trip.
        mutating func trip() throws -> Trip {
            self.drive.park()
            return try #require(self.drive.trips.last)
        }
    }

    @Test("A receiver that has its first fix on the way tells no start")
    func coldStart() throws {
        var journey = Journey()
        journey.drive(50, for: 70, hasFix: false)
        let end = journey.drive(50, for: 200)
        let trip = try journey.trip()
        #expect(trip.start.place == nil && trip.end.place == end)
    }

    @Test("A receiver that has its first fix before the vehicle moves tells the start, however late")
    func coldStartAtRest() throws {
        var journey = Journey()
        let start = journey.place
        journey.drive(0, for: 300, hasFix: false)
        journey.drive(0, for: 2)
        journey.drive(50, for: 200)
        #expect(try journey.trip().start.place.map { $0.distance(to: start) < 1 } == true)
    }

    @Test("A start that is dated back has the place of then, and none if the receiver was not heard then")
    func lateStart() throws {
        for hasFix in [true, false] {
            var journey = Journey()
            journey.drive.drive(0, for: 1, engine: 0)
            journey.drive(0, for: 20, engine: 0, hasFix: hasFix)
            let start = journey.place
            journey.drive(87, for: 33, isRead: false, hasFix: hasFix)
            journey.drive(87, for: 200)
            let trip = try journey.trip()
            #expect(trip.unobserved > 30)
            #expect(trip.start.place.map { $0.distance(to: start) <= 87 / 3.6 * 3 } == (hasFix ? true : nil))
        }
    }

    @Test("A fix that is lost on the way tells no end, unless the vehicle stands since then")
    func lostFix() throws {
        for (speed, isKnown) in [(50.0, false), (0, true)] {
            var journey = Journey()
            let start = journey.drive(0, for: 1)
            let last = journey.drive(50, for: 200)
            journey.drive(speed, for: 56, hasFix: false)
            let trip = try journey.trip()
            #expect(trip.start.place == start && trip.end.place == (isKnown ? last : nil))
        }
        // No reading shows that the vehicle stands.
        var journey = Journey()
        journey.drive(50, for: 200)
        journey.drive(0, for: 1)
        journey.drive(0, for: 20, isRead: false, hasFix: false)
        journey.drive(0, for: 1, hasFix: false)
        #expect(try journey.trip().end.place == nil)
    }

    @Test("A trip that starts in a zone never has a later place as its start, and ends outside of it as any other")
    func zone() throws {
        var journey = Journey()
        journey.drive(0, for: 20, engine: 0, isWithheld: true)
        journey.drive(50, for: 10, isWithheld: true)
        let end = journey.drive(50, for: 150)
        let trip = try journey.trip()
        #expect(trip.start.place == nil && trip.end.place == end)
        // The next trip starts where this one has ended.
        journey.drive(0, for: 20, engine: 0)
        journey.drive(50, for: 150)
        journey.drive(50, for: 10, isWithheld: true)
        let next = try journey.trip()
        #expect(next.start.place.map { $0.distance(to: end) < 15 } == true && next.end.place == nil)
    }

    @Test("A process that starts again judges the last place as the one before")
    func restart() throws {
        for (hasFix, isKnown) in [(true, true), (false, false)] {
            var journey = Journey()
            let start = journey.drive(0, for: 1)
            journey.drive(50, for: 200)
            let last = journey.drive(50, for: 56, hasFix: hasFix)
            journey.drive.restart()
            journey.drive.now = journey.drive.now + .seconds(40)
            let trip = try journey.trip()
            #expect(trip.start.place == start && trip.end.place == (isKnown ? last : nil))
        }
    }
}
