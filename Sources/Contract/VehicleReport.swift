// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payload of `vehicle`.
package struct VehicleReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    package var vin: String?
    package var `protocol`: String
    package var ecus: [ECU]
    /// What is polled, in seconds between readings.
    package var selected: [String: Double]
    /// What is selected, and no ECU supports.
    package var unsupported: [String]

    package struct ECU: Encodable, Hashable, Sendable {
        package var ecu: String
        package var name: String?
        package var calibrationIDs: [String]
        package var calibrationVerificationNumbers: [String]
        /// The names of the parameters that it supports.
        package var supported: [String]

        package enum CodingKeys: String, CodingKey {
            case ecu, name, supported
            case calibrationIDs = "calibration_ids"
            case calibrationVerificationNumbers = "calibration_verification_numbers"
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

    package init(
        time: Timestamp,
        vin: String?,
        protocol: String,
        ecus: [ECU],
        selected: [String: Double],
        unsupported: [String]
    ) {
        self.time = time
        self.vin = vin
        self.protocol = `protocol`
        self.ecus = ecus
        self.selected = selected
        self.unsupported = unsupported
    }
}
