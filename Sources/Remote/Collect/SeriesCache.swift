// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The ids of series that the database has told.
///
/// The vehicles of a fleet have the same parameters, so each name is kept once.
struct SeriesCache: Sendable {
    /// The largest size, in bytes; beyond, everything is forgotten, and the database is asked again.
    static let sizeLimit = 32 << 20

    /// The name of a series of any vehicle.
    private struct Name: Hashable, Sendable {
        let parameter: String
        let ecu: String
        let unit: String?

        init(_ key: SeriesKey) { (self.parameter, self.ecu, self.unit) = (key.parameter, key.ecu, key.unit) }

        /// The estimated size in the table, in bytes.
        var size: Int { 200 + self.parameter.utf8.count + self.ecu.utf8.count + (self.unit?.utf8.count ?? 0) }
    }

    private var names: [Name: UInt32] = [:]
    private var ids: [String: [UInt32: Int64]] = [:]
    /// The estimated size in bytes.
    private(set) var size = 0

    /// The id of a series; nil if it is not known.
    subscript(key: SeriesKey) -> Int64? {
        guard let ids = self.ids[key.vehicle], let name = self.names[Name(key)] else { return nil }
        return ids[name]
    }

    /// Adds the ids of series.
    mutating func insert(_ found: [SeriesKey: Int64]) {
        for (key, id) in found {
            if self.size > Self.sizeLimit { self = SeriesCache() }
            let name = Name(key)
            let number = self.names[name] ?? UInt32(self.names.count)
            if self.names.updateValue(number, forKey: name) == nil { self.size += name.size }
            if self.ids[key.vehicle] == nil { self.size += 300 + key.vehicle.utf8.count }
            // A table has room for up to twice its entries.
            if self.ids[key.vehicle, default: [:]].updateValue(id, forKey: number) == nil { self.size += 32 }
        }
    }
}
