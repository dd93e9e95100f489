// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The places whose surroundings are never published.
///
/// The agent keeps back what lies in a circle that contains the zone. The circle has twice the radius, and its center
/// lies at a random place within the zone. So the points at which tracks break off show where the circle is, and not
/// where in it the home is: that can be anywhere within the radius around the center of the circle.
package struct HomeZones: Sendable {
    /// A place, as it is configured.
    package struct Zone: Hashable, Sendable {
        /// The name, which is published in place of the position.
        package var name: String
        package var center: Coordinate
        /// The radius in m.
        package var radius: Double

        package init(name: String, center: Coordinate, radius: Double) {
            self.name = name
            self.center = center
            self.radius = radius
        }
    }

    /// The circle that is kept back.
    private struct Circle: Sendable {
        var name: String
        var center: Coordinate
        var radius: Double
    }

    private let circles: [Circle]

    /// - Parameter random: returns at least eight random bytes for a zone: the same ones at each start, because the
    ///   average of many circles would show the center. They depend on a secret, so that no one else can compute them.
    package init(_ zones: [Zone], random: (Zone) -> [UInt8]) {
        self.circles = zones.map { zone in
            let bytes = random(zone)
            // Evenly over the disk: the square root makes up for the small rings near the center.
            let distance = zone.radius * Self.fraction(bytes.prefix(4)).squareRoot()
            let direction = 360 * Self.fraction(bytes.dropFirst(4).prefix(4))
            return Circle(
                name: zone.name,
                center: zone.center.moved(by: distance, toward: direction),
                radius: 2 * zone.radius
            )
        }
    }

    /// Returns the name of the zone around a place; nil outside of all zones.
    package func name(of coordinate: Coordinate) -> String? {
        self.circles.first { $0.center.distance(to: coordinate) <= $0.radius }?.name
    }

    /// Returns a number from 0 up to 1.
    private static func fraction(_ bytes: some Sequence<UInt8>) -> Double {
        Double(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / 4_294_967_296
    }
}
