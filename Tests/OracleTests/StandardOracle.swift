// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import TestSupport

@testable import OBD2
@testable import Session

/// The way of a recorded reply of service 01: from the text of an adapter to the values of the catalogue.
struct StandardOracle {
    private(set) var tally: Tally
    private let known: KnownDifferences
    private let signals: [String: StandardSignal]
    private var numbers: SeededNumbers
    private let adapter = RecordedAdapter()
    /// The dialogues on buses with identifiers of 3 and of 8 digits.
    private var conversations: [Int: AdapterConversation] = [:]

    init(_ title: String, seed: UInt64) throws {
        self.tally = Tally(title)
        self.known = try KnownDifferences("standard")
        self.signals = try StandardSignal.all()
        self.numbers = SeededNumbers(seed)
    }

    /// Judges the values of a case.
    mutating func judge(_ recorded: RecordedCase) async throws {
        self.tally.begin()
        guard recorded.command.payload.count == 2 else { return }
        let pid = PID(rawValue: recorded.command.payload[1])
        let answers = try await self.answers(to: pid, recorded)
        for (id, expected) in recorded.expected {
            // The recordings do not tell which ECU a value is of.
            let verdicts = answers.map { self.verdict($0, id, expected, recorded) }
            self.tally.count(
                verdicts.min() ?? self.verdict(nil, id, expected, recorded),
                of: id,
                "\(recorded.model) \(recorded.year), \(pid): expected \(expected), decoded "
                    + "\(answers.map(\.hexadecimal)) from \(recorded.lines.joined(separator: "|"))"
            )
        }
    }

    /// Returns the data of a PID in each ECU's answer.
    private mutating func answers(to pid: PID, _ recorded: RecordedCase) async throws -> [[UInt8]] {
        let length = recorded.command.identifierLength
        let conversation = self.conversations[length] ?? AdapterConversation(self.adapter, clock: self.adapter)
        self.conversations[length] = conversation
        let request = Request.currentData(pid)
        let reply = PrintedReply(
            recorded.lines,
            identifierLength: length,
            echo: request.payload.hexadecimal(separator: ""),
            using: &self.numbers
        )
        self.adapter.answer(with: reply)
        let bus: BusProtocol = length == 3 ? .can11at500 : .can29at500
        let result = try await conversation.ask(BusRequest(request, layout: .can), on: bus)
        return GroupAnswer(result, to: [pid], KnownAnswers(on: bus)).values.map(\.data)
    }

    private func verdict(_ data: [UInt8]?, _ id: String, _ expected: JSON, _ recorded: RecordedCase) -> Verdict {
        guard let signal = self.signals[id], recorded.command.payload == [0x01, signal.pid] else { return .notInSet }
        guard let parameter = Parameter.withPID(PID(rawValue: signal.pid)) else { return .notInCatalogue }
        guard let data else { return self.verdict(without: recorded, parameter) }
        let values = (try? parameter.decode(data)) ?? []
        var verdict = Verdict.notInCatalogue
        var decoded: Double?
        if let field = parameter.fields.first(where: signal.hasBits) {
            let value = values.first { $0.field == field }?.value
            if value == nil, let bit = field.supportBit, data[0] & 1 << UInt8(bit) == 0 {
                return .known("a value that the ECU does not support")
            }
            if value == nil, field.isOptional { return .known("a trim that the ECU marks as not used") }
            verdict = signal.verdict(value, field, expected)
            decoded = value.flatMap(Comparison.number)
        } else if let monitor = StandardSignal.monitor(at: signal.firstBit), [0x01, 0x41].contains(signal.pid) {
            verdict = Self.verdict(monitor, values, expected)
        } else if let fields = signal.supported(in: parameter.fields) {
            // A field is decoded if its support bit is set; where two fields share their bits, one of them may be.
            let isThere = values.contains { fields.contains($0.field) }
            verdict = expected.double == (isThere ? 1 : 0) ? .equal : .wrong
        }
        guard verdict == .wrong else { return verdict }
        if parameter.isSentinel(data) { return .known("all ones: not available") }
        return self.known.reason("*", id, decoded, expected.double).map { .known($0) } ?? .wrong
    }

    /// Judges a value of a recording in which the agent reads nothing.
    private func verdict(without recorded: RecordedCase, _ parameter: Parameter) -> Verdict {
        switch RecordedMessages.answer(in: recorded, [0x41, parameter.pid.rawValue]) {
        case .none: return .noWholeMessage
        case .doubtful: return .doubtful
        case .message(let message):
            guard recorded.lines.contains(where: Self.isStandard) else {
                return .known("the reply of an address of the manufacturer")
            }
            let isFitting = parameter.length?.contains(message.count - 2) ?? true
            return isFitting ? .wrong : .known("the reply is not as long as the PID's")
        }
    }

    /// Whether a frame has an identifier with which ECUs answer a request to all of them (ISO 15765-4).
    private static func isStandard(_ line: String) -> Bool {
        line.hasPrefix("7E") || line.hasPrefix("18DAF1")
    }

    /// Judges a bit of a monitor.
    ///
    /// The set has the monitors of spark ignition; bits of a monitor that is not supported have no meaning.
    private static func verdict(_ monitor: StandardSignal.MonitorBit, _ values: [FieldValue], _ expected: JSON)
        -> Verdict
    {
        func value(_ key: String) -> DecodedValue? { values.first { $0.field.key == key }?.value }
        guard case .names(let supported) = value("supported"), case .names(let incomplete) = value("incomplete") else {
            return .wrong
        }
        let isSpark = value("ignition") == .text("spark")
        guard isSpark || monitor.isContinuous else { return .known("a monitor of spark ignition in a diesel") }
        guard monitor.isSupport || supported.contains(monitor.name) else {
            return .known("the readiness of a monitor that the vehicle does not have")
        }
        let isSet = (monitor.isSupport ? supported : incomplete).contains(monitor.name)
        return expected.double == (isSet ? 1 : 0) ? .equal : .wrong
    }
}
