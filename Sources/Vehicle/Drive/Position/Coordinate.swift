// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// For the trigonometric functions, which the standard library lacks on Linux.
import Glibc

/// A place on the Earth (WGS 84).
package struct Coordinate: Hashable, Sendable {
    /// The latitude in degrees north, -90 to 90.
    package let latitude: Double
    /// The longitude in degrees east, at least -180 and less than 180.
    package let longitude: Double

    /// The mean radius of the Earth in meters (IUGG).
    private static let earthRadius = 6_371_008.8

    /// Creates a place; nil if the latitude is not within ±90° or the longitude not within ±180°.
    package init?(latitude: Double, longitude: Double) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        self.init(clampedLatitude: latitude, wrappedLongitude: longitude)
    }

    /// Creates a place from numbers that rounding may have moved over a pole or the antimeridian.
    private init(clampedLatitude latitude: Double, wrappedLongitude longitude: Double) {
        self.latitude = min(max(latitude, -90), 90)
        self.longitude = longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    }

    /// Returns the distance in meters along the great circle, with the error of a spherical Earth: 0.5 % at most.
    package func distance(to other: Coordinate) -> Double {
        let (north, east) = (
            Self.radians(other.latitude - self.latitude), Self.radians(other.longitude - self.longitude)
        )
        // The haversine formula, which is exact for short distances.
        let (a, b) = (sin(north / 2), sin(east / 2))
        let cosines =
            cos(Self.radians(self.latitude)) * cos(Self.radians(other.latitude))
        let haversine = min(1, max(0, a * a + cosines * b * b))
        return 2 * Self.earthRadius * atan2(haversine.squareRoot(), (1 - haversine).squareRoot())
    }

    /// Returns the position of `other` in meters east and north of this place, on a plane that touches it.
    ///
    /// The plane is right for some kilometers, which is enough for the parts of a track.
    package func offset(to other: Coordinate) -> (east: Double, north: Double) {
        var degrees = other.longitude - self.longitude
        if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
        let middle = Self.radians((self.latitude + other.latitude) / 2)
        return (
            Self.radians(degrees) * cos(middle) * Self.earthRadius,
            Self.radians(other.latitude - self.latitude) * Self.earthRadius
        )
    }

    /// Returns the place at a distance in meters, in a direction in degrees clockwise from north.
    package func moved(by distance: Double, toward heading: Double) -> Coordinate {
        let angle = distance / Self.earthRadius
        let (latitude, direction) = (Self.radians(self.latitude), Self.radians(heading))
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let (sineOfAngle, cosineOfAngle) = (sin(angle), cos(angle))
        let sineOfEnd = min(1, max(-1, sine * cosineOfAngle + cosine * sineOfAngle * cos(direction)))
        let turn = atan2(
            sin(direction) * sineOfAngle * cosine,
            cosineOfAngle - sine * sineOfEnd
        )
        let end = atan2(sineOfEnd, (1 - sineOfEnd * sineOfEnd).squareRoot())
        return Coordinate(
            clampedLatitude: Self.degrees(end),
            wrappedLongitude: self.longitude + Self.degrees(turn)
        )
    }

    /// Returns the center of the cell of a grid whose cells are about one kilometer wide, and never less.
    ///
    /// A cell is 0.01° of latitude high. Its width in degrees grows in steps toward the poles.
    package var coarse: Coordinate {
        let row = (self.latitude * 100).rounded(.down)
        let latitude = min(max((row + 0.5) / 100, -90), 90)
        let width = Self.cellWidth(at: latitude)
        let column = ((self.longitude + 180) / width).rounded(.down)
        return Coordinate(clampedLatitude: latitude, wrappedLongitude: (column + 0.5) * width - 180)
    }

    /// Returns the width of a cell in degrees: a divisor of 360, so that no cell is cut by the antimeridian.
    private static func cellWidth(at latitude: Double) -> Double {
        let degreesPerKilometer = 1000 / (Self.radians(1) * Self.earthRadius * cos(radians(latitude)))
        return [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 90].first { $0 >= degreesPerKilometer } ?? 360
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    private static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
