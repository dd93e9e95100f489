// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A line of gpsd's protocol, as far as the agent reads it: one JSON object with a `class` (gpsd_json(5)).
package enum GPSDReport: Hashable, Sendable {
    /// The greeting, with the release of gpsd.
    case version(release: String)
    case fix(Fix)
    /// A receiver that has no fix.
    case noFix
    /// An error of gpsd, in its words.
    case error(String)
    /// A report of another class, such as the answer to `?DEVICES;`.
    case other

    /// The least and the greatest plausible values of members of a `TPV`; gpsd passes on what a receiver sends.
    private enum Range {
        static let altitude = -1000.0...20_000
        static let speed = 0.0...400
        static let error = 0.0...1_000_000
        static let heading = 0.0...360
    }

    /// Reads a line.
    ///
    /// A member that is no number, or out of range, counts as missing; a fix needs `mode`, `lat` and `lon`.
    ///
    /// - Parameters:
    ///   - line: without its end.
    ///   - now: the time of receipt.
    /// - Returns: nil if the line is no JSON object with a class, or a `TPV` claims a fix without a place.
    package init?(_ line: [UInt8], at now: MonotonicTime) {
        guard let json = try? JSON(parsing: line, depthLimit: 8), let name = json["class"].string else { return nil }
        switch name {
        case "VERSION": self = .version(release: json["release"].string.map { String($0.prefix(32)) } ?? "")
        case "ERROR": self = .error(json["message"].string.map { String($0.prefix(128)) } ?? "")
        case "TPV":
            guard let report = Self.position(json, at: now) else { return nil }
            self = report
        default: self = .other
        }
    }

    private static func position(_ json: JSON, at now: MonotonicTime) -> GPSDReport? {
        let dimensions: Fix.Dimensions
        switch json["mode"] {
        case .integer(0), .integer(1), .null: return .noFix
        case .integer(2): dimensions = .two
        case .integer(3): dimensions = .three
        default: return nil
        }
        guard let latitude = json["lat"].double, let longitude = json["lon"].double,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return .fix(
            Fix(
                coordinate,
                dimensions,
                accuracy: Self.accuracy(json),
                speed: Self.number(json["speed"], in: Range.speed),
                heading: Self.number(json["track"], in: Range.heading),
                altitude: dimensions == .three
                    ? Self.number(json["altMSL"], in: Range.altitude) ?? Self.number(json["alt"], in: Range.altitude)
                    : nil,
                receiverTime: json["time"].time,
                at: now
            )
        )
    }

    /// Returns the horizontal error: `eph`, or that of both axes together.
    private static func accuracy(_ json: JSON) -> Double? {
        if let horizontal = self.number(json["eph"], in: Range.error) { return horizontal }
        guard let east = self.number(json["epx"], in: Range.error),
            let north = self.number(json["epy"], in: Range.error)
        else { return nil }
        return (east * east + north * north).squareRoot()
    }

    private static func number(_ json: JSON, in range: ClosedRange<Double>) -> Double? {
        json.double.flatMap { range.contains($0) ? $0 : nil }
    }
}
