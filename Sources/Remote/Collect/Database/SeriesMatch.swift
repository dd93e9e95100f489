// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The ids of wanted series among the rows of the table `series`, and what must change there.
struct SeriesMatch {
    /// The ids of the series that are there.
    private(set) var ids: [SeriesKey: Int64] = [:]
    /// The series to create, in the order of their names, each once.
    private(set) var missing: [SeriesKey] = []
    /// The series without a unit that get one.
    private(set) var named: [(id: Int64, unit: String)] = []

    /// - Parameters:
    ///   - keys: the wanted series.
    ///   - rows: all rows with the vehicles, parameters and ECUs of the keys, in ascending order of the ids.
    init(_ keys: [SeriesKey], among rows: [(id: Int64, key: SeriesKey)]) {
        let exact = Dictionary(rows.map { ($0.key, $0.id) }) { first, _ in first }
        let newest = Dictionary(rows.map { (Self.withoutUnit($0.key), $0.id) }) { _, last in last }
        // Keys with a unit come first, so that one without stands for a series that is created at the same time.
        var units: [SeriesKey: String] = [:]
        var created: Set<SeriesKey> = []
        for key in Set(keys).sorted(by: Self.precedes) {
            let name = Self.withoutUnit(key)
            if let unit = key.unit {
                if let id = exact[key] {
                    self.ids[key] = id
                } else if let id = exact[name], units[name] == nil {
                    self.named.append((id, unit))
                    units[name] = unit
                } else {
                    self.missing.append(key)
                    created.insert(name)
                }
            } else if let id = newest[name] {
                self.ids[key] = id
            } else if created.insert(name).inserted {
                self.missing.append(key)
            }
        }
    }

    private static func withoutUnit(_ key: SeriesKey) -> SeriesKey {
        SeriesKey(vehicle: key.vehicle, parameter: key.parameter, ecu: key.ecu)
    }

    static func precedes(_ left: SeriesKey, _ right: SeriesKey) -> Bool {
        (left.vehicle, left.parameter, left.ecu, left.unit == nil ? 1 : 0, left.unit ?? "")
            < (right.vehicle, right.parameter, right.ecu, right.unit == nil ? 1 : 0, right.unit ?? "")
    }
}
