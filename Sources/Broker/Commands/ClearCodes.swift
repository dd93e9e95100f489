// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract
package import ELM327
package import OBD2

/// The steps that clear the codes of a vehicle (SAE J1979, service 04).
///
/// The vehicle must stand with its engine off, and must have only codes that the sender confirmed. Everything that a
/// clear erases is stored first: codes, freeze frames, readiness and test results.
///
/// The driver performs each step on a leased bus. So no other request comes between the last reading of codes, engine
/// speed and vehicle speed and the clear itself.
package struct ClearCodes: Sendable {
    package enum Step: Hashable, Sendable {
        case readCodes
        case readMonitors
        /// Write the report to the disk, so that it survives a power cut.
        case keep(CodesReport, MonitorsReport?)
        case ask(Request)
        /// Read a custom parameter.
        case read(ParameterKey)
        case pause(Duration)
        /// Identify the vehicle again and judge the command again, because the next request writes.
        case authorize
        case finished(CommandResult)
    }

    private enum State: Hashable, Sendable {
        case readingCodesBefore
        /// Reading engine speed and vehicle speed, before the long readings; ``lookingAgain`` follows them.
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
    private let facts: DriveFacts
    private var standstill: Standstill
    private var before: CodesReport?
    private var answers: [String: ECUReply] = [:]
    /// The names of the data that the clear erases and that could not be read.
    private var missing: [String] = []

    /// - Parameters:
    ///   - ecus: the names of the ECUs that must answer.
    ///   - facts: the facts that decide how to find out whether the vehicle stands.
    ///   - overridesEngine: whether a running engine does not stop the clear; a moving vehicle always does.
    ///   - acceptsIncomplete: whether unreadable data, which the clear erases, does not stop it.
    package init(
        _ confirmation: Command.Confirmation,
        ecus: [String],
        facts: DriveFacts = DriveFacts(),
        overridesEngine: Bool = false,
        acceptsIncomplete: Bool = false
    ) {
        self.confirmation = confirmation
        self.ecus = ecus
        self.facts = facts
        self.standstill = Standstill(facts)
        self.overridesEngine = overridesEngine
        self.acceptsIncomplete = acceptsIncomplete
    }

    /// The last engine speed, in revolutions per minute; nil if it could not be read.
    package var engineSpeed: Double? { self.standstill.engineSpeed }

    /// The present step, for the response `running`.
    package var progress: CommandResponse.Progress {
        let (step, doing) =
            switch self.state {
            case .readingCodesBefore, .looking: (1, "reads the codes, the engine speed and the vehicle speed")
            case .readingMonitorsBefore: (2, "reads readiness and test results")
            case .keeping: (3, "stores the data that the clear erases")
            case .readingCodesAgain, .lookingAgain, .authorizing: (4, "reads codes and speeds again")
            case .clearing: (5, "clears")
            case .readingCodesAfter, .readingMonitorsAfter: (6, "reads the codes that are left")
            }
        return CommandResponse.Progress(step: step, steps: 6, doing: doing)
    }

    /// Returns the first step.
    package func begin() -> Step { .readCodes }

    /// Processes the values of a custom parameter, and returns the next step.
    package mutating func read(_ values: ParameterValues) -> Step { self.step(self.standstill.read(values)) }

    /// Continues after the pause.
    package mutating func paused() -> Step { self.step(self.standstill.paused()) }

    /// Processes the codes, and returns the next step.
    package mutating func read(_ codes: CodesReport) -> Step {
        switch self.state {
        case .readingCodesAgain:
            if codes.known, let before = self.before, before.erasable != codes.erasable {
                return self.refuse(
                    .codesChanged,
                    "The codes changed while they were being stored. Try: read_codes, then clear again."
                )
            }
            // The first reading succeeded, but this one may have failed.
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

    /// Returns the reason why these codes may not be cleared; nil if they may.
    private func objection(to codes: CodesReport) -> (CommandResponse.Reason, String)? {
        guard codes.known else {
            return (
                .codesUnknown, "The codes could not be read. Nothing was cleared. Try: read_codes, then clear again."
            )
        }
        guard case .codes(let confirmed) = self.confirmation else { return nil }
        guard !codes.unread.contains(.pending) else {
            return (
                .codesUnknown, "The pending codes could not be read, so some may not be confirmed. Try: clear again."
            )
        }
        let erasable = codes.codes.filter { $0.states != [.permanent] }.map(\.code)
        let surprises = Set(erasable).subtracting(confirmed.map(\.description)).sorted()
        return surprises.isEmpty
            ? nil
            : (.codesDiffer, "The vehicle has codes that were not confirmed: \(surprises.joined(separator: ", ")).")
    }

    /// Returns the names of the data that a clear erases, that the vehicle may have, and that could not be read.
    private static func missing(_ codes: CodesReport, _ monitors: MonitorsReport?) -> [String] {
        var missing = codes.unread.filter { $0 != .permanent }.map { "the \($0.rawValue) codes" }
        let frames = codes.freezeFrames.filter { $0.value.state == .unread }
        missing += frames.keys.sorted().map { "the freeze frame of \($0)" }
        // Some vehicles report no monitors, but all report the lamp.
        if monitors == nil, codes.mil == nil { missing.append("readiness") }
        return missing
    }

    /// Processes readiness and test results, nil if no ECU reports them, and returns the next step.
    package mutating func read(_ monitors: MonitorsReport?) -> Step {
        if case .readingMonitorsAfter(let codes) = self.state {
            return .finished(self.outcome(after: codes, monitors))
        }
        guard let before = self.before else { return .readCodes }
        let missing = Self.missing(before, monitors)
        guard missing.isEmpty || self.acceptsIncomplete else {
            return self.refuse(
                .snapshotIncomplete,
                "The clear would erase data that could not be read: \(missing.joined(separator: ", ")). "
                    + "Try: clear again, or accept the loss with \"accept_incomplete\": true."
            )
        }
        // Many vehicles announce tests but never report their results, so missing results do not stop the clear.
        let tests = monitors?.tests?.ecus.filter { $0.value == .unread || $0.value == .incomplete } ?? [:]
        self.missing = missing + tests.keys.sorted().map { "test results of \($0)" }
        self.state = .keeping
        return .keep(before, monitors)
    }

    /// Continues after the report was written to the disk.
    ///
    /// - Parameter problem: the reason why the write failed; nil if it succeeded.
    package mutating func kept(_ problem: String?) -> Step {
        if let problem {
            return self.refuse(
                .snapshotNotKept,
                "Nothing was cleared: the data that a clear erases could not be written to the disk (\(problem))."
            )
        }
        self.state = .readingCodesAgain
        return .readCodes
    }

    /// Processes the answers by ECU, and returns the next step.
    package mutating func answered(_ answers: [String: ECUReply]) -> Step {
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

    /// Continues after the vehicle was identified again and the command was judged again.
    ///
    /// - Parameter refusal: the reason why the command is refused; nil if it is allowed.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        if let refusal { return self.refuse(refusal.reason, "Nothing was cleared: \(refusal.message)") }
        self.state = .clearing
        return .ask(.clearCodes)
    }

    private mutating func look(_ state: State) -> Step {
        self.state = state
        self.standstill = Standstill(self.facts, ignoringEngine: self.overridesEngine)
        return self.step(self.standstill.begin())
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .ask(request)
        case .read(let key): return .read(key)
        case .pause(let duration): return .pause(duration)
        case .refused(let reason, let message): return self.refuse(reason, message)
        case .stands where self.state == .looking:
            self.state = .readingMonitorsBefore
            return .readMonitors
        case .stands:
            self.state = .authorizing
            return .authorize
        }
    }

    /// Returns the result if the connection to the vehicle is lost now, with everything that is known by then.
    package func interrupted(_ reason: String) -> CommandResult {
        var result = self.override
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        let message: String
        switch self.state {
        case .readingCodesBefore, .looking, .readingMonitorsBefore, .keeping, .readingCodesAgain, .lookingAgain,
            .authorizing:
            message = "Nothing was cleared: \(reason)"
        case .clearing:
            message = "The request to clear was sent, but its outcome is unknown: \(reason)"
        case .readingCodesAfter:
            message = "The codes could not be read again after the clear: \(reason)"
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

    // MARK: - Result

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

    /// The members of every result if the sender overrode the engine rule.
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
            outcome.message = "every ECU confirmed the clear, but the codes could not be read again"
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
            // A code from a list that could not be read again may still be in that list.
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

    /// Returns a code of which it is unknown whether it was cleared, with the reason.
    private static func doubt(_ code: CodesReport.Code, _ unread: [CodesReport.State]) -> JSON {
        let lists = code.states.filter(unread.contains).map(\.rawValue).joined(separator: " and ")
        return [
            "code": .string(code.code), "ecu": .string(code.ecu),
            "reason": .string("the \(lists) codes could not be read again"),
        ]
    }

    /// Returns a code that remains, with the reason.
    private static func remainder(_ code: CodesReport.Code) -> JSON {
        let reason =
            code.states == [.permanent]
            ? "permanent: the ECU erases it itself once it has seen the fault gone"
            : "still there, or there again"
        return ["code": .string(code.code), "ecu": .string(code.ecu), "reason": .string(reason)]
    }
}

extension CodesReport {
    /// The codes that a clear erases, each with its ECU and states; permanent codes stay (SAE J1979, service 0A).
    var erasable: Set<[String]> {
        Set(
            self.codes.map { code in
                [code.ecu, code.code] + code.states.filter { $0 != .permanent }.map(\.rawValue).sorted()
            }
            .filter { $0.count > 2 }
        )
    }
}
