// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The payload of `vehicle`.
package struct VehicleReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    package var vin: String?
    /// Whether the VIN's check digit is right: `correct`, `wrong`, or `not_demanded`.
    package var vinCheckDigit: String?
    package var `protocol`: String
    /// The diagnostic protocol of the ECUs: `j1979`, `j1979_2`, `j1939` or `manufacturer`.
    package var dialect: String
    package var ecus: [ECU]
    /// The poll interval of each selected parameter, in seconds.
    package var selected: [String: Double]
    /// The configured dead bands in metric units: the least change of a value that is published at once.
    package var deadBands: [String: Double]
    /// The version of the selection.
    package var selectionVersion: Int
    /// The selected parameters, and the values of limits and capture rules, that no ECU supports.
    package var unsupported: [String]
    /// The names of the supported values with each role that are selected, or read during a charge, in the order in
    /// which they count for it.
    package var roles: [String: [String]]
    /// The codes that stand for true, by the name of the coded value; every code but 0 if the name is missing.
    package var trueValues: [String: [Int]]
    /// The symbols of the metric units of the custom ones among those values, by name; none for a value without a unit.
    package var units: [String: String]
    /// The titles that the user, or the signal set, gave the custom ones among those values, by name; nil if there are none.
    package var titles: [String: String]?
    /// The signal set of the vehicle's model that the agent has detected; nil without one.
    package var signalSet: SignalSet?
    /// The sources of each derived parameter that the vehicle supports, by its name; nil if there is none.
    package var derived: [String: DerivedReport]?

    private enum CodingKeys: String, CodingKey {
        case v, time, vin, `protocol`, dialect, ecus, selected, unsupported, roles, units, titles, derived
        case vinCheckDigit = "vin_check_digit"
        case deadBands = "dead_bands"
        case selectionVersion = "selection_version"
        case trueValues = "true_values"
        case signalSet = "signal_set"
    }

    /// The signal set of a detected model.
    package struct SignalSet: Encodable, Hashable, Sendable {
        /// The make and the model, as in `Kia EV6`; the make alone for the set of a make.
        package var name: String
        /// The model year of the set's signals; nil if it was unknown.
        package var year: Int?
        /// The part of the model's asked requests that the vehicle answered, from 0 to 1.
        package var share: Double
        /// The date of the detection; nil if the clock was not set.
        package var detected: Timestamp?

        package init(name: String, year: Int?, share: Double, detected: Timestamp?) {
            self.name = name
            self.year = year
            self.share = (share * 1000).rounded() / 1000
            self.detected = detected
        }
    }

    package struct ECU: Encodable, Hashable, Sendable {
        package var ecu: String
        package var name: String?
        /// The VIN of this ECU; left out if all ECUs have the same VIN.
        package var vin: String?
        package var calibrationIDs: [String]
        package var calibrationVerificationNumbers: [String]
        /// The names of the parameters that the ECU supports.
        package var supported: [String]
        package var inUsePerformance: InUsePerformanceReport?
        package var engineSerialNumber: String?
        package var typeApprovalNumber: String?
        /// The items of vehicle information that the ECU supports but that could not be read.
        package var unread: [String] = []

        package enum CodingKeys: String, CodingKey {
            case ecu, name, vin, supported, unread
            case calibrationIDs = "calibration_ids"
            case calibrationVerificationNumbers = "calibration_verification_numbers"
            case inUsePerformance = "in_use_performance"
            case engineSerialNumber = "engine_serial_number"
            case typeApprovalNumber = "type_approval_number"
        }

        package init(
            ecu: String,
            name: String?,
            calibrationIDs: [String],
            calibrationVerificationNumbers: [String],
            supported: [String]
        ) {
            self.ecu = ecu
            self.name = name
            self.calibrationIDs = calibrationIDs
            self.calibrationVerificationNumbers = calibrationVerificationNumbers
            self.supported = supported
        }
    }

    /// - Parameter values: the supported values that are selected, or read during a charge; those with a role and the
    ///   custom ones with a unit are shown.
    package init(
        time: Timestamp,
        vin: VIN?,
        protocol: String,
        dialect: Dialect,
        ecus: [ECU],
        selected: [String: Double],
        deadBands: [String: Double],
        selectionVersion: Int,
        unsupported: [String],
        values: [Field] = []
    ) {
        self.time = time
        self.vin = vin?.description
        self.vinCheckDigit = vin?.checkDigit.rawValue
        self.protocol = `protocol`
        self.dialect = dialect.rawValue
        self.ecus = ecus
        self.selected = selected
        self.deadBands = deadBands
        self.selectionVersion = selectionVersion
        self.unsupported = unsupported
        self.roles = Dictionary(
            ParameterRole.names(of: values).map { ($0.key.rawValue, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        self.trueValues = Dictionary(
            values.compactMap { value in
                value.kind == .code ? value.trueValues.map { (value.name, $0.sorted()) } : nil
            },
            uniquingKeysWith: { first, _ in first }
        )
        self.units = Dictionary(
            values.compactMap { value in value.isCustom ? value.symbol.map { (value.name, $0) } : nil },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
