// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import TOML

/// Reads the table `[position]`.
enum PositionReader {
    /// - Parameter clock: the table `[clock]`, which may need the time of the satellites.
    static func read(
        _ clock: Configuration.Clock,
        _ cursor: inout ConfigurationCursor
    ) -> Configuration.Position {
        let gpsd = cursor.value(.positionGPSD) { (text) throws(ValueError) in try Configuration.Position.GPSD(text) }
        if clock.trust == .gps, !cursor.isSet(Key.positionGPSD.path) {
            cursor.report(
                Key.clockTrust.path,
                "\"gps\" has no effect without a receiver. Try: gpsd = \"localhost:2947\" in [position]"
            )
        }
        return .init(gpsd: gpsd, sharing: cursor.word(.positionShare) ?? .full, zones: Self.zones(&cursor))
    }

    private static func zones(_ cursor: inout ConfigurationCursor) -> [HomeZones.Zone] {
        let path = Key.positionZones.path
        guard let value = cursor.value(.positionZones) else { return [] }
        guard case .array(let elements) = value else {
            cursor.report(path, "expected tables [[position.zones]], found \(value)")
            return []
        }
        let limit = Configuration.Position.zoneLimit
        if elements.count > limit { cursor.report(path, "more than \(limit) zones. Try: fewer, larger zones") }
        var zones: [HomeZones.Zone] = []
        for (index, element) in elements.prefix(limit).enumerated() {
            guard let table = element.value.table else {
                cursor.report(path, "expected a table, found \(element.value)", element: index)
                continue
            }
            let place = ZonePlace(index: index, name: table[ZoneKey.name.rawValue]?.value)
            guard let zone = Self.zone(table, place, &cursor) else { continue }
            if zones.contains(where: { $0.name == zone.name }) {
                cursor.report(.name, of: place, "another zone has this name. Try: another name")
            }
            zones.append(zone)
        }
        return zones
    }

    private static func zone(_ table: Table, _ place: ZonePlace, _ cursor: inout ConfigurationCursor) -> HomeZones.Zone?
    {
        for name in table.entries.map(\.name) where ZoneKey(rawValue: name) == nil {
            cursor.report(
                Key.positionZones.path,
                "\(place): unknown key \(name.quoted)",
                suggestion: Spelling.closest(to: name, in: ZoneKey.allCases.map(\.rawValue)),
                element: place.index,
                member: name
            )
        }
        let radii = Configuration.Position.radii
        let name = Self.name(table, place, &cursor)
        let latitude = Self.number(table, .latitude, in: -90...90, place, &cursor)
        let longitude = Self.number(table, .longitude, in: -180...180, place, &cursor)
        let radius = Self.number(table, .radius, in: radii, or: Configuration.Position.defaultRadius, place, &cursor)
        guard let name, let latitude, let longitude, let radius,
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return HomeZones.Zone(name: name, center: center, radius: radius)
    }

    private static func name(_ table: Table, _ place: ZonePlace, _ cursor: inout ConfigurationCursor) -> String? {
        let limit = Configuration.Position.nameLimit
        guard case .text(let name) = table[ZoneKey.name.rawValue]?.value, 1...limit ~= name.utf8.count else {
            let message = "expected a name of 1 to \(limit) bytes in quotes. Try: name = \"home\""
            cursor.report(.name, of: place, message)
            return nil
        }
        return name
    }

    /// Returns a number of a zone; its errors do not repeat it, because it may be a place to protect.
    private static func number(
        _ table: Table,
        _ key: ZoneKey,
        in range: ClosedRange<Double>,
        or fallback: Double? = nil,
        _ place: ZonePlace,
        _ cursor: inout ConfigurationCursor
    ) -> Double? {
        let number: Double?
        let bounds = "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        switch table[key.rawValue]?.value {
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        case nil, .text(""):
            if fallback == nil { cursor.report(key, of: place, "\(key.rawValue) is missing. Try: \(bounds)") }
            return fallback
        default: number = nil
        }
        if let number, range.contains(number) { return number }
        cursor.report(key, of: place, "\(key.rawValue) is not \(bounds)")
        return nil
    }
}

/// The keys of a table `[[position.zones]]`.
private enum ZoneKey: String, CaseIterable {
    case name, latitude, longitude, radius
}

/// A table `[[position.zones]]` as errors name it: by its name, or by its number from 1 without one.
private struct ZonePlace: CustomStringConvertible {
    let index: Int
    let name: TOMLValue?

    var description: String {
        if case .text(let name) = self.name, !name.isEmpty { return "zone \(name.quoted)" }
        return "zone \(self.index + 1)"
    }
}

extension ConfigurationCursor {
    /// Records a problem with a key of a zone.
    fileprivate mutating func report(_ key: ZoneKey, of place: ZonePlace, _ message: String) {
        self.report(
            Key.positionZones.path,
            "\(place): \(message)",
            element: place.index,
            member: key.rawValue
        )
    }
}
