// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Finds out what an adapter can really do, one trial after the other, each between two polls.
///
/// A trial is a few commands and requests that change nothing in the vehicle. What it sets is set back, and proven to
/// be: the next plain request is answered by all ECUs again. A machine of steps, as ``Exchange`` is.
package struct CapabilityProbe: Sendable {
    package enum Step: Hashable, Sendable {
        case send(Command)
        /// The trial is over, and the adapter as it was.
        case finished
        /// The adapter can't be proven to be as it was: it has to be brought up anew.
        case unsettled
    }

    private enum State: Hashable, Sendable {
        case idle
        case performing(line: Int)
        case restoring(commands: ArraySlice<String>)
        /// Whether all ECUs answer again.
        case proving
    }

    /// How often the settings are put back until that is proven.
    private static let restorationLimit = 2

    private let bus: BusProtocol
    private let ecus: Set<ECUAddress>
    private var trials: ArraySlice<Trial>
    private var state = State.idle
    private var replies: [Trial.Reply] = []
    private var evidence: [Assessment.Evidence] = []
    private var isRefused = false
    /// Whether something that was to be set back was not accepted, and how often that was tried.
    private var isDoubtful = false
    private var restorations = 0
    /// What sets back what was set, the last first, each with what else may.
    private var undo: [[String]] = []

    /// What is known, from start-up and from the trials so far.
    package private(set) var report: AdapterReport

    /// - Parameters:
    ///   - report: what start-up found.
    ///   - vehicle: what there is to ask.
    ///   - known: what was found out about the same adapter before.
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

    /// What the next trial is of; nil when there is none.
    package var next: Capability? { self.trials.first?.capability }
    /// Whether there is a trial to begin.
    package var isPending: Bool { !self.trials.isEmpty }

    /// Begins the next trial.
    package mutating func begin() -> Step {
        guard !self.trials.isEmpty else { return .finished }
        self.replies = []
        self.evidence = []
        self.isRefused = false
        self.restorations = 0
        self.undo = []
        return self.perform(line: 0)
    }

    /// The command ended with `outcome` after so long.
    package mutating func performed(_ outcome: CommandOutcome, took: Duration) -> Step {
        guard let trial = self.trials.first else { return .finished }
        if case .reply(let lines) = outcome, lines.contains(where: { ReplyLine($0) == .notice(.restarted) }) {
            return self.conclude(
                trial,
                Assessment(.notTested("the adapter started anew"), self.evidence),
                isSettled: false
            )
        }
        if outcome == .silence(prompted: false) {
            return self.conclude(trial, Assessment(.refused, self.evidence, note: "it fell silent"), isSettled: false)
        }
        switch self.state {
        case .idle: return .finished
        case .performing(let index): return self.performed(trial, index, outcome, took)
        case .restoring(let commands): return self.restored(outcome, commands)
        case .proving: return self.proved(trial, outcome)
        }
    }

    // MARK: - A trial

    private mutating func perform(line index: Int) -> Step {
        guard let trial = self.trials.first else { return .finished }
        guard index < trial.lines.count else { return self.restore(trial) }
        self.state = .performing(line: index)
        return .send(trial.lines[index].command)
    }

    private mutating func performed(
        _ trial: Trial,
        _ index: Int,
        _ outcome: CommandOutcome,
        _ took: Duration
    ) -> Step {
        let line = trial.lines[index]
        var shown = outcome
        var reply: ReplyInterpreter?
        if case .reply(let lines) = outcome, let request = line.request {
            let read = ReplyInterpreter(lines, to: request, on: self.bus)
            reply = read
            if line.isPrivate { shown = .reply([read.summary]) }
        }
        self.evidence.append(Assessment.Evidence(request: line.command.line, outcome: shown, took: took))
        self.replies.append(Trial.Reply(outcome: outcome, interpreted: reply, took: took))
        let isRefused = if case .reply(let lines) = outcome { lines.last.map { compact($0) } == "?" } else { true }
        if isRefused, line.request == nil || line.isDecisive { self.report.unsupported.append(line.command.line) }
        // What was said nothing to may have been done.
        if !line.undo.isEmpty, !self.undo.contains(line.undo), !isRefused || outcome != .reply(["?"]) {
            self.undo.insert(line.undo, at: 0)
        }
        if isRefused && line.isDecisive {
            self.isRefused = true
            return self.restore(trial)
        }
        return self.perform(line: index + 1)
    }

    private mutating func restore(_ trial: Trial) -> Step {
        guard !self.undo.isEmpty else { return self.judge(trial) }
        self.isDoubtful = false
        let commands = self.undo.compactMap { $0.dropFirst(self.restorations).first ?? $0.last }
        self.restorations += 1
        return self.restore(commands[...])
    }

    private mutating func restore(_ commands: ArraySlice<String>) -> Step {
        guard let command = commands.first else {
            self.state = .proving
            return .send(Trial.Line.supported.command)
        }
        self.state = .restoring(commands: commands)
        return .send(Command(command, timeout: AdapterCommand.timeout))
    }

    private mutating func restored(_ outcome: CommandOutcome, _ commands: ArraySlice<String>) -> Step {
        let isAccepted = if case .reply(let lines) = outcome { lines.contains { compact($0) == "OK" } } else { false }
        self.isDoubtful = self.isDoubtful || !isAccepted
        return self.restore(commands.dropFirst())
    }

    private mutating func proved(_ trial: Trial, _ outcome: CommandOutcome) -> Step {
        var answers: Set<ECUAddress> = []
        if case .reply(let lines) = outcome {
            answers = Set(ReplyInterpreter(lines, to: Trial.supported, on: self.bus).replies.keys)
        }
        let isProven = answers.isSuperset(of: self.ecus) && !self.isDoubtful
        guard !isProven else { return self.judge(trial) }
        guard self.restorations >= Self.restorationLimit else { return self.restore(trial) }
        let assessment = Assessment(.ignored, self.evidence, note: "the settings could not be put back")
        return self.conclude(trial, assessment, isSettled: false)
    }

    private mutating func judge(_ trial: Trial) -> Step {
        var assessment = self.isRefused ? Assessment(.refused) : trial.judge(self.replies, self.ecus)
        assessment.evidence = self.evidence
        if trial.capability == .receiveFilter {
            let isReset = self.restorations == 1
            self.report.assessments[.filterReset] =
                self.isRefused
                ? Assessment(.notTested("AT CRA is refused"))
                : Assessment(isReset ? .works : .refused, note: isReset ? nil : "AT AR does instead")
        }
        return self.conclude(trial, assessment, isSettled: true)
    }

    private mutating func conclude(_ trial: Trial, _ assessment: Assessment, isSettled: Bool) -> Step {
        self.report.assessments[trial.capability] = assessment
        self.trials.removeFirst()
        self.state = .idle
        return isSettled ? .finished : .unsettled
    }
}
