// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Session

/// A request to a stranger's vehicle, the bytes that its adapter sent, and the values that its frames hold.
///
/// The values were worked out by hand from the frames. No number of a vehicle is kept: a VIN is that of a simulator.
struct RecordedDialogue: Sendable, CustomTestStringConvertible {
    /// The public issue, file or page that has the bytes.
    let source: String
    let bus: BusProtocol
    /// The request in hexadecimal.
    let request: String
    /// The only ECU that is asked; nil: all ECUs.
    let addressing: Addressing?
    /// The reply to each attempt, with its line ends and its prompt.
    let reply: String
    /// The readings, ECU by ECU.
    let readings: [String]

    init(
        _ source: String,
        _ bus: BusProtocol,
        _ request: String,
        to addressing: Addressing? = nil,
        _ reply: String,
        reads readings: [String]
    ) {
        self.source = source
        self.bus = bus
        self.request = request
        self.addressing = addressing
        self.reply = reply
        self.readings = readings
    }

    var testDescription: String { "\(self.source): \(self.request)" }

    static let all = can11 + can29 + kLine + j1850 + adapterTexts + withoutHeaders

    private var payload: [UInt8] { [UInt8](hexadecimal: self.request[...]) ?? [] }
    private var identity: VehicleIdentity { VehicleIdentity(bus: self.bus, ecus: [:]) }

    /// The request of SAE J1979; nil if the service is of another standard.
    private var standard: Request? {
        guard self.addressing == nil, let service = self.payload.first.flatMap(Service.init(rawValue:)) else {
            return nil
        }
        return Request(service: service, data: Array(self.payload.dropFirst()))
    }

    /// Plays the reply to the agent's own dialogue, in pieces of `size` bytes, and reads the result.
    func play(inPiecesOf size: Int) async throws -> [String] {
        let link = RecordedLink(self, inPiecesOf: size)
        let conversation = AdapterConversation(link, clock: link)
        let busRequest =
            if let standard { BusRequest(standard, layout: self.identity.layout) } else {
                BusRequest(
                    payload: self.payload,
                    echo: Array(self.payload.dropFirst().prefix(self.payload.first == 0x22 ? 2 : 1)),
                    addressing: self.addressing
                )
            }
        let result = try await conversation.ask(busRequest, on: self.bus)
        return self.readings(of: result)
    }

    private func readings(of result: BusResult) -> [String] {
        switch result.outcome {
        case .answered(let answers):
            guard let standard else {
                return answers.sorted { $0.key < $1.key }.map { Self.bytes($0.value, from: $0.key) }
            }
            let answer = ErrandAnswer(result, to: standard, of: self.identity)
            return answers.sorted { $0.key < $1.key }.map { ecu, reply in
                if case .negative = reply { return Self.bytes(reply, from: ecu) }
                guard case .reply(let reply) = answer.result(of: ecu) else { return "\(ecu) is unreadable" }
                do throws(DecodingError) {
                    return "\(ecu) \(try self.reading(of: reply, from: ecu, result))"
                } catch {
                    return if case .invalidVIN = error { "\(ecu) has an invalid VIN" } else { "\(ecu): \(error)" }
                }
            }
        case .noData: return ["no data"]
        case .busUnavailable(let notice): return ["bus unavailable: \(notice)"]
        case .unusable(let notice): return [notice.map { "unusable: \($0)" } ?? "unusable"]
        case .adapterRestarted: return ["the adapter restarted"]
        default: return ["\(result.outcome)"]
        }
    }

    private static func bytes(_ reply: ECUReply, from ecu: ECUAddress) -> String {
        switch reply {
        case .positive(let messages): "\(ecu) \(messages.map(\.hexadecimal).joined(separator: " | "))"
        case .negative(let code): "\(ecu) refuses with \(code.hexadecimal)"
        }
    }

    private func reading(
        of reply: Reply,
        from ecu: ECUAddress,
        _ result: BusResult
    ) throws(DecodingError) -> String {
        let layout = self.identity.layout
        switch (reply.request.service, reply.request.data.first) {
        case (.currentData, _) where reply.request.data.count > 1:
            return self.samples(from: ecu, result)
        case (.currentData, 0x01):
            let status = try MonitorStatus(data: reply.data)
            let monitors = "\(status.supported.count) monitors, \(status.incomplete.count) incomplete"
            return "MIL \(status.mil ? "on" : "off"), \(status.codeCount) codes, \(monitors)"
        case (.currentData, let base?) where base.isMultiple(of: 0x20):
            var pids = SupportedPIDs()
            try pids.merge(base: PID(rawValue: base), bitmap: reply.data)
            return Self.text(pids.pids)
        case (.currentData, _):
            return self.samples(from: ecu, result)
        case (.confirmedCodes, _), (.pendingCodes, _), (.permanentCodes, _):
            return Self.text(try CodeReply.decode(reply, layout: layout))
        case (.monitorTests, let monitor?) where !monitor.isMultiple(of: 0x20):
            return try MonitorTest.decode(reply).map { test in
                "\(test.testID) \(test.words.value) in \(test.words.minimum)...\(test.words.maximum)"
            }.joined(separator: ", ")
        case (.vehicleInformation, 0x02):
            return try VehicleInformation.vin(reply, layout: layout).description
        case (.vehicleInformation, 0x04):
            return try VehicleInformation.calibrationIDs(reply, layout: layout).joined(separator: " ")
        default:
            return reply.data.hexadecimal
        }
    }

    private static func text(_ items: [some CustomStringConvertible]) -> String {
        items.isEmpty ? "none" : items.map(\.description).joined(separator: " ")
    }

    /// Returns the samples that the session publishes of an ECU.
    private func samples(from ecu: ECUAddress, _ result: BusResult) -> String {
        var report = AdapterReport()
        report.bus = self.bus
        var agenda = SessionAgenda(report, selection: Selection(intervals: [:]))
        let pids = self.payload.dropFirst().map(PID.init(rawValue:))
        let question = pids.count == 1 ? SessionAgenda.Question.poll(.pid(pids[0])) : .pids(pids)
        guard case .proceed(let events) = agenda.answered(question, result, at: .zero) else { return "the end" }
        let samples = events.flatMap { (event) -> [Sample] in
            if case .samples(let samples) = event { samples.filter { $0.ecu == ecu } } else { [] }
        }
        guard !samples.isEmpty else { return "no value yet" }
        return samples.map { sample in
            switch sample.value.value {
            case .number(let number): "\(sample.value.field.name) \(number)"
            case .code(let code, _): "\(sample.value.field.name) \(code)"
            case .flag(let isOn): "\(sample.value.field.name) \(isOn)"
            case .text(let text): "\(sample.value.field.name) \(text)"
            case .names(let names): "\(sample.value.field.name) \(Self.text(names))"
            }
        }.joined(separator: ", ")
    }
}

extension Addressing {
    static func can11(_ header: UInt16, from responder: UInt16) -> Addressing {
        Addressing(header: .can11(header), responder: .can11(responder))
    }

    static func legacy(_ format: UInt8, _ target: UInt8) -> Addressing {
        Addressing(header: .legacy(format, target, 0xF1), responder: .legacy(target))
    }
}
