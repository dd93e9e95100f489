// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Codes")
struct CodeTests {
    private func decode(_ messages: [String], _ layout: MessageLayout) throws -> [String] {
        let reply = try Reply(messages: messages.map(bytes), to: .confirmedCodes)
        return try CodeReply.decode(reply, layout: layout).map(\.description)
    }

    @Test(
        "Two bytes convert to a code's text and back",
        arguments: [
            (0x0143, "P0143"), (0x4123, "C0123"), (0x3FFF, "P3FFF"), (0x8ABC, "B0ABC"), (0xC158, "U0158"),
            (0xFFFF, "U3FFF"), (0x0000, "P0000"), (0x1234, "P1234"), (0x0A0F, "P0A0F"),
        ] as [(UInt16, String)]
    )
    func text(_ raw: UInt16, _ text: String) throws {
        #expect(DTC(rawValue: raw).description == text)
        #expect(try #require(DTC(text)).rawValue == raw)
        #expect(DTC(text.lowercased()) == DTC(rawValue: raw))
    }

    @Test("Other texts are not codes", arguments: ["", "P030", "P03011", "X0301", "P4301", "P0G01", "P+301", "P030ß"])
    func noCode(_ text: String) {
        #expect(DTC(text) == nil)
    }

    @Test(
        "On CAN the count precedes the codes",
        arguments: [
            ("4300", []), ("43010301", ["P0301"]), ("430203014123", ["P0301", "C0123"]),
            ("430203010000", ["P0301"]), ("430203010301", ["P0301"]), ("430000000000", []),
            ("4301030100000000", ["P0301"]), ("43010301AAAAAA", ["P0301"]), ("4300555555555555", []),
        ]
    )
    func can(_ message: String, _ codes: [String]) throws {
        #expect(try self.decode([message], .can) == codes)
    }

    @Test(
        "A wrong count on CAN is refused",
        arguments: [
            ("43", DecodingError.wrongLength(expected: 1...511, actual: 0)),
            ("4301", .wrongCount(declared: 1, present: 0)),
            ("430103", .wrongCount(declared: 1, present: 0)),
            ("43020301", .wrongCount(declared: 2, present: 1)),
            ("430203010420FF01", .wrongCount(declared: 2, present: 3)),
            ("430103010420", .wrongCount(declared: 1, present: 2)),
            // Two codes without a count, as ELM327-emulator sends them.
            ("4301430196", .wrongCount(declared: 1, present: 1)),
            ("43FF0301", .wrongCount(declared: 255, present: 1)),
        ]
    )
    func canRefused(_ message: String, _ error: DecodingError) {
        #expect(throws: error) { try self.decode([message], .can) }
    }

    @Test("On the older buses each message has three codes")
    func legacy() throws {
        #expect(try self.decode(["43000000000000"], .legacy) == [])
        #expect(try self.decode(["43030101430000"], .legacy) == ["P0301", "P0143"])
        #expect(
            try self.decode(["43030101430420", "43C15800000000"], .legacy) == ["P0301", "P0143", "P0420", "U0158"]
        )
        #expect(try self.decode(["43030100000000", "43030100000000"], .legacy) == ["P0301"])
    }

    @Test(
        "A message of another size is refused on the older buses",
        arguments: ["43", "4300", "430301", "4303010143", "4303010143000000"]
    )
    func legacyRefused(_ message: String) {
        #expect(throws: DecodingError.wrongLength(expected: 6...6, actual: bytes(message).count - 1)) {
            try self.decode([message], .legacy)
        }
    }

    @Test("Two ECUs without codes never make C0300")
    func twoEmptyReplies() throws {
        #expect(try self.decode(["4300", "4300"], .can) == [])
        #expect(throws: DecodingError.wrongCount(declared: 0, present: 1)) { try self.decode(["43004300"], .can) }
        #expect(throws: (any Error).self) { try self.decode(["4300", "4300"], .legacy) }
        #expect(throws: (any Error).self) { try self.decode(["43004300"], .legacy) }
    }

    @Test("Two different messages of one ECU are refused on CAN")
    func twoReplies() {
        #expect(throws: DecodingError.tooManyMessages(2)) { try self.decode(["4300", "43010301"], .can) }
    }

    @Test("Encoded codes decode to the same codes", arguments: 0...9, [MessageLayout.can, .legacy])
    func roundTrip(_ count: Int, _ layout: MessageLayout) throws {
        let codes = (0..<count).map { DTC(rawValue: UInt16($0) * 0x1357 + 1) }
        for request in [Request.confirmedCodes, .pendingCodes, .permanentCodes] {
            let messages = CodeReply.encode(codes, service: request.service, layout: layout)
            #expect(messages.count == (layout == .can ? 1 : max(1, (count + 2) / 3)))
            #expect(try CodeReply.decode(Reply(messages: messages, to: request), layout: layout) == codes)
        }
    }

    @Test("At most 255 codes are encoded, the limit of the count")
    func tooMany() throws {
        let codes = (1...300).map { DTC(rawValue: UInt16($0)) }
        let messages = CodeReply.encode(codes, service: .confirmedCodes, layout: .can)
        #expect(try CodeReply.decode(Reply(messages: messages, to: .confirmedCodes), layout: .can).count == 255)
    }
}
