// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The figures of the topic `trip` that matter most to people.
struct TripSummary: Hashable, Sendable {
    /// The largest number that is shown.
    private static let largest = 1e9

    /// Whether the trip goes on.
    let isOngoing: Bool
    /// The end of a finished trip, or the time of the message about one that goes on.
    let time: Timestamp?
    /// Whether that time is from a synchronized clock.
    let isCertain: Bool
    let minutes: Int
    private let trip: JSON

    /// Reads the payload; nil if it has no trip.
    init?(_ json: JSON) {
        self.trip = json["trip"]
        guard case .object = self.trip else { return nil }
        self.isOngoing = json["ongoing"].bool == true
        self.time = self.isOngoing ? json["time"].time : self.trip["end"]["time"].time ?? json["time"].time
        self.isCertain = json["clock"].string == ClockQuality.synchronised.rawValue
        self.minutes = Int(min(Self.largest, max(0, (self.trip["duration"].double ?? 0) / 60)).rounded())
    }

    /// The distance in km.
    var distance: Double? { self.number("distance") }

    /// The mean and the largest speed in km/h.
    var meanSpeed: Double? { self.number("mean_speed") }
    var maximumSpeed: Double? { self.number("maximum_speed") }

    /// Returns the fuel or the energy: the amount, and the consumption per 100 km.
    func use(_ name: String) -> (amount: Double?, consumption: Double?) {
        (self.number(name), self.number("\(name)_consumption"))
    }

    private func number(_ name: String) -> Double? {
        self.trip[name].double.flatMap { $0.magnitude <= Self.largest ? $0 : nil }
    }
}
