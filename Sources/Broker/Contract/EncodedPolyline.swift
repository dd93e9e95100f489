// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The widely used text form of a line on the map, the "encoded polyline" with five decimals.
///
/// Each number is the difference to the point before in units of 0.00001°, which is 1.1 m of latitude. Its bits go into
/// printable characters, five to a character, so that a near point takes four to six of them.
package enum EncodedPolyline {
    /// A point in units of 0.00001°.
    package struct Point: Hashable, Sendable {
        package var latitude: Int
        package var longitude: Int

        package init(latitude: Int, longitude: Int) {
            self.latitude = latitude
            self.longitude = longitude
        }

        /// Creates a point from degrees.
        ///
        /// - Parameters:
        ///   - latitude: -90 to 90; other values become the nearest of them.
        ///   - longitude: -180 to 180; likewise.
        package init(degreesNorth latitude: Double, degreesEast longitude: Double) {
            self.latitude = Self.units(latitude, limit: 90)
            self.longitude = Self.units(longitude, limit: 180)
        }

        package var degreesNorth: Double { Double(self.latitude) / 100_000 }
        package var degreesEast: Double { Double(self.longitude) / 100_000 }

        private static func units(_ degrees: Double, limit: Double) -> Int {
            // NaN becomes the lower limit.
            Int((min(max(-limit, degrees), limit) * 100_000).rounded())
        }
    }

    /// The largest number of five-bit groups of a number: a difference between two points has 26 bits.
    private static let groupLimit = 6

    /// Returns the text of a line.
    package static func text(of points: [Point]) -> String {
        var bytes: [UInt8] = []
        var last = Point(latitude: 0, longitude: 0)
        for point in points {
            Self.append(point.latitude - last.latitude, to: &bytes)
            Self.append(point.longitude - last.longitude, to: &bytes)
            last = point
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the points of a text; nil if it is no encoded polyline, or a point lies beyond the poles.
    package static func points(of text: String) -> [Point]? {
        var points: [Point] = []
        var last = Point(latitude: 0, longitude: 0)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard let north = Self.takeNumber(&rest), let east = Self.takeNumber(&rest) else { return nil }
            last.latitude += north
            last.longitude += east
            guard last.latitude.magnitude <= 9_000_000, last.longitude.magnitude <= 18_000_000 else { return nil }
            points.append(last)
        }
        return points
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var value = UInt(bitPattern: number < 0 ? ~(number << 1) : number << 1)
        while value >= 0x20 {
            bytes.append(UInt8(value & 0x1F | 0x20) + 63)
            value >>= 5
        }
        bytes.append(UInt8(value) + 63)
    }

    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        for shift in 0..<Self.groupLimit {
            guard let byte = bytes.popFirst(), 63...126 ~= byte else { return nil }
            value |= Int((byte - 63) & 0x1F) << (5 * shift)
            if byte - 63 < 0x20 { return value & 1 == 0 ? value >> 1 : ~(value >> 1) }
        }
        return nil
    }
}
