// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A state of a vehicle that outlives the process, in place of an earlier one of its kind.
package struct StoredState: Hashable, Sendable {
    /// The kinds of states; a vehicle has at most one state of each.
    package enum Kind: String, CaseIterable, Sendable {
        /// The parameters to poll.
        case selection
        /// The result of the detection of the model.
        case detection
        /// The totals of the trips, the last trip, and the present one.
        case trips
        /// The limits that are exceeded.
        case limits
        /// The present codes, and when each was first seen.
        case codes
        /// The calibrations of the ECUs of a vehicle without a VIN.
        case calibrations
        /// The rollback of an upgrade that was told last.
        case rollback
    }

    package var kind: Kind
    /// A JSON object.
    package var body: [UInt8]

    package init(_ kind: Kind, _ body: [UInt8]) {
        self.kind = kind
        self.body = body
    }
}
