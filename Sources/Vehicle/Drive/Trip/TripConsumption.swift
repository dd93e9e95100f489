// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The consumption of a trip: what was used in a time, by the distance that was driven in the same time.
struct TripConsumption {
    /// A distance in km, and the seconds in which it was driven.
    struct Part {
        var distance: Double
        var seconds: Double
    }

    /// The shortest distance with a consumption, in km.
    private static let shortest = 0.5
    /// The least share of the trip that shows its consumption.
    private static let leastShare = 0.5
    /// The share by which two times are the same.
    private static let sameShare = 0.95

    /// The distances that are known, the one of the trip first.
    private let parts: [Part]

    /// - Parameters:
    ///   - parts: the distances that are known, the preferred one first.
    ///   - duration: that of the trip, in seconds.
    init(_ parts: [Part?], duration: Double) {
        self.parts = parts.compactMap(\.self).filter {
            $0.distance >= Self.shortest && $0.seconds >= duration * Self.leastShare
        }
    }

    /// Returns the consumption per 100 km; nil if no distance covers the time in which the consumer was observed.
    func per100Kilometers(_ used: Double, in seconds: Double) -> Double? {
        let part = self.parts.first { part in
            min(seconds, part.seconds) >= max(seconds, part.seconds) * Self.sameShare
        }
        return part.map { used / $0.distance * 100 }
    }
}
