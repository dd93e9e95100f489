// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Screen {
    /// The age from which a message that comes each minute is old.
    private static let old = Duration.seconds(150)

    /// Whether the agent is known to be online.
    private var isOnline: Bool { self.lamps.agent.light == .good }

    /// The exceeded limits, the trip and the position, as far as the vehicle publishes them.
    var drive: [StyledLine] { self.limits + self.trip + self.place }

    private var limits: [StyledLine] {
        let limits = self.view.drive.exceededLimits
        let room = max(1, self.size.rows / 8)
        let lines = limits.prefix(room).flatMap { limit in
            self.flow(
                ("Limit", .plain),
                [
                    (limit.name, self.isOnline ? .danger : .faded),
                    (
                        "exceeded \(self.age(limit.since, isCertain: self.isCertain))",
                        self.isOnline ? .attention : .faded
                    ),
                    (limit.condition, .dim),
                ]
            )
        }
        let rest = limits.count - room
        return rest > 0 ? lines + [StyledLine("and \(rest) more \(rest == 1 ? "limit" : "limits")", .dim)] : lines
    }

    private var trip: [StyledLine] {
        guard let trip = self.view.drive.trip else { return [] }
        let age = self.age(trip.time, isCertain: trip.isCertain)
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
        let uses = [("fuel", "L"), ("energy", "kWh")].compactMap { name, unit in
            let use = trip.use(name)
            return use.consumption.map { "\(Self.text($0)) \(unit)/100 km" }
                ?? use.amount.map { "\(Self.text($0)) \(unit)" }
        }
        let distance = trip.distance.map { "\(Self.text($0)) km" }
        let figures = [distance, "\(trip.minutes) min"].compactMap(\.self) + uses
        return self.flow(("Trip", .plain), [state] + figures.map { ($0, self.isOnline ? .plain : .faded) })
    }

    private var place: [StyledLine] {
        guard let position = self.view.drive.position else { return [] }
        let age = self.age(position.time, isCertain: position.isCertain)
        let isPresent = self.isOnline && position.isGood && self.isRecent(position.time, position.isCertain)
        let isTrusted = isPresent || position.zone != nil
        let doubt = position.isGood || position.zone != nil ? "" : "\(position.quality), "
        let parts = [position.zone.map { "zone \($0)" }, position.coordinates, position.accuracy].compactMap(\.self)
        return self.flow(
            ("Place", .plain),
            [(doubt + age, isTrusted ? .dim : .attention)] + parts.map { ($0, self.isOnline ? .plain : .faded) }
        )
    }

    /// Returns whether a time is so near that a message with it, which comes each minute, is the newest one.
    private func isRecent(_ time: Timestamp?, _ isCertain: Bool) -> Bool {
        guard isCertain, let time, time.age(at: self.now.date) != nil else { return false }
        return self.now.date - time < Self.old
    }
}
