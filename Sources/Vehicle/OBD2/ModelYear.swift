// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The model year of a vehicle.
package enum ModelYear {
    /// The years that a sender or a user may name; the codes in VINs begin with 1980 (49 CFR 565.15).
    package static let range = 1980...2099

    /// The years in words, for an error.
    package static let expectation = "a model year from \(range.lowerBound) to \(range.upperBound)"
}
