// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import OBD2

/// Clears the codes, if the vehicle stands with its engine off and has just the codes that the sender knows of.
///
/// A machine of steps: the driver performs each on a leased bus, so that nothing comes between the last look at engine
/// speed and vehicle speed and the clear itself (SAE J1979, service 04).
package struct ClearCodes: Sendable {
    package enum Step: Hashable, Sendable {
        case readCodes
        case ask(Request)
        case finished(CommandResult)
    }

    private enum State: Hashable, Sendable {
        case readingCodesBefore
        case looking
        case clearing
        case readingCodesAfter
    }

    private let confirmation: Command.Confirmation
    private let ecus: [String]
    private var state = State.readingCodesBefore
    private var standstill = Standstill()
    private var before: CodesReport?
    private var answers: [String: ECUAnswer] = [:]

    /// - Parameter ecus: those that must answer.
    package init(_ confirmation: Command.Confirmation, ecus: [String]) {
        self.confirmation = confirmation
        self.ecus = ecus
    }

    /// The first step.
    package func begin() -> Step { .readCodes }

    /// The codes were read.
    package mutating func read(_ codes: CodesReport) -> Step {
        guard self.state == .readingCodesBefore else { return .finished(self.outcome(after: codes)) }
        self.before = codes
        guard codes.known else {
            return self.refuse(.codesUnknown, "the codes could not be read, so nobody knows what would be cleared")
        }
        if case .codes(let confirmed) = self.confirmation {
            guard !codes.unread.contains(.pending) else {
                return self.refuse(
                    .codesUnknown,
                    "the pending codes could not be read, so there may be others than confirmed"
                )
            }
            let erasable = codes.codes.filter { $0.states != [.permanent] }.map(\.code)
            let surprises = Set(erasable).subtracting(confirmed.map(\.description)).sorted()
            guard surprises.isEmpty else {
                return self.refuse(.codesDiffer, "the vehicle also has \(surprises.joined(separator: ", "))")
            }
        }
        self.state = .looking
        return self.step(self.standstill.begin())
    }

    /// The request was answered.
    package mutating func answered(_ answers: [String: ECUAnswer]) -> Step {
        switch self.state {
        case .looking:
            return self.step(self.standstill.answered(answers))
        case .clearing:
            self.answers = answers
            self.state = .readingCodesAfter
            return .readCodes
        case .readingCodesBefore, .readingCodesAfter:
            return .readCodes
        }
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .ask(request)
        case .refused(let reason, let message): return self.refuse(reason, message)
        case .stands:
            self.state = .clearing
            return .ask(.clearCodes)
        }
    }

    /// The vehicle was lost in the middle: what is known of it all the same.
    package func interrupted(_ reason: String) -> CommandResult {
        var result: [String: JSON] = [:]
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        let message: String
        switch self.state {
        case .readingCodesBefore, .looking:
            message = "\(reason); nothing was cleared"
        case .clearing:
            message = "\(reason) after the request to clear: nobody knows whether it was obeyed"
        case .readingCodesAfter:
            message = "\(reason) before the codes could be read again"
            result["ecus"] = self.ecuResults
            result["known_after"] = false
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
        .finished(
            CommandResult(
                state: .refused,
                reason: reason,
                message: message,
                result: self.before.map { ["codes_before": JSON(codes: $0)] }
            )
        )
    }

    private func outcome(after codes: CodesReport) -> CommandResult {
        let silent = self.ecus.filter { self.answers[$0] == nil }
        let refusing = self.answers.filter { if case .negative = $0.value { true } else { false } }
        let remaining = codes.codes.filter { $0.states.contains(.stored) }.map(\.code)
        var outcome = CommandResult(state: .succeeded, result: self.result(after: codes))
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

    private func result(after codes: CodesReport) -> JSON {
        var result: [String: JSON] = ["ecus": self.ecuResults, "known_after": .bool(codes.known)]
        if let before = self.before { result["codes_before"] = JSON(codes: before) }
        result["codes_after"] = JSON(codes: codes)
        result["mil"] = codes.mil.map { .bool($0) } ?? .null
        return .object(result)
    }
}
