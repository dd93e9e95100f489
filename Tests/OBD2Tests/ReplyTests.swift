// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Requests and their replies")
struct ReplyTests {
    @Test("A request has the bytes and the echo of its service")
    func requests() {
        #expect(Request.currentData(0x0C).payload == bytes("010C"))
        #expect(Request.currentData(0x0C).echo == bytes("0C"))
        #expect(Request.currentData([0x0C, 0x0D]).payload == bytes("010C0D"))
        #expect(Request.currentData([0x0C, 0x0D]).echo == [])
        #expect(Request.freezeFrame(0x05).payload == bytes("020500"))
        #expect(Request.freezeFrame(0x05).echo == bytes("0500"))
        #expect(Request.vehicleInformation(.vin).payload == bytes("0902"))
        #expect(Request.vehicleInformation(.vin).echo == bytes("02"))
        for (request, payload) in [
            (Request.confirmedCodes, "03"), (.clearCodes, "04"), (.pendingCodes, "07"), (.permanentCodes, "0A"),
        ] {
            #expect(request.payload == bytes(payload))
            #expect(request.echo == [])
        }
        #expect(Request.currentData(0x0C).description == "01 0C")
    }

    @Test("The data of a reply follow its echo")
    func data() throws {
        let one = try Reply(messages: [bytes("410C1AF8")], to: .currentData(0x0C))
        #expect(one.data == bytes("1AF8"))
        #expect(one.body == bytes("0C1AF8"))
        let several = try Reply(messages: [bytes("410D320C1AF8")], to: .currentData([0x0C, 0x0D]))
        #expect(several.data == bytes("0D320C1AF8"))
        #expect(try Reply(messages: [bytes("4205003C")], to: .freezeFrame(0x05)).data == bytes("3C"))
        #expect(try Reply(messages: [bytes("44")], to: .clearCodes).data == [])
    }

    @Test(
        "A message that answers another request is refused",
        arguments: [
            ("", DecodingError.empty),
            ("43", .wrongService(expected: 0x41, actual: 0x43)),
            ("010C", .wrongService(expected: 0x41, actual: 0x01)),
            ("41", .wrongEcho(expected: [0x0C], actual: [])),
            ("410D32", .wrongEcho(expected: [0x0C], actual: [0x0D])),
            ("7F0122", .negative(NegativeResponse(service: 0x01, code: .conditionsNotCorrect))),
            ("7F0178", .negative(NegativeResponse(service: 0x01, code: .responsePending))),
            ("7F0322", .wrongService(expected: 0x41, actual: 0x43)),
            ("7F01", .wrongLength(expected: 3...3, actual: 2)),
        ]
    )
    func refused(_ message: String, _ error: DecodingError) {
        #expect(throws: error) { try Reply(messages: [bytes(message)], to: .currentData(0x0C)) }
    }

    @Test("A reply without a message is empty")
    func nothing() {
        #expect(throws: DecodingError.empty) { try Reply(messages: [], to: .confirmedCodes) }
    }

    @Test("A reply to several PIDs must begin with one of them")
    func foreign() {
        #expect(throws: DecodingError.wrongEcho(expected: [0x0C, 0x0D], actual: [0x05])) {
            try Reply(messages: [bytes("410550")], to: .currentData([0x0C, 0x0D]))
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0x0C, 0x0D], actual: [])) {
            try Reply(messages: [bytes("41")], to: .currentData([0x0C, 0x0D]))
        }
    }

    @Test("A message \"response pending\" before a reply is ignored")
    func pending() throws {
        let reply = try Reply(messages: [bytes("7F0178"), bytes("7F0178"), bytes("410D32")], to: .currentData(0x0D))
        #expect(reply.data == [0x32])
        #expect(throws: DecodingError.negative(NegativeResponse(service: 0x04, code: .conditionsNotCorrect))) {
            try Reply(messages: [bytes("7F0478"), bytes("7F0422")], to: .clearCodes)
        }
    }

    @Test("A repeated message is one reply; two different messages are refused")
    func repeated() throws {
        #expect(try Reply(messages: [bytes("410D32"), bytes("410D32")], to: .currentData(0x0D)).data == [0x32])
        #expect(throws: DecodingError.tooManyMessages(2)) {
            try Reply(messages: [bytes("410D32"), bytes("410D33")], to: .currentData(0x0D))
        }
    }

    @Test("A refusal has the name of its reason")
    func names() throws {
        let refusal = try #require(NegativeResponse(payload: bytes("7F0422")))
        #expect(refusal.description == "service 04 refused: conditions not correct")
        #expect(refusal.payload == bytes("7F0422"))
        #expect(NegativeResponse.Code(rawValue: 0xEE).name == "code EE")
        #expect(NegativeResponse(payload: bytes("410C00")) == nil)
        #expect(NegativeResponse(payload: bytes("7F042200")) == nil)
    }

    @Test("An error describes what was expected and what was found")
    func errors() {
        #expect(
            DecodingError.wrongEcho(expected: [0x0C], actual: [0x0D]).description
                == "expected a reply about 0C, found 0D"
        )
        #expect(DecodingError.wrongLength(expected: 1...2, actual: 0).description == "expected 1 to 2 bytes, found 0")
        #expect(DecodingError.wrongLength(expected: 2...2, actual: 3).description == "expected 2 bytes, found 3")
    }
}
