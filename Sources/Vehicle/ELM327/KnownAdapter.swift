// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The facts about an adapter, and about the bus behind it, that outlive a process.
package struct KnownAdapter: Hashable, Sendable {
    /// The findings of the last start-up and of the trials (``CapabilityProbe``), without what passes.
    ///
    /// The verdict about the voltage is not among them: each process reads it before it uses the bus.
    package let report: AdapterReport
    /// Whether trials were made.
    package let isAssessed: Bool
    /// The capabilities whose trial has failed in one process only.
    ///
    /// A lost answer looks like a failure, so the next process tries them again.
    package let doubtful: Set<Capability>

    /// - Parameters:
    ///   - report: the findings of a start-up.
    ///   - assessed: the findings of the trials of the same adapter; nil if none was made.
    ///   - earlier: the facts that an earlier process has left.
    package init(_ report: AdapterReport, assessed: AdapterReport?, earlier: KnownAdapter?) {
        var lasting = report
        let trials = assessed?.assessments ?? [:]
        lasting.assessments.merge(trials) { $1 }
        (lasting.voltage, lasting.postponedSettings, lasting.forms) = (nil, [], [])
        lasting.assessments[.voltage] = nil
        for (capability, assessment) in lasting.assessments {
            // Of the evidence only the name of the chip is needed again.
            let evidence = capability == .stn ? assessment.evidence.suffix(1) : []
            lasting.assessments[capability] = Assessment(assessment.verdict, Array(evidence))
        }
        let before = earlier?.report.identity == report.identity ? earlier?.report.assessments : nil
        let failed = trials.filter { $0.key != .voltage && [.ignored, .refused].contains($0.value.verdict) }
        self.init(
            lasting: lasting,
            isAssessed: assessed != nil,
            doubtful: Set(failed.keys.filter { before?[$0]?.verdict != failed[$0]?.verdict })
        )
    }

    /// - Parameter lasting: findings without what passes.
    package init(lasting: AdapterReport, isAssessed: Bool, doubtful: Set<Capability>) {
        (self.report, self.isAssessed, self.doubtful) = (lasting, isAssessed, doubtful)
    }

    /// The findings of trials that need no other trial; nil if there are none.
    package var assessed: AdapterReport? {
        guard self.isAssessed else { return nil }
        var report = self.report
        for capability in self.doubtful { report.assessments[capability] = nil }
        return report
    }
}
