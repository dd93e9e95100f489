// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The groups with a layout of their own (SAE J1939-73 and J1939-71), besides those of ``ParameterGroup``.
extension PGN {
    /// DM1: the active codes, broadcast once a second.
    package static let activeCodes: PGN = 0xFECA
    /// DM2: the previously active codes, sent on request.
    package static let previouslyActiveCodes: PGN = 0xFECB
    /// DM5: the readiness since the codes were cleared, sent on request.
    package static let readiness: PGN = 0xFECE
    /// DM6: the emission-related codes that are not confirmed yet, sent on request.
    package static let pendingCodes: PGN = 0xFECF
    /// DM11: the clear of the active codes; its request is the command, and is acknowledged.
    package static let clearActiveCodes: PGN = 0xFED3
    /// DM19: the calibrations, sent on request.
    package static let calibrations: PGN = 0xD300
    /// DM20: the in-use performance of the monitors, sent on request.
    package static let performance: PGN = 0xC200
    /// DM22: the clear of a single code, and its answer.
    package static let individualClear: PGN = 0xC300
    /// DM24: the parameters in diagnostic messages, sent on request.
    package static let supportedSPNs: PGN = 0xFDB6
    /// DM25: the freeze frames, sent on request.
    package static let freezeFrames: PGN = 0xFDB7
    /// DM26: the readiness in this trip, sent on request.
    package static let tripReadiness: PGN = 0xFDB8
    /// DM28: the permanent codes, sent on request.
    package static let permanentCodes: PGN = 0xFD80
    /// DM29: the counts of codes, sent on request.
    package static let codeCounts: PGN = 0x9E00
    /// DM30: results of tests, the answer to DM7.
    package static let testResults: PGN = 0xA400
    /// DM56: the model year and the engine family, sent on request.
    package static let engineFamily: PGN = 0xFCC7
    /// The vehicle identification number, sent on request.
    package static let vehicleIdentification: PGN = 0xFEEC
    /// The make, model and serial number of a component, sent on request.
    package static let componentIdentification: PGN = 0xFEEB
    /// The answer to a request without data, and the refusal of a request.
    package static let acknowledgment: PGN = 0xE800
    /// The request for a group.
    package static let request: PGN = 0xEA00

    /// The groups with a layout of their own, and their names for people.
    package static let named: [(group: PGN, title: String)] = [
        (.activeCodes, "DM1, active codes"), (.previouslyActiveCodes, "DM2, previously active codes"),
        (.readiness, "DM5, readiness"), (.pendingCodes, "DM6, pending codes"),
        (.clearActiveCodes, "DM11, clear of active codes"), (.calibrations, "DM19, calibrations"),
        (.performance, "DM20, in-use performance"), (.individualClear, "DM22, clear of one code"),
        (.supportedSPNs, "DM24, parameters in diagnostic messages"), (.freezeFrames, "DM25, freeze frames"),
        (.permanentCodes, "DM28, permanent codes"), (.codeCounts, "DM29, counts of codes"),
        (.testResults, "DM30, test results"), (.engineFamily, "DM56, model year and engine family"),
        (.vehicleIdentification, "VIN"), (.componentIdentification, "component"),
        (.acknowledgment, "acknowledgment"), (.request, "request for a group"),
    ]

    /// The name for people; nil if the agent does not know the group.
    package var title: String? {
        Self.named.first { $0.group == self }?.title ?? ParameterGroup.withPGN(self)?.title
    }
}
