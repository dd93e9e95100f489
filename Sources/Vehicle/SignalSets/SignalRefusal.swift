// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a valid signal is left out of an import.
package struct SignalRefusal: Error, Hashable, Sendable {
    /// The kind of a reason, by which omissions are counted.
    package enum Cause: CaseIterable, Hashable, Sendable {
        case session, modelYear, address, request, unknownKey, text, computed, unit, format, catalogue, name, repeated,
            frame

        /// The cause as a phrase that completes "left out, because it …".
        package var text: String {
            switch self {
            case .session: "needs a diagnostic session"
            case .modelYear: "is not for this model year"
            case .address: "has no diagnostic address, or none that tells which ECU answers"
            case .request: "needs a request that is not polled"
            case .unknownKey: "has a key that the import does not know"
            case .text: "is a text"
            case .computed: "is computed from other signals"
            case .unit: "has an unknown unit"
            case .format: "has bits, a scaling or limits that no formula can express"
            case .catalogue: "has the name of a parameter of the catalog"
            case .name: "has a name that the configuration does not take"
            case .repeated: "repeats another signal"
            case .frame: "is in no frame that can be received"
            }
        }
    }

    let cause: Cause
    /// The reason, as a phrase for people.
    let reason: String

    init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }
}
