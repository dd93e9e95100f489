// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import OBD2

/// Has an ECU run a test, if the vehicle stands with its engine off (SAE J1979, service 08).
///
/// A machine of steps: the driver performs each on a leased bus, so that nothing comes between the last look at engine
/// speed and vehicle speed and the test. It is asked for once, whatever comes back.
package struct RunTest: Sendable {
    package enum Step: Hashable, Sendable {
        case ask(Request)
        /// Ask the vehicle which one it is, and judge the command again: the next request writes.
        case authorize
        case finished(CommandResult)
    }

    private let control: ControlRequest
    private var standstill = Standstill()
    private var isAsked = false

    package init(_ control: ControlRequest) {
        self.control = control
    }

    /// The first step.
    package mutating func begin() -> Step { self.step(self.standstill.begin()) }

    /// The request was answered.
    package mutating func answered(_ answers: [String: ECUAnswer]) -> Step {
        self.isAsked ? .finished(self.outcome(answers)) : self.step(self.standstill.answered(answers))
    }

    /// The vehicle was lost in the middle.
    package func interrupted(_ reason: String) -> CommandResult {
        let message =
            self.isAsked
            ? "\(reason) after the request: nobody knows whether it was obeyed" : "\(reason); nothing was tested"
        return CommandResult(state: .failed, reason: .linkLost, message: message)
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .ask(request)
        case .refused(let reason, let message):
            return .finished(CommandResult(state: .refused, reason: reason, message: message))
        case .stands: return .authorize
        }
    }

    /// The vehicle was asked again which one it is, and the command was judged by that.
    ///
    /// - Parameter refusal: the reason why the command is not obeyed; nil where it is.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        if let refusal {
            let message = "\(refusal.message); nothing was tested"
            return .finished(CommandResult(state: .refused, reason: refusal.reason, message: message))
        }
        self.isAsked = true
        return .ask(self.control.request)
    }

    private func outcome(_ answers: [String: ECUAnswer]) -> CommandResult {
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
                    outcome.message = outcome.message ?? "the answer of \(ecu) could not be read"
                    continue
                }
                ecus[ecu] = ["answer": "done", "data": .string(data.digits)]
            case .negative(let code):
                let response = NegativeResponse(payload: [0x7F, Service.control.rawValue, code])
                ecus[ecu] = ["answer": .string(response?.code.name ?? "refused")]
                outcome.reason = .negativeResponse
                outcome.message = "\(ecu) did not: \(response?.description ?? "")"
            }
        }
        if answers.isEmpty {
            outcome.reason = .noAnswer
            outcome.message = "no ECU answered: none has this test, or nobody knows whether it was obeyed"
        }
        if outcome.reason != nil { outcome.state = .failed }
        outcome.result = ["test": .string([self.control.test].digits), "ecus": .object(ecus)]
        return outcome
    }
}
