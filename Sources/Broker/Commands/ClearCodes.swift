// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract
package import OBD2

/// Clears the codes, if the vehicle stands with its engine off and has just the codes that the sender knows of.
///
/// What a clear erases is kept first: codes, freeze frames, readiness and test results. A machine of steps: the driver
/// performs each on a leased bus, so that nothing comes between the last look at codes, engine speed and vehicle speed
/// and the clear itself (SAE J1979, service 04).
package struct ClearCodes: Sendable {
    package enum Step: Hashable, Sendable {
        case readCodes
        case readMonitors
        /// Keep this where a power cut leaves it.
        case keep(CodesReport, MonitorsReport?)
        case ask(Request)
        /// Ask the vehicle which one it is, and judge the command again: the next request writes.
        case authorize
        case finished(CommandResult)
    }

    private enum State: Hashable, Sendable {
        case readingCodesBefore
        /// Whether it stands is asked before the long readings, and again after them.
        case looking
        case readingMonitorsBefore
        case keeping
        case readingCodesAgain
        case lookingAgain
        case authorizing
        case clearing
        case readingCodesAfter
        case readingMonitorsAfter(CodesReport)
    }

    private let confirmation: Command.Confirmation
    private let ecus: [String]
    private let overridesEngine: Bool
    private let acceptsIncomplete: Bool
    private var state = State.readingCodesBefore
    private var standstill = Standstill()
    private var before: CodesReport?
    private var answers: [String: ECUAnswer] = [:]
    /// What it erases and could not be read.
    private var missing: [String] = []

    /// - Parameters:
    ///   - ecus: those that must answer.
    ///   - overridesEngine: whether it is done though the engine may run; never while the vehicle moves.
    ///   - acceptsIncomplete: whether it is done though not all that it erases can be read.
    package init(
        _ confirmation: Command.Confirmation,
        ecus: [String],
        overridesEngine: Bool = false,
        acceptsIncomplete: Bool = false
    ) {
        self.confirmation = confirmation
        self.ecus = ecus
        self.overridesEngine = overridesEngine
        self.acceptsIncomplete = acceptsIncomplete
    }

    /// The engine speed as it was read last; nil where it was not.
    package var engineSpeed: Double? { self.standstill.engineSpeed }

    /// How far it has come.
    package var progress: CommandResponse.Progress {
        let (step, doing) =
            switch self.state {
            case .readingCodesBefore, .looking: (1, "reads the codes, and whether the vehicle stands")
            case .readingMonitorsBefore: (2, "reads readiness and test results")
            case .keeping: (3, "keeps what it erases")
            case .readingCodesAgain, .lookingAgain, .authorizing: (4, "looks once more")
            case .clearing: (5, "clears")
            case .readingCodesAfter, .readingMonitorsAfter: (6, "reads what is there now")
            }
        return CommandResponse.Progress(step: step, steps: 6, doing: doing)
    }

    /// The first step.
    package func begin() -> Step { .readCodes }

    /// The codes were read.
    package mutating func read(_ codes: CodesReport) -> Step {
        switch self.state {
        case .readingCodesAgain:
            if codes.known, let before = self.before, before.erasable != codes.erasable {
                return self.refuse(.codesChanged, "the codes changed while they were being kept: read them again")
            }
            // What could be read the first time may not be readable now.
            if let (reason, message) = self.objection(to: codes) { return self.refuse(reason, message) }
            return self.look(.lookingAgain)
        case .readingCodesAfter:
            self.state = .readingMonitorsAfter(codes)
            return .readMonitors
        default:
            self.before = codes
            if let (reason, message) = self.objection(to: codes) { return self.refuse(reason, message) }
            return self.look(.looking)
        }
    }

    /// Why these codes may not be cleared; nil where they may.
    private func objection(to codes: CodesReport) -> (CommandResponse.Reason, String)? {
        guard codes.known else {
            return (.codesUnknown, "the codes could not be read, so nobody knows what would be cleared")
        }
        guard case .codes(let confirmed) = self.confirmation else { return nil }
        guard !codes.unread.contains(.pending) else {
            return (.codesUnknown, "the pending codes could not be read, so there may be others than confirmed")
        }
        let erasable = codes.codes.filter { $0.states != [.permanent] }.map(\.code)
        let surprises = Set(erasable).subtracting(confirmed.map(\.description)).sorted()
        return surprises.isEmpty ? nil : (.codesDiffer, "the vehicle also has \(surprises.joined(separator: ", "))")
    }

    /// What is erased and could not be read, although the vehicle may have it.
    private static func missing(_ codes: CodesReport, _ monitors: MonitorsReport?) -> [String] {
        var missing = codes.unread.filter { $0 != .permanent }.map { "the \($0.rawValue) codes" }
        let frames = codes.freezeFrames.filter { $0.value.state == .unread }
        missing += frames.keys.sorted().map { "the freeze frame of \($0)" }
        // Some vehicles have no monitors; the lamp they have.
        if monitors == nil, codes.mil == nil { missing.append("readiness") }
        return missing
    }

    /// Readiness and test results were read; nil where no ECU tells them.
    package mutating func read(_ monitors: MonitorsReport?) -> Step {
        if case .readingMonitorsAfter(let codes) = self.state {
            return .finished(self.outcome(after: codes, monitors))
        }
        guard let before = self.before else { return .readCodes }
        let missing = Self.missing(before, monitors)
        guard missing.isEmpty || self.acceptsIncomplete else {
            return self.refuse(
                .snapshotIncomplete,
                "it would erase what could not be read: \(missing.joined(separator: ", ")); "
                    + "try again, or accept it: \"accept_incomplete\": true"
            )
        }
        // Many vehicles announce tests of which they never tell the results: those stop nobody.
        let tests = monitors?.tests?.ecus.filter { $0.value == .unread || $0.value == .incomplete } ?? [:]
        self.missing = missing + tests.keys.sorted().map { "test results of \($0)" }
        self.state = .keeping
        return .keep(before, monitors)
    }

    /// What was to be kept is on the disk, but for a problem.
    package mutating func kept(_ problem: String?) -> Step {
        if let problem {
            return self.refuse(.snapshotNotKept, "what it erases could not be written to the disk first: \(problem)")
        }
        self.state = .readingCodesAgain
        return .readCodes
    }

    /// The request was answered.
    package mutating func answered(_ answers: [String: ECUAnswer]) -> Step {
        switch self.state {
        case .looking, .lookingAgain:
            return self.step(self.standstill.answered(answers))
        case .clearing:
            self.answers = answers
            self.state = .readingCodesAfter
            return .readCodes
        case .readingCodesBefore, .readingMonitorsBefore, .keeping, .readingCodesAgain, .authorizing,
            .readingCodesAfter, .readingMonitorsAfter:
            return .readCodes
        }
    }

    /// The vehicle was asked again which one it is, and the command was judged by that.
    ///
    /// - Parameter refusal: the reason why the command is not obeyed; nil where it is.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        if let refusal { return self.refuse(refusal.reason, "\(refusal.message); nothing was cleared") }
        self.state = .clearing
        return .ask(.clearCodes)
    }

    private mutating func look(_ state: State) -> Step {
        self.state = state
        self.standstill = Standstill(ignoringEngine: self.overridesEngine)
        return self.step(self.standstill.begin())
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .ask(request)
        case .refused(let reason, let message): return self.refuse(reason, message)
        case .stands where self.state == .looking:
            self.state = .readingMonitorsBefore
            return .readMonitors
        case .stands:
            self.state = .authorizing
            return .authorize
        }
    }

    /// The vehicle was lost in the middle: what is known of it all the same.
    package func interrupted(_ reason: String) -> CommandResult {
        var result = self.override
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        let message: String
        switch self.state {
        case .readingCodesBefore, .looking, .readingMonitorsBefore, .keeping, .readingCodesAgain, .lookingAgain,
            .authorizing:
            message = "\(reason); nothing was cleared"
        case .clearing:
            message = "\(reason) after the request to clear: nobody knows whether it was obeyed"
        case .readingCodesAfter:
            message = "\(reason) before the codes could be read again"
            result["ecus"] = self.ecuResults
            result["known_after"] = false
        case .readingMonitorsAfter(let codes):
            return self.outcome(after: codes, nil)
        }
        return CommandResult(
            state: .failed,
            reason: .linkLost,
            message: message,
            result: result.isEmpty ? nil : .object(result)
        )
    }

    // MARK: - The truth about it

    private func refuse(_ reason: CommandResponse.Reason, _ message: String) -> Step {
        var result = self.override
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        return .finished(
            CommandResult(
                state: .refused,
                reason: reason,
                message: message,
                result: result.isEmpty ? nil : .object(result)
            )
        )
    }

    /// That a rule was overridden stands with everything that is told.
    private var override: [String: JSON] {
        guard self.overridesEngine else { return [:] }
        return ["engine_override": true, "engine_speed": self.engineSpeed.map { .number($0) } ?? .null]
    }

    private func outcome(after codes: CodesReport, _ monitors: MonitorsReport?) -> CommandResult {
        let silent = self.ecus.filter { self.answers[$0] == nil }
        let refusing = self.answers.filter { if case .negative = $0.value { true } else { false } }
        let remaining = codes.codes.filter { $0.states.contains(.stored) }.map(\.code)
        var outcome = CommandResult(state: .succeeded, result: self.result(after: codes, monitors))
        if let (ecu, answer) = refusing.min(by: { $0.key < $1.key }), case .negative(let code) = answer {
            let response = NegativeResponse(payload: [0x7F, Service.clearCodes.rawValue, code])
            outcome.reason = .negativeResponse
            outcome.message = "\(ecu) did not clear: \(response?.description ?? "")"
        } else if !silent.isEmpty || self.answers.isEmpty {
            outcome.reason = .noAnswer
            outcome.message = "no answer from \(silent.isEmpty ? "any ECU" : silent.joined(separator: ", "))"
        } else if !codes.known {
            outcome.reason = .codesUnknown
            outcome.message = "every ECU said that it cleared, but the codes could not be read again"
        } else if !remaining.isEmpty {
            outcome.reason = .codesRemain
            outcome.message = "still there, or there again: \(remaining.joined(separator: ", "))"
        }
        if outcome.reason != nil { outcome.state = .failed }
        return outcome
    }

    private var ecuResults: JSON {
        var ecus: [String: JSON] = [:]
        for ecu in Set(self.ecus).union(self.answers.keys) {
            switch self.answers[ecu] {
            case .positive: ecus[ecu] = "cleared"
            case .negative(let code):
                ecus[ecu] = .string(
                    NegativeResponse(payload: [0x7F, Service.clearCodes.rawValue, code])?.code.name ?? "refused"
                )
            case nil: ecus[ecu] = "no answer"
            }
        }
        return .object(ecus)
    }

    private func result(after codes: CodesReport, _ monitors: MonitorsReport?) -> JSON {
        var result = self.override
        (result["ecus"], result["known_after"]) = (self.ecuResults, .bool(codes.known))
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        result["codes_after"] = JSON(codes: codes)
        result["not_kept"] = .array(self.missing.map { .string($0) })
        result["unread_after"] = .array(codes.unread.map { .string($0.rawValue) })
        if codes.known, let before = self.before {
            let there = Set(codes.codes.map { [$0.ecu, $0.code] })
            let missing = before.codes.filter { !there.contains([$0.ecu, $0.code]) }
            // Whoever stood in a list that could not be read again may stand there still.
            func isKnown(_ code: CodesReport.Code) -> Bool { !code.states.contains(where: codes.unread.contains) }
            result["gone"] = .array(
                missing.filter(isKnown).map { ["code": .string($0.code), "ecu": .string($0.ecu)] }
            )
            result["unknown"] = .array(missing.filter { !isKnown($0) }.map { Self.doubt($0, codes.unread) })
            result["stayed"] = .array(codes.codes.map(Self.remainder))
        }
        result["monitors"] = monitors.map { .object($0.monitors.mapValues { .string($0.rawValue) }) } ?? .null
        result["mil"] = codes.mil.map { .bool($0) } ?? .null
        return .object(result)
    }

    /// Why nobody knows whether a code is there.
    private static func doubt(_ code: CodesReport.Code, _ unread: [CodesReport.State]) -> JSON {
        let lists = code.states.filter(unread.contains).map(\.rawValue).joined(separator: " and ")
        return [
            "code": .string(code.code), "ecu": .string(code.ecu),
            "reason": .string("the \(lists) codes could not be read again"),
        ]
    }

    /// Why a code is there after all.
    private static func remainder(_ code: CodesReport.Code) -> JSON {
        let reason =
            code.states == [.permanent]
            ? "permanent: the ECU erases it itself once it has seen the fault gone"
            : "still there, or there again"
        return ["code": .string(code.code), "ecu": .string(code.ecu), "reason": .string(reason)]
    }
}

extension CodesReport {
    /// What a clear erases of the codes: permanent ones stay (SAE J1979, service 0A).
    var erasable: Set<[String]> {
        Set(
            self.codes.map { code in
                [code.ecu, code.code] + code.states.filter { $0 != .permanent }.map(\.rawValue).sorted()
            }
            .filter { $0.count > 2 }
        )
    }
}
