// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The exceeded limits, the trip and the position, as far as the vehicle publishes them.
struct DriveBlock {
    /// The age from which a message that comes each minute is old.
    private static let old = Duration.seconds(150)
    /// The largest number of limits beside other parts.
    private static let listedLimits = 4

    let pane: Pane
    /// Whether all limits are listed, and the trip has all its figures.
    let isDetailed: Bool

    private var drive: DriveView { self.pane.view.drive }
    private var isOnline: Bool { self.pane.isOnline }

    var lines: [StyledLine] { self.limits + self.trip + self.place }

    // MARK: - Limits

    var limits: [StyledLine] {
        let exceeded = self.drive.exceededLimits
        let room = self.isDetailed ? exceeded.count : Self.listedLimits
        let lines = exceeded.prefix(room).flatMap { limit in
            self.pane.flow(
                ("Limit", .plain),
                [
                    (limit.name, self.isOnline ? .danger : .faded),
                    (
                        "exceeded \(self.pane.age(limit.since, isCertain: self.pane.isCertain))",
                        self.isOnline ? .attention : .faded
                    ),
                    (limit.condition, .dim),
                ]
            )
        }
        let rest = exceeded.count - room
        let more = rest > 0 ? [StyledLine("and \(rest) more \(rest == 1 ? "limit" : "limits")", .dim)] : []
        return lines + more + (self.isDetailed ? self.otherLimits : [])
    }

    /// The limits that are not exceeded, or of which that is not known.
    private var otherLimits: [StyledLine] {
        self.drive.otherLimits.flatMap { limit in
            let state = limit.isExceeded == nil ? "not known" : "not exceeded"
            return self.pane.flow(
                ("Limit", .plain),
                [
                    (limit.name, self.isOnline ? .plain : .faded), (state, self.isOnline ? .dim : .faded),
                    (limit.condition, .dim),
                ]
            )
        }
    }

    // MARK: - The trip

    var trip: [StyledLine] {
        guard let trip = self.drive.trip else { return [] }
        let age = self.pane.age(trip.time, isCertain: trip.isCertain)
        let state: (String, TextStyle) =
            if !trip.isOngoing {
                ("ended \(age)", .dim)
            } else if !self.isOnline {
                ("was under way \(age)", .faded)
            } else if self.isRecent(trip.time, trip.isCertain) {
                ("under way", .good)
            } else {
                ("under way \(age)", .attention)
            }
        let distance = trip.distance.map { self.pane.figure($0, "km") }
        let figures = [distance, "\(trip.minutes) min"].compactMap(\.self) + self.uses(trip)
        let more = self.isDetailed ? self.speeds(trip) : []
        return self.pane.flow(
            ("Trip", .plain),
            [state] + (figures + more).map { ($0, self.isOnline ? .plain : .faded) }
        )
    }

    private func uses(_ trip: TripSummary) -> [String] {
        [("fuel", "L"), ("energy", "kWh")].compactMap { name, unit in
            let use = trip.use(name)
            let amount = use.amount.map { self.pane.figure($0, unit) }
            let consumption = use.consumption.map { self.consumption($0, "\(unit)/100 km") }
            return self.isDetailed
                ? [consumption, amount].compactMap(\.self).joined(separator: "   ") : consumption ?? amount
        }.filter { !$0.isEmpty }
    }

    private func consumption(_ number: Double, _ unit: String) -> String {
        guard self.pane.units == .imperial, unit == "L/100 km", number > 0 else {
            return self.pane.figure(number, unit)
        }
        let miles = 235.214583 / number
        return miles.isFinite ? "\(FixedPoint.text(miles, places: 1)) mpg(US)" : self.pane.figure(number, unit)
    }

    private func speeds(_ trip: TripSummary) -> [String] {
        [("mean", trip.meanSpeed), ("at most", trip.maximumSpeed)].compactMap { words, speed in
            speed.map { "\(words) \(self.pane.figure($0, "km/h"))" }
        }
    }

    // MARK: - The position

    var place: [StyledLine] {
        guard let position = self.drive.position else { return [] }
        let age = self.pane.age(position.time, isCertain: position.isCertain)
        let isPresent = self.isOnline && position.isGood && self.isRecent(position.time, position.isCertain)
        let isTrusted = isPresent || position.zone != nil
        let doubt = position.isGood || position.zone != nil ? "" : "\(position.quality), "
        let parts = [position.zone.map { "zone \($0)" }, position.coordinates, position.accuracy].compactMap(\.self)
        return self.pane.flow(
            ("Place", .plain),
            [(doubt + age, isTrusted ? .dim : .attention)] + parts.map { ($0, self.isOnline ? .plain : .faded) }
        )
    }

    /// Returns whether a time is so near that a message with it, which comes each minute, is the newest one.
    private func isRecent(_ time: Timestamp?, _ isCertain: Bool) -> Bool {
        guard isCertain, let time, time.age(at: self.pane.now.date) != nil else { return false }
        return self.pane.now.date - time < Self.old
    }
}
