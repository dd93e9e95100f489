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
        case askingEngineSpeed
        case askingVehicleSpeed
        case clearing
        case readingCodesAfter
    }

    private static let engineSpeed: PID = 0x0C
    private static let vehicleSpeed: PID = 0x0D

    private let confirmation: Command.Confirmation
    private let ecus: [String]
    private var state = State.readingCodesBefore
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
        self.state = .askingEngineSpeed
        return .ask(.currentData(Self.engineSpeed))
    }

    /// The request was answered.
    package mutating func answered(_ answers: [String: ECUAnswer]) -> Step {
        switch self.state {
        case .askingEngineSpeed:
            switch Self.highest(answers, Self.engineSpeed) {
            case nil: return self.refuse(.engineSpeedUnknown, "no ECU tells the engine speed")
            case 0:
                self.state = .askingVehicleSpeed
                return .ask(.currentData(Self.vehicleSpeed))
            case .some(let speed): return self.refuse(.engineRunning, "the engine runs at \(Int(speed)) rpm")
            }
        case .askingVehicleSpeed:
            switch Self.highest(answers, Self.vehicleSpeed) {
            case nil: return self.refuse(.vehicleSpeedUnknown, "no ECU tells the vehicle speed")
            case 0:
                self.state = .clearing
                return .ask(.clearCodes)
            case .some(let speed): return self.refuse(.vehicleMoving, "the vehicle moves at \(Int(speed)) km/h")
            }
        case .clearing:
            self.answers = answers
            self.state = .readingCodesAfter
            return .readCodes
        case .readingCodesBefore, .readingCodesAfter:
            return .readCodes
        }
    }

    /// The vehicle was lost in the middle: what is known of it all the same.
    package func interrupted(_ reason: String) -> CommandResult {
        var result: [String: JSON] = [:]
        if let before = self.before { result["codes_before"] = Self.json(before) }
        let message: String
        switch self.state {
        case .readingCodesBefore, .askingEngineSpeed, .askingVehicleSpeed:
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
                result: self.before.map { ["codes_before": Self.json($0)] }
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
        if let before = self.before { result["codes_before"] = Self.json(before) }
        result["codes_after"] = Self.json(codes)
        result["mil"] = codes.mil.map { .bool($0) } ?? .null
        return .object(result)
    }

    private static func json(_ codes: CodesReport) -> JSON {
        .array(
            codes.codes.map {
                [
                    "code": .string($0.code), "ecu": .string($0.ecu),
                    "states": .array($0.states.map { .string($0.rawValue) }),
                ]
            }
        )
    }

    /// The highest value that any ECU tells; nil where none does, or one can't be believed.
    private static func highest(_ answers: [String: ECUAnswer], _ pid: PID) -> Double? {
        guard let parameter = Parameter.withPID(pid) else { return nil }
        var highest: Double?
        for case .positive(let messages) in answers.values {
            guard let reply = try? Reply(messages: messages, to: .currentData(pid)), !parameter.isSentinel(reply.data),
                case .number(let value) = try? parameter.decode(reply.data).first?.value
            else { return nil }
            highest = max(highest ?? value, value)
        }
        return highest
    }
}
