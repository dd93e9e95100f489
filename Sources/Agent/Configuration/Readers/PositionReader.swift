// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import TOML

/// Reads the table `[position]`.
enum PositionReader {
    /// The keys of a table `[[position.zones]]`.
    private enum ZoneKey: String, CaseIterable {
        case name, latitude, longitude, radius
    }

    /// - Parameter clock: the table `[clock]`, which may need the time of the satellites.
    static func read(
        _ clock: Configuration.Clock,
        _ cursor: inout ConfigurationCursor
    ) -> Configuration.Position {
        let gpsd = cursor.value(.positionGPSD) { (text) throws(ValueError) in try Configuration.Position.GPSD(text) }
        if clock.trust == .gps, cursor.value(.positionGPSD) == nil || cursor.value(.positionGPSD) == .text("") {
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
        return elements.indices.prefix(limit).compactMap { index in
            guard let table = elements[index].value.table else {
                cursor.report(path, "expected a table, found \(elements[index].value)", element: index)
                return nil
            }
            return Self.zone(table, index, &cursor)
        }
    }

    private static func zone(_ table: Table, _ index: Int, _ cursor: inout ConfigurationCursor) -> HomeZones.Zone? {
        for name in table.entries.map(\.name) where ZoneKey(rawValue: name) == nil {
            cursor.report(
                Key.positionZones.path,
                "unknown key \(name.quoted)",
                suggestion: Spelling.closest(to: name, in: ZoneKey.allCases.map(\.rawValue)),
                element: index
            )
        }
        let radii = Configuration.Position.radii
        let name = Self.name(table, index, &cursor)
        let latitude = Self.number(table, .latitude, in: -90...90, index, &cursor)
        let longitude = Self.number(table, .longitude, in: -180...180, index, &cursor)
        let radius = Self.number(table, .radius, in: radii, or: Configuration.Position.defaultRadius, index, &cursor)
        guard let name, let latitude, let longitude, let radius,
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return HomeZones.Zone(name: name, center: center, radius: radius)
    }

    private static func name(_ table: Table, _ index: Int, _ cursor: inout ConfigurationCursor) -> String? {
        guard case .text(let name) = table[ZoneKey.name.rawValue]?.value, !name.isEmpty,
            name.utf8.count <= Configuration.Position.nameLimit
        else {
            let limit = Configuration.Position.nameLimit
            cursor.report(
                Key.positionZones.path,
                "expected a name of 1 to \(limit) bytes in quotes. Try: name = \"home\"",
                element: index
            )
            return nil
        }
        return name
    }

    private static func number(
        _ table: Table,
        _ key: ZoneKey,
        in range: ClosedRange<Double>,
        or fallback: Double? = nil,
        _ index: Int,
        _ cursor: inout ConfigurationCursor
    ) -> Double? {
        let number: Double?
        switch table[key.rawValue]?.value {
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        case nil where fallback != nil: return fallback
        default: number = nil
        }
        if let number, range.contains(number) { return number }
        cursor.report(
            Key.positionZones.path,
            "\(key.rawValue) is not a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))",
            element: index
        )
        return nil
    }
}
