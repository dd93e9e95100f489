// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import ELM327
package import OBD2

/// The steps that make an ECU run a test if the vehicle stands with its engine off (SAE J1979, service 08).
///
/// The driver performs each step on a leased bus. So no other request comes between the last reading of engine speed
/// and vehicle speed and the test. The test is requested once, without a retry.
package struct RunTest: Sendable {
    package enum Step: Hashable, Sendable {
        case ask(Request)
        /// Read a custom parameter.
        case read(ParameterKey)
        case pause(Duration)
        /// Identify the vehicle again and judge the command again, because the next request writes.
        case authorize
        case finished(CommandResult)
    }

    private let control: ControlRequest
    private var standstill: Standstill
    /// Whether the test was requested.
    private var isRequested = false

    package init(_ control: ControlRequest, facts: DriveFacts = DriveFacts()) {
        self.control = control
        self.standstill = Standstill(facts)
    }

    /// Returns the first step.
    package mutating func begin() -> Step { self.step(self.standstill.begin()) }

    /// Processes the answers by ECU, and returns the next step.
    package mutating func answered(_ answers: [String: ECUReply]) -> Step {
        self.isRequested ? .finished(self.outcome(answers)) : self.step(self.standstill.answered(answers))
    }

    /// Processes the values of a custom parameter, and returns the next step.
    package mutating func read(_ values: ParameterValues) -> Step { self.step(self.standstill.read(values)) }

    /// Continues after the pause.
    package mutating func paused() -> Step { self.step(self.standstill.paused()) }

    /// Returns the result if the connection to the vehicle is lost now.
    package func interrupted(_ reason: String) -> CommandResult {
        let message =
            self.isRequested
            ? "The test was requested, but its outcome is unknown: \(reason)" : "Nothing was tested: \(reason)"
        return CommandResult(state: .failed, reason: .linkLost, message: message)
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .ask(request)
        case .read(let key): return .read(key)
        case .pause(let duration): return .pause(duration)
        case .refused(let reason, let message):
            return .finished(CommandResult(state: .refused, reason: reason, message: message))
        case .stands: return .authorize
        }
    }

    /// Continues after the vehicle was identified again and the command was judged again.
    ///
    /// - Parameter refusal: the reason why the command is refused; nil if it is allowed.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        if let refusal {
            let message = "Nothing was tested: \(refusal.message)"
            return .finished(CommandResult(state: .refused, reason: refusal.reason, message: message))
        }
        self.isRequested = true
        return .ask(self.control.request)
    }

    private func outcome(_ answers: [String: ECUReply]) -> CommandResult {
        var ecus: [String: JSON] = [:]
        var outcome = CommandResult(state: .succeeded)
        for (ecu, answer) in answers.sorted(by: { $0.key < $1.key }) {
            switch answer {
            case .positive(let messages):
                guard let reply = try? Reply(messages: messages, to: self.control.request),
                    let data = try? ControlRequest.decode(reply)
                else {
                    ecus[ecu] = ["answer": "unreadable"]
                    outcome.reason = outcome.reason ?? .noAnswer
                    outcome.message = outcome.message ?? "The answer of \(ecu) could not be read."
                    continue
                }
                ecus[ecu] = ["answer": "done", "data": .string(data.hexadecimal(separator: ""))]
            case .negative(let code):
                let response = NegativeResponse(payload: [0x7F, Service.control.rawValue, code])
                ecus[ecu] = ["answer": .string(response?.code.name ?? "refused")]
                outcome.reason = .negativeResponse
                outcome.message = "\(ecu) refused the test: \(response?.description ?? "")"
            }
        }
        if answers.isEmpty {
            outcome.reason = .noAnswer
            outcome.message = "No ECU answered: none supports this test, or its outcome is unknown."
        }
        if outcome.reason != nil { outcome.state = .failed }
        outcome.result = ["test": .string(self.control.test.hexadecimal), "ecus": .object(ecus)]
        return outcome
    }
}
