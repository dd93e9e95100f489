// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import TestSupport

/// The receiver of a vehicle on roads with turns, some of them each minute: a fix each second, with the usual wander.
struct ReceiverOnTour: Sendable {
    /// The sideways acceleration in m/s² with which drivers take a turn, and the tightest turn in m.
    private static let (comfort, tightest) = (3.0, 12.0)

    private var numbers = SeededNumbers(23)
    private var place: Coordinate
    /// The direction in degrees clockwise from north.
    private var heading = 90.0
    /// The way in m to the next turn.
    private var straight = 300.0
    /// The rest of the present turn in degrees; negative to the left.
    private var turn = 0.0
    /// The error of the receiver in m.
    private var (east, north) = (0.0, 0.0)

    init(at place: Coordinate) { self.place = place }

    /// Drives on for a second.
    ///
    /// - Parameter speed: in m/s.
    mutating func fix(speed: Double, at now: MonotonicTime, date: Timestamp) -> Fix {
        self.steer(over: speed)
        self.place = self.place.moved(by: speed, toward: self.heading)
        // The error wanders, and stays within some meters.
        self.east = self.east * 0.98 + Double.random(in: -0.5...0.5, using: &self.numbers)
        self.north = self.north * 0.98 + Double.random(in: -0.5...0.5, using: &self.numbers)
        let error = (self.east * self.east + self.north * self.north).squareRoot()
        return Fix(
            self.place.moved(by: self.east.magnitude, toward: self.east < 0 ? 270 : 90)
                .moved(by: self.north.magnitude, toward: self.north < 0 ? 180 : 0),
            accuracy: 3 + error,
            speed: speed,
            heading: self.heading,
            altitude: 35 + self.north,
            receiverTime: date,
            at: now
        )
    }

    /// Turns the vehicle on the way of a second, in m.
    private mutating func steer(over way: Double) {
        guard self.turn == 0 else {
            // A fast vehicle takes a wide turn.
            let radius = max(Self.tightest, way * way / Self.comfort)
            let degrees = min(self.turn.magnitude, way / radius * 180 / .pi)
            self.heading += self.turn < 0 ? -degrees : degrees
            self.heading -= 360 * (self.heading / 360).rounded(.down)
            self.turn = self.turn.magnitude - degrees < 0.1 ? 0 : self.turn - (self.turn < 0 ? -degrees : degrees)
            return
        }
        self.straight -= way
        guard self.straight <= 0 else { return }
        self.straight = Double.random(in: 100...900, using: &self.numbers)
        self.turn = Double.random(in: -90...90, using: &self.numbers)
    }
}
