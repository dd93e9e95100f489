// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import ELM327
package import OBD2

/// The steps that send the requests of a `raw_request`, one after the other.
///
/// A request that writes is sent only if the vehicle stands with its engine off. Both speeds are read right before each
/// such request, after an event announced it. Before a request that clears, all data that it erases is stored too, and
/// the codes must not have changed since.
///
/// The driver performs each step on a leased bus.
package struct RawSession: Sendable {
    package enum Step: Hashable, Sendable {
        case readCodes
        case readMonitors
        /// Write the report to the disk, so that it survives a power cut.
        case keep(CodesReport, MonitorsReport?)
        case look(Request)
        /// Read a custom parameter.
        case read(ParameterKey)
        case pause(Duration)
        /// Identify the vehicle again and judge the command again, because the next request writes.
        case authorize
        case send(RawRequest)
        /// Record the request that is sent next, or the last request with its answers.
        case record(JSON)
        case finished(CommandResult)
    }

    private enum State: Hashable, Sendable {
        case ready
        case announcing
        case lookingFirst
        case readingCodes
        case readingMonitors(CodesReport)
        case keeping(CodesReport)
        case readingCodesAgain(CodesReport)
        case looking
        case sending
        case recording
    }

    /// The largest total of answer bytes in the result.
    static let limit = 16 * 1024

    private let order: Command.RawOrder
    private var rest: ArraySlice<RawRequest>
    private var state = State.ready
    private let facts: DriveFacts
    private var standstill: Standstill
    /// The requests that were sent, each with its answers.
    private var exchanges: [JSON] = []
    /// The number of answer bytes in ``exchanges``.
    private var bytes = 0
    private var isAnswered = false

    package init(_ order: Command.RawOrder, facts: DriveFacts = DriveFacts()) {
        self.facts = facts
        self.standstill = Standstill(facts)
        self.order = order
        self.rest = order.requests[...]
    }

    /// Returns the first step.
    package mutating func begin() -> Step { self.next() }

    /// Continues after a ``Step/record(_:)``.
    ///
    /// - Parameter problem: the reason why the write to the disk failed; nil if it succeeded.
    package mutating func recorded(_ problem: String?) -> Step {
        guard self.state == .announcing, let request = self.rest.first else { return self.next() }
        if let problem {
            return self.refuse(.notKept, "Its announcement could not be written to the disk (\(problem)).")
        }
        return self.look(request.effect == .clears ? .lookingFirst : .looking)
    }

    private mutating func next() -> Step {
        guard let request = self.rest.first else { return .finished(self.outcome) }
        guard request.effect != .reads else { return self.send() }
        // After a power cut, the announcement is the only trace of the request.
        self.state = .announcing
        return .record(["request": .string(request.payload.hexadecimal(separator: "")), "announced": true])
    }

    private mutating func look(_ state: State) -> Step {
        self.state = state
        self.standstill = Standstill(self.facts)
        return self.step(self.standstill.begin())
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .look(request)
        case .read(let key): return .read(key)
        case .pause(let duration): return .pause(duration)
        case .refused(let reason, let message): return self.refuse(reason, message)
        case .stands where self.state == .lookingFirst:
            self.state = .readingCodes
            return .readCodes
        case .stands: return .authorize
        }
    }

    /// Continues after the vehicle was identified again and the command was judged again.
    ///
    /// - Parameter refusal: the reason why the command is refused; nil if it is allowed.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        refusal.map { self.refuse($0.reason, $0.message) } ?? self.send()
    }

    private mutating func send() -> Step {
        guard let request = self.rest.first else { return .finished(self.outcome) }
        self.state = .sending
        return .send(request)
    }

    /// Processes the answers for engine speed or vehicle speed, and returns the next step.
    package mutating func speedAnswered(_ answers: [String: ECUReply]) -> Step {
        self.step(self.standstill.answered(answers))
    }

    /// Processes the values of a custom parameter, and returns the next step.
    package mutating func read(_ values: ParameterValues) -> Step { self.step(self.standstill.read(values)) }

    /// Continues after the pause.
    package mutating func paused() -> Step { self.step(self.standstill.paused()) }

    /// Processes the codes, and returns the next step.
    package mutating func read(_ codes: CodesReport) -> Step {
        guard codes.known else {
            return self.refuse(
                .codesUnknown,
                "The codes that it would clear could not be read. Try: read_codes, then send it again."
            )
        }
        if case .readingCodesAgain(let before) = self.state {
            guard before.erasable == codes.erasable else {
                return self.refuse(
                    .codesChanged,
                    "The codes changed while they were being stored. Try: read_codes, then send it again."
                )
            }
            return self.look(.looking)
        }
        self.state = .readingMonitors(codes)
        return .readMonitors
    }

    /// Processes readiness and test results, nil if no ECU reports them, and returns the next step.
    package mutating func read(_ monitors: MonitorsReport?) -> Step {
        guard case .readingMonitors(let codes) = self.state else { return self.next() }
        self.state = .keeping(codes)
        return .keep(codes, monitors)
    }

    /// Continues after the report was written to the disk.
    ///
    /// - Parameter problem: the reason why the write failed; nil if it succeeded.
    package mutating func kept(_ problem: String?) -> Step {
        if let problem {
            return self.refuse(
                .snapshotNotKept,
                "The data that it erases could not be written to the disk (\(problem))."
            )
        }
        guard case .keeping(let codes) = self.state else { return self.next() }
        self.state = .readingCodesAgain(codes)
        return .readCodes
    }

    /// Processes the reply to the last request, and returns the next step.
    package mutating func answered(_ reply: RawReply) -> Step {
        let request = self.rest.removeFirst()
        self.isAnswered = self.isAnswered || !reply.answers.isEmpty || request.suppressesReply
        var members: [String: JSON] = ["request": .string(request.payload.hexadecimal(separator: ""))]
        members["answers"] = .object(reply.answers.mapValues { self.json($0, to: request) })
        members["problem"] = reply.problem.map { .string($0) }
        return self.record(.object(members))
    }

    private mutating func record(_ json: JSON) -> Step {
        self.state = .recording
        self.exchanges.append(json)
        return .record(json)
    }

    private mutating func json(_ answer: ECUReply, to request: RawRequest) -> JSON {
        switch answer {
        case .negative(let code):
            let response = NegativeResponse(payload: [0x7F, request.payload[0], code])
            return ["code": .string(code.hexadecimal), "refusal": .string(response?.code.name ?? "refused")]
        case .positive(let messages):
            var texts: [JSON] = []
            var isCut = false
            for message in messages {
                let part = message.prefix(max(0, Self.limit - self.bytes))
                isCut = isCut || part.count < message.count
                self.bytes += part.count
                if !part.isEmpty { texts.append(.string(part.hexadecimal(separator: ""))) }
            }
            return isCut ? ["messages": .array(texts), "truncated": true] : ["messages": .array(texts)]
        }
    }

    /// Ends the session because the connection to the vehicle is lost.
    ///
    /// - Returns: the event about the request in flight, nil if there is none, and the result of the command.
    package mutating func interrupted(_ reason: String) -> (record: JSON?, result: CommandResult) {
        var record: JSON?
        var message = "No further request was sent: \(reason)"
        if self.state == .sending, let request = self.rest.first {
            message = "\(request) was sent, but its outcome is unknown: \(reason)"
            let json: JSON = [
                "request": .string(request.payload.hexadecimal(separator: "")), "answers": [:],
                "problem": .string(reason),
            ]
            self.exchanges.append(json)
            record = json
        }
        return (record, CommandResult(state: .failed, reason: .linkLost, message: message, result: self.result))
    }

    // MARK: - Result

    /// Ends the session; the result has the requests that were sent before.
    private func refuse(_ reason: CommandResponse.Reason, _ message: String) -> Step {
        let request = self.rest.first.map { "\($0)" } ?? ""
        return .finished(
            CommandResult(
                state: self.exchanges.isEmpty ? .refused : .failed,
                reason: reason,
                message: "\(request) was not sent. \(message)",
                result: self.result
            )
        )
    }

    private var outcome: CommandResult {
        guard self.isAnswered else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "no ECU answered",
                result: self.result
            )
        }
        return CommandResult(state: .succeeded, result: self.result)
    }

    private var result: JSON {
        [
            "ecu": self.order.destination.map { .string("\($0.header)") } ?? .null, "requests": .array(self.exchanges),
            "hold": .number(self.order.hold.seconds),
        ]
    }
}

/// The reply to a ``RawRequest``.
package struct RawReply: Hashable, Sendable {
    /// The answers by ECU.
    package var answers: [String: ECUReply]
    /// The reason why there is no answer, if it is known.
    package var problem: String?

    package init(_ answers: [String: ECUReply], problem: String? = nil) {
        self.answers = answers
        self.problem = problem
    }
}
