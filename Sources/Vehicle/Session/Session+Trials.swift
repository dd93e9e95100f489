// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

// What the adapter can do, found out by trying.
extension Session {
    /// Performs the next trial of what the adapter can do.
    func tryAdapter(_ conversation: AdapterConversation) async throws(SessionError) {
        guard var probe = self.ongoingProbe(conversation) else {
            self.machine?.hasTrials = false
            return
        }
        defer {
            self.probe = probe
            self.knownAdapter = probe.report
        }
        self.failedTrials += 1
        if probe.isPending { try await conversation.perform(&probe) }
        self.failedTrials -= 1
        self.machine?.learn(probe.report)
        self.machine?.trialsPay = probe.next == .responseCount || probe.next == .multiplePIDs
        guard !probe.isPending else { return }
        self.machine?.hasTrials = false
        self.emit(.adapter(probe.report))
    }

    /// Takes from what is known of the adapter what is needed while it is not connected.
    func note(_ report: AdapterReport) {
        let known = self.knownAdapter?.identity == report.identity ? self.knownAdapter : nil
        (self.firmware, self.hasVoltage) = (report.firmware ?? known?.firmware, report.works(.voltage))
    }

    private func ongoingProbe(_ conversation: AdapterConversation) -> CapabilityProbe? {
        if let probe { return probe }
        guard let report = conversation.report, let identity = self.machine?.identity,
            let vehicle = ProbedVehicle(identity)
        else { return nil }
        let isSame = self.knownAdapter?.identity == report.identity
        let known = (isSame ? self.knownAdapter?.assessments : nil) ?? [:]
        return CapabilityProbe(report, vehicle, known: known)
    }
}
