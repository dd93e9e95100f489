// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The payload of the topic `position` as texts for the user.
struct PositionSummary: Hashable, Sendable {
    /// The largest shown error in m: half the way around the Earth.
    private static let largestError = 2e7
    /// The error in m from which the digits for some m would be wrong.
    private static let coarseError = 1000.0

    /// The quality: `good`, or why this is not the present position.
    let quality: String
    /// The name of the zone that hides the position; nil outside of zones.
    let zone: String?
    /// Latitude and longitude in degrees, such as `52.51628, 13.37771`; nil in a zone.
    let coordinates: String?
    /// The estimated error, such as `± 8 m`.
    let accuracy: String?
    /// The time of the fix.
    let time: Timestamp?
    /// Whether that time is from a synchronized clock.
    let isCertain: Bool

    /// Reads the payload; nil if it has neither a zone nor a position.
    init?(_ json: JSON) {
        self.quality = Printable.text((json["quality"].string ?? "unknown").prefix(bytes: 20))
        self.time = json["time"].time
        self.isCertain = json["clock"].string == ClockQuality.synchronised.rawValue
        guard self.quality != PositionReport.Quality.withheld.rawValue else {
            guard let zone = json["zone"].string else { return nil }
            self.zone = Printable.text(zone.prefix(bytes: 64))
            (self.coordinates, self.accuracy) = (nil, nil)
            return
        }
        guard let latitude = json["latitude"].double, -90...90 ~= latitude, let longitude = json["longitude"].double,
            -180...180 ~= longitude
        else { return nil }
        self.zone = nil
        let error = json["accuracy"].double.flatMap { 0...Self.largestError ~= $0 ? $0 : nil }
        let places = (error ?? 0) < Self.coarseError ? 5 : 2
        self.coordinates = "\(FixedPoint.text(latitude, places: places)), \(FixedPoint.text(longitude, places: places))"
        self.accuracy = error.map { "± \(Int($0.rounded(.up))) m" }
    }

    /// Whether the position was the present one when it was published.
    var isGood: Bool { self.quality == PositionReport.Quality.good.rawValue }
}
