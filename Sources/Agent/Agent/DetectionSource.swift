// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import OBD2
import SignalSets

/// The local catalog of signal sets, as a detection uses it.
///
/// The catalog is read for each detection, so that new sets count without a restart.
struct DetectionSource: Sendable {
    /// The folders and archives of the catalog.
    let paths: [String]
    let clock: any CalendarClock

    /// The catalog as it is now.
    var catalog: LocalCatalog { LocalCatalog(paths: self.paths) }

    /// Returns the models that a vehicle may be.
    ///
    /// - Parameters:
    ///   - make: the make; nil takes those of the VIN.
    ///   - year: the model year; nil takes that of the VIN.
    func search(vin: VIN?, make: String?, year: Int?) throws(Refusal) -> ModelSearch {
        let makes = make.map { [$0] } ?? vin?.makes ?? []
        guard !makes.isEmpty else {
            let reason =
                vin.map { "The manufacturer of VIN \($0) is unknown." }
                ?? "The vehicle reports no VIN, like some electric ones."
            throw Refusal(.vehicleUnknown, "\(reason) Try: name the make, and the model year if you know it.")
        }
        let local = self.catalog
        guard !local.catalog.entries.isEmpty else {
            throw Refusal(
                .notSupported,
                "The agent has no signal sets in \(self.paths.joined(separator: ", ")). "
                    + "Try: install the package obd-signals, or set [parameters] catalog."
            )
        }
        let search = local.search(makes: makes, year: year ?? self.modelYear(of: vin))
        guard search.hasRequests else {
            let reason = local.reasonOfEmptySearch(makes: makes, year: search.year)
            let end = reason.hasSuffix("?") ? "" : "."
            throw Refusal(.notSupported, "\(reason.prefix(1).uppercased())\(reason.dropFirst())\(end)")
        }
        return search
    }

    /// Returns the model year of a VIN; nil without one, and while the present year is unknown.
    private func modelYear(of vin: VIN?) -> Int? {
        self.clock.quality == .synchronised ? vin?.modelYear(notAfter: self.clock.timestamp.year + 1) : nil
    }
}
