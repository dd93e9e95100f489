// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The counts of codes and the readiness of one ECU: DM5, diagnostic readiness 1 (SAE J1939-73, 5.7.5).
package struct ReadinessMessage: Hashable, Sendable {
    /// The number of active codes; nil if the ECU does not report it.
    package let activeCodes: Int?
    /// The number of previously active codes; nil if the ECU does not report it.
    package let previouslyActiveCodes: Int?
    /// The number of the regulation with which the ECU complies, as in PID 1C; nil if the ECU does not report it.
    package let compliance: UInt8?
    /// The monitors; nil if the ECU does not take part in on-board diagnostics, so that its bits mean nothing.
    package let readiness: MonitorReadiness?

    package init(
        activeCodes: Int?,
        previouslyActiveCodes: Int?,
        compliance: UInt8?,
        readiness: MonitorReadiness?
    ) {
        self.activeCodes = activeCodes
        self.previouslyActiveCodes = previouslyActiveCodes
        self.compliance = compliance
        self.readiness = readiness
    }

    /// Reads the eight data bytes.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        let readiness = try MonitorReadiness(data)
        let compliance = GroupCount.value(data[2]).map(UInt8.init)
        self.init(
            activeCodes: GroupCount.value(data[0]),
            previouslyActiveCodes: GroupCount.value(data[1]),
            compliance: compliance,
            readiness: data[2] == Self.noDiagnostics || data[2] == 0xFF ? nil : readiness
        )
    }

    /// The data of the message.
    package var data: [UInt8] {
        let counts = [self.activeCodes, self.previouslyActiveCodes].map(GroupCount.byte)
        let readiness = self.readiness ?? MonitorReadiness(supported: [], incomplete: [])
        return counts + [self.compliance ?? (self.readiness == nil ? 0xFF : 0xFE)] + readiness.data
    }

    /// The number for an ECU that no regulation on diagnostics covers.
    private static let noDiagnostics: UInt8 = 5
}
