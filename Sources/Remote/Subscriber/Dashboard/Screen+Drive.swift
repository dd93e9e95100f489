// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension Screen {
    /// The age from which a message that comes each minute is old.
    private static let old = Duration.seconds(150)
    private static let unknownTime = "at an unknown time"

    /// The exceeded limits, the trip and the position, as far as the vehicle publishes them.
    var drive: [StyledLine] { self.limits + self.trip + self.place }

    private var limits: [StyledLine] {
        let limits = self.view.drive.exceededLimits
        let isCertain = self.view.picture.status["clock"].string != ClockQuality.unsynchronised.rawValue
        let room = max(1, self.size.rows / 8)
        let lines = limits.prefix(room).flatMap { limit in
            let age = isCertain ? limit.since?.age(at: self.now) : nil
            return self.flow(
                "Limit",
                [
                    (limit.name, .danger), ("exceeded \(age ?? Self.unknownTime)", .attention),
                    (limit.condition, .dim),
                ]
            )
        }
        let rest = limits.count - room
        return rest > 0 ? lines + [StyledLine("and \(rest) more \(rest == 1 ? "limit" : "limits")", .dim)] : lines
    }

    private var trip: [StyledLine] {
        guard let trip = self.view.drive.trip else { return [] }
        let age = trip.isCertain ? trip.time?.age(at: self.now) : nil
        let state: (String, TextStyle) =
            if !trip.isOngoing {
                ("ended \(age ?? Self.unknownTime)", .dim)
            } else if self.isRecent(trip.time, trip.isCertain) {
                ("under way", .good)
            } else {
                ("under way \(age ?? Self.unknownTime)", .attention)
            }
        let uses = [("fuel", "L"), ("energy", "kWh")].compactMap { name, unit in
            let use = trip.use(name)
            return use.consumption.map { "\(Self.text($0)) \(unit)/100 km" }
                ?? use.amount.map { "\(Self.text($0)) \(unit)" }
        }
        let distance = trip.distance.map { "\(Self.text($0)) km" }
        let figures = [distance, "\(trip.minutes) min"].compactMap(\.self) + uses
        return self.flow("Trip", [state] + figures.map { ($0, .plain) })
    }

    private var place: [StyledLine] {
        guard let position = self.view.drive.position else { return [] }
        let age = position.isCertain ? position.time?.age(at: self.now) : nil
        let isPresent = position.isGood && self.isRecent(position.time, position.isCertain)
        let isTrusted = isPresent || position.zone != nil
        let doubt = position.isGood || position.zone != nil ? "" : "\(position.quality), "
        let parts = [position.zone.map { "zone \($0)" }, position.coordinates, position.accuracy].compactMap(\.self)
        return self.flow(
            "Place",
            [(doubt + (age ?? Self.unknownTime), isTrusted ? .dim : .attention)] + parts.map { ($0, .plain) }
        )
    }

    /// Returns whether a time is so near that a message with it, which comes each minute, is the newest one.
    private func isRecent(_ time: Timestamp?, _ isCertain: Bool) -> Bool {
        guard isCertain, let time, time.age(at: self.now) != nil else { return false }
        return self.now - time < Self.old
    }

    /// Returns the parts behind a label; a part that does not fit begins another line.
    private func flow(_ label: String, _ parts: [(text: String, style: TextStyle)]) -> [StyledLine] {
        var (lines, line) = ([StyledLine](), StyledLine(label))
        line.tab(self.labelWidth)
        for part in parts where !part.text.isEmpty {
            if line.width > self.labelWidth {
                if line.width + 3 + Cells.width(part.text) <= self.size.columns {
                    line.add("   ")
                } else {
                    lines.append(line)
                    line = StyledLine()
                    line.tab(self.labelWidth)
                }
            }
            line.add(part.text, part.style)
        }
        return lines + [line]
    }
}
