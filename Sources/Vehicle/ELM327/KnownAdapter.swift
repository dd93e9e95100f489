// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The facts about an adapter, and about the bus behind it, that outlive a process.
package struct KnownAdapter: Hashable, Sendable {
    /// The findings of the last start-up and of the trials (``CapabilityProbe``), without what passes.
    package let report: AdapterReport
    /// Whether trials were made.
    package let isAssessed: Bool

    /// - Parameters:
    ///   - report: the findings of a start-up.
    ///   - assessed: the findings of the trials of the same adapter; nil if none was made.
    package init(_ report: AdapterReport, assessed: AdapterReport?) {
        var lasting = report
        lasting.assessments.merge(assessed?.assessments ?? [:]) { $1 }
        (lasting.voltage, lasting.postponedSettings, lasting.forms) = (nil, [], [])
        for (capability, assessment) in lasting.assessments {
            // Of the evidence only the name of the chip is needed again.
            let evidence = capability == .stn ? assessment.evidence.suffix(1) : []
            lasting.assessments[capability] = Assessment(assessment.verdict, Array(evidence))
        }
        (self.report, self.isAssessed) = (lasting, assessed != nil)
    }
}
