// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import OBD2
package import Base

/// Asks for bytes as somebody sent them, one request after the other.
///
/// What writes is asked only if the vehicle stands with its engine off, which is read anew right before each such
/// request, and once it is on record that it is to be sent; before what clears, all that it erases is kept too, and must
/// still be what there is. A machine of steps: the driver performs each on a leased bus.
package struct RawSession: Sendable {
    package enum Step: Hashable, Sendable {
        case readCodes
        case readMonitors
        /// Keep this where a power cut leaves it.
        case keep(CodesReport, MonitorsReport?)
        case look(Request)
        /// Ask the vehicle which one it is, and judge the command again: the next request writes.
        case authorize
        case send(RawRequest)
        /// This is to be sent now, or is what became of the last that was sent.
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

    /// How many bytes of answers are told, all together.
    static let limit = 16 * 1024

    private let order: Command.RawOrder
    private var rest: ArraySlice<RawRequest>
    private var state = State.ready
    private var standstill = Standstill()
    private var told: [JSON] = []
    private var bytes = 0
    private var isAnswered = false

    package init(_ order: Command.RawOrder) {
        self.order = order
        self.rest = order.requests[...]
    }

    /// The first step.
    package mutating func begin() -> Step { self.next() }

    /// What was told has been recorded, but for a problem.
    package mutating func recorded(_ problem: String?) -> Step {
        guard self.state == .announcing, let request = self.rest.first else { return self.next() }
        if let problem {
            return self.refuse(.notKept, "it could not be written to the disk first that it is sent: \(problem)")
        }
        return self.look(request.effect == .clears ? .lookingFirst : .looking)
    }

    private mutating func next() -> Step {
        guard let request = self.rest.first else { return .finished(self.outcome) }
        guard request.effect != .reads else { return self.send() }
        // After a power cut nobody would know what the vehicle was told.
        self.state = .announcing
        return .record(["request": .string(request.payload.digits), "announced": true])
    }

    private mutating func look(_ state: State) -> Step {
        self.state = state
        self.standstill = Standstill()
        return self.step(self.standstill.begin())
    }

    private mutating func step(_ step: Standstill.Step) -> Step {
        switch step {
        case .ask(let request): return .look(request)
        case .refused(let reason, let message): return self.refuse(reason, message)
        case .stands where self.state == .lookingFirst:
            self.state = .readingCodes
            return .readCodes
        case .stands: return .authorize
        }
    }

    /// The vehicle was asked again which one it is, and the command was judged by that.
    ///
    /// - Parameter refusal: the reason why the command is not obeyed; nil where it is.
    package mutating func authorized(_ refusal: Refusal?) -> Step {
        refusal.map { self.refuse($0.reason, $0.message) } ?? self.send()
    }

    private mutating func send() -> Step {
        guard let request = self.rest.first else { return .finished(self.outcome) }
        self.state = .sending
        return .send(request)
    }

    /// Engine speed or vehicle speed was read.
    package mutating func looked(_ answers: [String: ECUAnswer]) -> Step {
        self.step(self.standstill.answered(answers))
    }

    /// The codes were read.
    package mutating func read(_ codes: CodesReport) -> Step {
        guard codes.known else {
            return self.refuse(.codesUnknown, "the codes could not be read, so nobody knows what would be cleared")
        }
        if case .readingCodesAgain(let before) = self.state {
            guard before.erasable == codes.erasable else {
                return self.refuse(.codesChanged, "the codes changed while they were being kept: read them again")
            }
            return self.look(.looking)
        }
        self.state = .readingMonitors(codes)
        return .readMonitors
    }

    /// Readiness and test results were read; nil where no ECU tells them.
    package mutating func read(_ monitors: MonitorsReport?) -> Step {
        guard case .readingMonitors(let codes) = self.state else { return self.next() }
        self.state = .keeping(codes)
        return .keep(codes, monitors)
    }

    /// What was to be kept is on the disk, but for a problem.
    package mutating func kept(_ problem: String?) -> Step {
        if let problem {
            return self.refuse(.snapshotNotKept, "what it erases could not be written to the disk first: \(problem)")
        }
        guard case .keeping(let codes) = self.state else { return self.next() }
        self.state = .readingCodesAgain(codes)
        return .readCodes
    }

    /// The request was answered, or not.
    package mutating func answered(_ reply: RawReply) -> Step {
        let request = self.rest.removeFirst()
        self.isAnswered = self.isAnswered || !reply.answers.isEmpty || request.suppressesReply
        var members: [String: JSON] = ["request": .string(request.payload.digits)]
        members["answers"] = .object(reply.answers.mapValues { self.json($0, to: request) })
        members["problem"] = reply.problem.map { .string($0) }
        return self.record(.object(members))
    }

    private mutating func record(_ json: JSON) -> Step {
        self.state = .recording
        self.told.append(json)
        return .record(json)
    }

    private mutating func json(_ answer: ECUAnswer, to request: RawRequest) -> JSON {
        switch answer {
        case .negative(let code):
            let response = NegativeResponse(payload: [0x7F, request.payload[0], code])
            return ["code": .string([code].digits), "refusal": .string(response?.code.name ?? "refused")]
        case .positive(let messages):
            var texts: [JSON] = []
            var isCut = false
            for message in messages {
                let part = message.prefix(max(0, Self.limit - self.bytes))
                isCut = isCut || part.count < message.count
                self.bytes += part.count
                if !part.isEmpty { texts.append(.string(part.digits)) }
            }
            return isCut ? ["messages": .array(texts), "truncated": true] : ["messages": .array(texts)]
        }
    }

    /// The vehicle was lost in the middle.
    ///
    /// - Returns: what is to be recorded of the request that was under way, and the end of it.
    package mutating func interrupted(_ reason: String) -> (record: JSON?, result: CommandResult) {
        var record: JSON?
        var message = "\(reason); nothing more was asked"
        if self.state == .sending, let request = self.rest.first {
            message = "\(reason) after \(request): nobody knows whether it was obeyed"
            let json: JSON = ["request": .string(request.payload.digits), "answers": [:], "problem": .string(reason)]
            self.told.append(json)
            record = json
        }
        return (record, CommandResult(state: .failed, reason: .linkLost, message: message, result: self.result))
    }

    // MARK: - The truth about it

    /// What was asked before stands in the result.
    private func refuse(_ reason: CommandResponse.Reason, _ message: String) -> Step {
        let request = self.rest.first.map { "\($0)" } ?? ""
        return .finished(
            CommandResult(
                state: self.told.isEmpty ? .refused : .failed,
                reason: reason,
                message: "\(request) was not asked: \(message)",
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
            "ecu": self.order.destination.map { .string("\($0.header)") } ?? .null, "requests": .array(self.told),
            "hold": .number(self.order.hold.seconds),
        ]
    }
}

/// What came back for a ``RawRequest``.
package struct RawReply: Hashable, Sendable {
    /// By ECU.
    package var answers: [String: ECUAnswer]
    /// Why there is no answer, where that is known.
    package var problem: String?

    package init(_ answers: [String: ECUAnswer], problem: String? = nil) {
        self.answers = answers
        self.problem = problem
    }
}
