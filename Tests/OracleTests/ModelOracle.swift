// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import SignalSets
import TestSupport

@testable import Session

/// The whole way of a recorded reply: from the text of an adapter to the values of a signal set.
struct ModelOracle {
    private(set) var tally: Tally
    private let known: KnownDifferences
    private var numbers: SeededNumbers
    private var present: (model: String, year: Int, signals: VehicleSignals?)?
    private let adapter = RecordedAdapter()
    /// The dialogues on buses with identifiers of 3 and of 8 digits.
    private var conversations: [Int: AdapterConversation] = [:]

    init(_ title: String, seed: UInt64) throws {
        self.tally = Tally(title)
        self.known = try KnownDifferences("models")
        self.numbers = SeededNumbers(seed)
    }

    /// Judges the values of a case.
    mutating func judge(_ recorded: RecordedCase) async throws {
        self.tally.begin()
        let signals = try self.signals(of: recorded)
        var answers: [CustomRequest: BusOutcome] = [:]
        for (id, value) in recorded.expected {
            guard let signal = signals?.signal(id, recorded.command.payload) else {
                let reason = signals?.refusal(of: id).map { Verdict.leftOut($0.text) }
                self.tally.count(reason ?? .notInSet, of: id, "")
                continue
            }
            let request = signal.request
            let outcome: BusOutcome
            if let answer = answers[request] {
                outcome = answer
            } else {
                outcome = try await self.ask(request, recorded)
                answers[request] = outcome
            }
            let values = Self.values(signal, outcome)
            self.tally.count(
                self.verdict(values, signal, id, value, recorded, signals),
                of: "\(recorded.model) \(id)",
                "\(recorded.year), \(request): expected \(value), decoded \(values) from "
                    + recorded.lines.joined(separator: "|")
            )
        }
    }

    /// Returns the signals of the case's model and model year; nil if there is no set.
    private mutating func signals(of recorded: RecordedCase) throws -> VehicleSignals? {
        if let present, present.model == recorded.model, present.year == recorded.year { return present.signals }
        let signals = try SetFile.bytes(of: recorded.model).map { try VehicleSignals($0, year: recorded.year) }
        self.present = (recorded.model, recorded.year, signals)
        self.conversations = [:]
        return signals
    }

    private mutating func ask(_ request: CustomRequest, _ recorded: RecordedCase) async throws -> BusOutcome {
        let length = recorded.command.identifierLength
        let conversation = self.conversations[length] ?? AdapterConversation(self.adapter, clock: self.adapter)
        self.conversations[length] = conversation
        let echo = request.payload.hexadecimal(separator: "")
        let reply = PrintedReply(recorded.lines, identifierLength: length, echo: echo, using: &self.numbers)
        self.adapter.answer(with: reply)
        return try await conversation.ask(BusRequest(request), on: length == 3 ? .can11at500 : .can29at500).outcome
    }

    private static func values(_ signal: VehicleSignals.Signal, _ outcome: BusOutcome) -> [DecodedValue] {
        let polling = CustomPolling([signal.parameter.name: signal.parameter])
        let (samples, _) = polling.samples(of: [signal.parameter.name], signal.request, outcome, at: .zero)
        return samples.map(\.value.value)
    }

    private func verdict(
        _ values: [DecodedValue],
        _ signal: VehicleSignals.Signal,
        _ id: String,
        _ expected: JSON,
        _ recorded: RecordedCase,
        _ signals: VehicleSignals?
    ) -> Verdict {
        if values.contains(where: { Comparison.isEqual($0, expected) { signals?.isState($0, $1, of: id) ?? false } }) {
            return .equal
        }
        let number = values.count == 1 ? Comparison.number(values[0]) : nil
        if let reason = self.known.reason(recorded.model, id, number, expected.double) { return .known(reason) }
        if recorded.command.responder == nil, Self.isOfAnother(signal, expected, recorded) {
            return .known("all ECUs were asked, and the value is that of another one")
        }
        guard values.isEmpty else { return .wrong }
        let head = [signal.request.payload[0] | 0x40] + signal.request.echo
        let responder = signal.request.destination?.responder.map { "\($0)" }
        let message: [UInt8]
        switch RecordedMessages.answer(in: recorded, head, from: responder) {
        case .none: return .noWholeMessage
        case .doubtful: return .doubtful
        case .message(let bytes): message = bytes
        }
        let data = Array(message.dropFirst(head.count))
        guard let formula = try? Formula(signal.entry.formula) else { return .wrong }
        guard data.count >= formula.byteCount else { return .tooShort }
        let range = signal.parameter.field.rangeOfValues
        guard let value = formula.evaluate(data.span), !range.contains(value), let expected = expected.double,
            Comparison.isClose(expected, min(max(value, range.lowerBound), range.upperBound))
        else { return .wrong }
        return .outOfRange
    }

    /// Whether another ECU than the one that the agent asks has sent the value.
    private static func isOfAnother(_ signal: VehicleSignals.Signal, _ expected: JSON, _ recorded: RecordedCase) -> Bool
    {
        RecordedMessages.all(in: recorded).contains { message in
            signal.parameter.decode(message).map { Comparison.isEqual($0.value, expected) { _, _ in false } } ?? false
        }
    }
}
