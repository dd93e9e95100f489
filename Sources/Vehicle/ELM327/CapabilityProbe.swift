// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Tests the real capabilities of an adapter, one trial after the other, each between two polls.
///
/// A trial is a few commands and requests that change nothing in the vehicle. Its settings are restored, and that is
/// proven: all ECUs answer the next plain request again. This is a state machine, like ``Exchange``.
package struct CapabilityProbe: Sendable {
    package enum Step: Hashable, Sendable {
        case send(AdapterCommand)
        /// The trial is over, and the adapter's settings are restored.
        case finished
        /// The adapter's settings could not be proven restored. Start-up must run again.
        case notRestored
    }

    private enum State: Hashable, Sendable {
        case idle
        case performing(line: Int)
        /// Undoing a setting. The remaining ones follow.
        case restoring(remaining: ChangedSettings)
        /// Checking that all ECUs answer again.
        case verifying
    }

    /// The maximum number of attempts to restore the settings.
    private static let restorationLimit = 2

    private let bus: BusProtocol
    private let ecus: Set<ECUAddress>
    private var trials: ArraySlice<Trial>
    private var state = State.idle
    private var replies: [Trial.Reply] = []
    private var evidence: [Assessment.Evidence] = []
    private var isRefused = false
    /// Whether the adapter did not accept a command of this restoration.
    private var hasUndoFailed = false
    /// The number of restorations so far in this trial.
    private var restorations = 0
    /// The settings that this trial has changed.
    private var changed = ChangedSettings()

    /// The findings of start-up and of the trials so far.
    package private(set) var report: AdapterReport

    /// Creates a probe with the trials that are still needed.
    ///
    /// - Parameters:
    ///   - report: the findings of start-up.
    ///   - vehicle: the requests that the vehicle can answer.
    ///   - known: earlier findings about the same adapter.
    package init(_ report: AdapterReport, _ vehicle: ProbedVehicle, known: [Capability: Assessment] = [:]) {
        self.bus = report.bus
        self.ecus = Set(report.ecus.keys)
        self.report = report
        self.trials = []
        for trial in Trial.all(report, vehicle) {
            switch known[trial.capability]?.verdict {
            case .notTested, nil: self.trials.append(trial)
            default: self.report.assessments[trial.capability] = known[trial.capability]
            }
        }
        self.report.assessments.merge(known) { new, _ in new }
        for (capability, reason) in Trial.untestable(report, vehicle) {
            self.report.assessments[capability] = Assessment(.notTested(reason))
        }
    }

    /// The capability of the next trial; nil if no trial is left.
    package var next: Capability? { self.trials.first?.capability }
    /// Whether a trial is left to begin.
    package var isPending: Bool { !self.trials.isEmpty }

    /// Begins the next trial.
    package mutating func begin() -> Step {
        guard !self.trials.isEmpty else { return .finished }
        self.replies = []
        self.evidence = []
        self.isRefused = false
        self.restorations = 0
        self.changed = ChangedSettings()
        return self.perform(line: 0)
    }

    /// Takes the outcome of the command and the time that it took, and returns the next step.
    package mutating func commandEnded(_ outcome: CommandOutcome, after elapsed: Duration) -> Step {
        guard let trial = self.trials.first else { return .finished }
        switch (self.state, outcome.acceptance) {
        case (_, .restarted):
            let assessment = Assessment(.notTested("the adapter restarted"), self.evidence)
            return self.conclude(trial, assessment, isRestored: false)
        case (_, .silent):
            let note = "the adapter stopped answering"
            return self.conclude(trial, Assessment(.refused, self.evidence, note: note), isRestored: false)
        case (.idle, _): return .finished
        case (.performing(let index), _): return self.performed(trial, index, outcome, elapsed)
        case (.restoring(let remaining), let acceptance):
            self.hasUndoFailed = self.hasUndoFailed || acceptance != .accepted
            return self.undoNext(of: remaining)
        case (.verifying, _): return self.verified(trial, outcome)
        }
    }

    // MARK: - A trial

    private mutating func perform(line index: Int) -> Step {
        guard let trial = self.trials.first else { return .finished }
        guard index < trial.lines.count else { return self.restore(trial) }
        self.state = .performing(line: index)
        return .send(trial.lines[index].command)
    }

    private mutating func performed(_ trial: Trial, _ index: Int, _ outcome: CommandOutcome, _ time: Duration) -> Step {
        let line = trial.lines[index]
        var shown = outcome
        var reply: ReplyInterpreter?
        if case .reply(let lines) = outcome, let request = line.request {
            let read = ReplyInterpreter(lines, to: request, on: self.bus)
            reply = read
            if line.isPrivate { shown = .reply([read.summary]) }
        }
        self.evidence.append(Assessment.Evidence(request: line.command.line, outcome: shown, duration: time))
        self.replies.append(Trial.Reply(outcome: outcome, interpreted: reply, duration: time))
        let isRefused = outcome.isRefused
        if isRefused, line.request == nil || line.isDecisive { self.report.unsupported.append(line.command.line) }
        if outcome.acceptance != .refused(isAlone: true) { self.changed.made(undo: line.undo) }
        if isRefused && line.isDecisive {
            self.isRefused = true
            return self.restore(trial)
        }
        return self.perform(line: index + 1)
    }

    private mutating func restore(_ trial: Trial) -> Step {
        guard self.changed.nextUndo != nil else { return self.judge(trial) }
        self.hasUndoFailed = false
        if self.restorations > 0 { self.changed.tryAlternatives() }
        self.restorations += 1
        return self.undoNext(of: self.changed)
    }

    private mutating func undoNext(of remaining: ChangedSettings) -> Step {
        var remaining = remaining
        guard let command = remaining.nextUndo else {
            self.state = .verifying
            return .send(Trial.Line.supported.command)
        }
        remaining.newestUndone()
        self.state = .restoring(remaining: remaining)
        return .send(AdapterCommand(command))
    }

    private mutating func verified(_ trial: Trial, _ outcome: CommandOutcome) -> Step {
        var answers: Set<ECUAddress> = []
        if case .reply(let lines) = outcome {
            answers = Set(ReplyInterpreter(lines, to: Trial.supported, on: self.bus).replies.keys)
        }
        let isRestored = answers.isSuperset(of: self.ecus) && !self.hasUndoFailed
        guard !isRestored else { return self.judge(trial) }
        guard self.restorations >= Self.restorationLimit else { return self.restore(trial) }
        let assessment = Assessment(.ignored, self.evidence, note: "the settings could not be restored")
        return self.conclude(trial, assessment, isRestored: false)
    }

    private mutating func judge(_ trial: Trial) -> Step {
        var assessment = self.isRefused ? Assessment(.refused) : trial.judge(self.replies, self.ecus)
        assessment.evidence = self.evidence
        if trial.capability == .receiveFilter {
            let isReset = self.restorations == 1
            self.report.assessments[.filterReset] =
                self.isRefused
                ? Assessment(.notTested("AT CRA is refused"))
                : Assessment(isReset ? .works : .refused, note: isReset ? nil : "AT AR works instead")
        }
        return self.conclude(trial, assessment, isRestored: true)
    }

    private mutating func conclude(_ trial: Trial, _ assessment: Assessment, isRestored: Bool) -> Step {
        self.report.assessments[trial.capability] = assessment
        self.trials.removeFirst()
        self.state = .idle
        return isRestored ? .finished : .notRestored
    }
}
