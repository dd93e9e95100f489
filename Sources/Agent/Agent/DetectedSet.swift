// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The remembered result of the detection of a vehicle's model.
struct DetectedSet: Hashable, Sendable {
    /// The name of the signal set that is polled: a model's, as in `Kia EV6`, or that of a make; nil if none fits.
    var set: String?
    /// The model year for which the set was read; nil if it was unknown.
    var year: Int?
    /// The part of the model's asked requests that the vehicle answered, from 0 to 1.
    var share: Double
    /// The date of the detection; nil if the clock was not set.
    var time: Timestamp?
    /// The makes whose models were searched.
    var makes: [String]
    /// The mark of these models in the catalog of that time.
    var catalog: String
}

// The stored form.
extension DetectedSet {
    /// The nesting limit of the stored JSON.
    private static let depthLimit = 4

    /// Decodes the stored form; nil if it is damaged.
    init?(stored body: [UInt8]) {
        guard let json = try? JSON(parsing: body, depthLimit: Self.depthLimit),
            let share = json["share"].double, case .string(let catalog) = json["catalog"]
        else { return nil }
        self.set = json["set"].string
        if case .integer(let year) = json["year"] { self.year = Int(exactly: year) }
        self.share = min(max(share, 0), 1)
        if case .integer(let milliseconds) = json["time"] { self.time = Timestamp(milliseconds: milliseconds) }
        self.makes = json["makes"].elements.compactMap(\.string)
        self.catalog = catalog
    }

    /// The stored form.
    var stored: [UInt8] {
        let json: JSON = [
            "set": self.set.map { .string($0) } ?? .null,
            "year": self.year.map { .integer(Int64($0)) } ?? .null,
            "share": .number(self.share),
            "time": self.time.map { .integer($0.milliseconds) } ?? .null,
            "makes": .array(self.makes.map { .string($0) }),
            "catalog": .string(self.catalog),
        ]
        return Array(json.text.utf8)
    }
}
