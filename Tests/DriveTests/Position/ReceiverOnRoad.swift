// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

@testable import Drive

/// A drive for tests: a vehicle that goes from a place at a speed, and the fixes of its receiver.
struct ReceiverOnRoad {
    var now: MonotonicTime
    var place: Coordinate
    /// The speed in m/s.
    var speed: Double
    /// The direction in degrees clockwise from north.
    var heading: Double
    var date: Timestamp

    /// Begins in Berlin, at 10:00 on 21 November 2026.
    init(_ latitude: Double = 52.5, _ longitude: Double = 13.4, speed: Double = 15, heading: Double = 90) {
        self.now = .zero + .seconds(1000)
        self.place = Coordinate.at(latitude, longitude)
        (self.speed, self.heading) = (speed, heading)
        self.date = Timestamp(milliseconds: 1_795_255_200_000)
    }

    /// The fix of the present moment.
    var fix: Fix {
        Fix(
            self.place,
            accuracy: 8,
            speed: self.speed,
            heading: self.heading,
            altitude: 35,
            receiverTime: self.date,
            at: self.now
        )
    }

    /// Drives on for a time.
    mutating func drive(_ seconds: Int = 1) {
        self.place = self.place.moved(by: self.speed * Double(seconds), toward: self.heading)
        self.wait(seconds)
    }

    /// Lets time pass without a movement.
    mutating func wait(_ seconds: Int) {
        self.now = self.now + .seconds(seconds)
        self.date = self.date + .seconds(seconds)
    }

    /// Drives on, and returns a fix of each second.
    mutating func fixes(_ seconds: Int) -> [Fix] {
        (0..<seconds).map { _ in
            self.drive()
            return self.fix
        }
    }
}

extension Coordinate {
    /// A place that a test knows to be on the Earth.
    static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("no place on the Earth: \(latitude), \(longitude)")
        }
        return place
    }
}
