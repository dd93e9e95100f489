// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

/// A reply as it arrives over the link, with its expected content.
struct Transcript: Sendable, CustomTestStringConvertible {
    let name: String
    let request: BusRequest
    let bus: BusProtocol
    let text: String
    let replies: [ECUAddress: ECUReply]

    var testDescription: String { self.name }

    static let vin = Array("1D4GP00R55B123456".utf8)

    static let all: [Transcript] = [
        Transcript(
            name: "CAN 11 bit, spaces, echo",
            request: SampleRequest.engineSpeed,
            bus: .can11at500,
            text: "010C\r7E8 04 41 0C 1A F8 00 00 00 \r7E9 04 41 0C 1A F9 \r\r>",
            replies: [
                .can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]]),
                .can11(0x7E9): .positive([[0x41, 0x0C, 0x1A, 0xF9]]),
            ]
        ),
        Transcript(
            name: "CAN 29 bit, a search glued to the data",
            request: SampleRequest.supported,
            bus: .can29at500,
            text: "SEARCHING...18DAF110064100BE3EB811\r18 DA F1 18 06 41 00 80 10 00 00 AA\r\r>",
            replies: [
                .can29(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]]),
                .can29(0x18): .positive([[0x41, 0x00, 0x80, 0x10, 0x00, 0x00]]),
            ]
        ),
        Transcript(
            name: "CAN, two ECUs' segments interleaved, one of them pending",
            request: SampleRequest.vin,
            bus: .can11at250,
            text: "\0\r7E8037F0978\r7E81014490201314434\r7E9037F0911\r7E82147503030523535\r7E82242313233343536\r\r>",
            replies: [.can11(0x7E8): .positive([[0x49, 0x02, 0x01] + vin]), .can11(0x7E9): .negative(0x11)]
        ),
        Transcript(
            name: "KWP after a slow start, with line feeds",
            request: SampleRequest.supported,
            bus: .kwp5Baud,
            text: "BUS INIT: ...OK\r\n86 F1 10 41 00 BE 3E B8 11 8D \r\n\r\n>",
            replies: [.legacy(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]])]
        ),
        Transcript(
            name: "ISO 9141-2, a VIN in five messages",
            request: SampleRequest.vin,
            bus: .iso9141,
            text:
                "48 6B 10 49 02 01 00 00 00 31 40 \r48 6B 10 49 02 02 44 34 47 50 1F \r48 6B 10 49 02 03 30 30 52 35 F8 \r"
                + "48 6B 10 49 02 04 35 42 31 32 EC \r48 6B 10 49 02 05 33 34 35 36 E5 \r\r>",
            replies: [
                .legacy(0x10): .positive([
                    [0x49, 0x02, 1, 0x00, 0x00, 0x00, 0x31], [0x49, 0x02, 2, 0x44, 0x34, 0x47, 0x50],
                    [0x49, 0x02, 3, 0x30, 0x30, 0x52, 0x35], [0x49, 0x02, 4, 0x35, 0x42, 0x31, 0x32],
                    [0x49, 0x02, 5, 0x33, 0x34, 0x35, 0x36],
                ])
            ]
        ),
        Transcript(
            name: "J1850 VPW",
            request: SampleRequest.supported,
            bus: .j1850VPW,
            text: "486B104100BE3EB811FA\r\r>",
            replies: [.legacy(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]])]
        ),
        Transcript(
            name: "J1850 PWM, after a prompt that was left over",
            request: SampleRequest.supported,
            bus: .j1850PWM,
            text: "\r>41 6B 10 41 00 BE 3E B8 11 90\r\r>",
            replies: [.legacy(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]])]
        ),
        Transcript(
            name: "No data",
            request: SampleRequest.engineSpeed,
            bus: .can11at500,
            text: "NO DATA\r\r>",
            replies: [:]
        ),
    ]
}

@Suite("Every split of a reply reads the same")
struct SplitTests {
    /// Returns the outcome that the dialogue delivers for these pieces.
    private static func outcome(of pieces: [ArraySlice<UInt8>], to request: BusRequest) -> CommandOutcome? {
        var dialogue = Dialogue()
        let line = request.payload.map(hexadecimal).joined()
        _ = dialogue.submit(AdapterCommand(line, timeout: .seconds(2), service: request.service))
        var outcome: CommandOutcome?
        for piece in pieces {
            if case .deliver(let delivered) = dialogue.bytesReceived(piece) {
                guard outcome == nil else { return nil }
                outcome = delivered
            }
        }
        return outcome
    }

    @Test("An undivided reply has the expected content", arguments: Transcript.all)
    func whole(transcript: Transcript) throws {
        let outcome = try #require(Self.outcome(of: [Array(transcript.text.utf8)[...]], to: transcript.request))
        guard case .reply(let lines) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let reply = ReplyInterpreter(lines, to: transcript.request, on: transcript.bus)
        #expect(reply.replies == transcript.replies)
        #expect(reply.dropped == 0)
    }

    @Test("A reply in two pieces, in three, or byte by byte reads the same", arguments: Transcript.all)
    func split(transcript: Transcript) {
        let bytes = Array(transcript.text.utf8)
        let whole = Self.outcome(of: [bytes[...]], to: transcript.request)
        #expect(whole != nil)
        var differing: [String] = []
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                if Self.outcome(of: pieces, to: transcript.request) != whole { differing.append("\(first), \(second)") }
            }
        }
        #expect(differing.isEmpty)
        #expect(Self.outcome(of: bytes.indices.map { bytes[$0...$0] }, to: transcript.request) == whole)
    }
}
