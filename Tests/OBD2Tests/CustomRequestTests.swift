// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Custom requests")
struct CustomRequestTests {
    @Test("All services are refused, except for those that are known to read only", arguments: 0...255)
    func services(service: Int) throws {
        let reading: Set = [0x01, 0x02, 0x05, 0x06, 0x09, 0x0A, 0x19, 0x21, 0x22]
        let byte = UInt8(service)
        for length in 1...9 {
            let payload = [byte] + [UInt8](repeating: 1, count: length - 1)
            guard reading.contains(service) else {
                #expect(throws: CustomRequestError.service(byte)) { try CustomRequest(payload: payload) }
                continue
            }
            if let request = try? CustomRequest(payload: payload) {
                #expect(1...7 ~= length && request.payload == payload)
            }
        }
    }

    @Test(
        "The echo in a reply depends on the service",
        arguments: [
            ([0x01, 0x0C], [0x0C]), ([0x02, 0x0C, 0x00], [0x0C, 0x00]), ([0x0A], []), ([0x09, 0x02], [0x02]),
            ([0x19, 0x02, 0xFF], [0x02]), ([0x21, 0x01], [0x01]), ([0x21, 0x01, 0x02], [0x01]),
            ([0x22, 0xF1, 0x90], [0xF1, 0x90]),
        ] as [([UInt8], [UInt8])]
    )
    func echo(payload: [UInt8], expected: [UInt8]) throws {
        #expect(try CustomRequest(payload: payload).echo == expected)
    }

    @Test("A request with two identifiers, with none or with too many bytes is refused")
    func lengths() throws {
        #expect(throws: CustomRequestError.length(0x22, 3...3, 5)) {
            try CustomRequest(payload: [0x22, 1, 2, 3, 4])
        }
        #expect(throws: CustomRequestError.empty) { try CustomRequest(payload: []) }
        let header = try #require(Destination.Header("6F1"))
        let bmw = try #require(Destination(header: header, responder: .can11(0x607), extendedAddress: 0x07))
        #expect(throws: CustomRequestError.length(0x21, 2...6, 7)) {
            try CustomRequest(payload: [0x21, 1, 2, 3, 4, 5, 6], destination: bmw)
        }
    }

    @Test("The header of the reply follows from that of the request if a standard defines it")
    func responders() throws {
        func responder(_ header: String) throws -> String? {
            Destination(header: try #require(Destination.Header(header)))?.responder?.description
        }
        #expect(try responder("7E4") == "7EC")
        #expect(try responder("7A0") == "7A8")
        #expect(try responder("18DA10F1") == "18DAF110")
        #expect(try responder("18DAF110") == "18DA10F1")
        // The priority of the reply is unknown.
        #expect(Destination(header: .can29(0x14DA_11F1)) != nil)
        #expect(try responder("14DA11F1") == nil)
        #expect(try responder("17FC0076") == nil)
        #expect(try responder("7FF") == nil)
        #expect(Destination(header: .legacy(0x82, 0x10, 0xF1))?.responder == nil)
        #expect(Destination(header: .can11(0x7E0), responder: .can29(0x18DA_F110)) == nil)
    }

    @Test("The address byte of the reply follows from the header")
    func addressBytes() throws {
        let mixed = try #require(Destination(header: .can11(0x750), extendedAddress: 0x2A))
        #expect(mixed.testerAddress == 0x2A && mixed.responder == .can11(0x758))
        let extended = try #require(Destination(header: .can11(0x6F1), extendedAddress: 0x12))
        #expect(extended.testerAddress == 0xF1 && extended.responder == .can11(0x612))
        let explicit = Destination(
            header: .can11(0x6F1),
            responder: .can11(0x608),
            extendedAddress: 0x07,
            testerAddress: 0x01
        )
        #expect(explicit?.testerAddress == 0x01 && explicit?.responder == .can11(0x608))
    }

    @Test("A value that rounding puts beyond a limit is the limit")
    func rounding() throws {
        func value(_ formula: String, _ range: ClosedRange<Double>) throws -> DecodedValue? {
            let field = Field(custom: "x", try Formula(formula), range: range)
            return CustomParameter(request: try CustomRequest(payload: [0x21, 1]), field: field)
                .decode([0x61, 1, 255])?.value
        }
        #expect(try value("A * 0.784 - 100", -100...99.92) == .number(99.92))
        #expect(try value("100 - A * 0.784", -99.92...100) == .number(-99.92))
        #expect(try value("A * 0.784 - 100", -100...99.91) == nil)
        #expect(try value("A", 0...254.999_999_999) == nil)
    }

    @Test("Headers are read and written in the configuration's form", arguments: ["7E4", "18DA10F1", "8210F1", "007"])
    func headers(text: String) {
        #expect(Destination.Header(text)?.description == text)
    }

    @Test("Other texts are not headers", arguments: ["", "7E", "8FF", "7e4x", "FFFFFFFF", "+7E", "١٢٣", "7E4 "])
    func noHeaders(text: String) {
        #expect(Destination.Header(text) == nil)
    }

    @Test("A value is decoded only from a complete reply to the same request")
    func decoding() throws {
        let request = try CustomRequest(payload: [0x22, 0x01, 0x01])
        let parameter = CustomParameter(request: request, field: Field(custom: "x", try Formula("B")))
        #expect(parameter.decode([0x62, 0x01, 0x01, 9, 8])?.value == .number(8))
        for message in [[0x62, 0x01, 0x01, 9], [0x62, 0x01, 0x02, 9, 8], [0x61, 0x01, 0x01, 9, 8], [0x62], []]
            as [[UInt8]]
        {
            #expect(parameter.decode(message) == nil)
        }
    }
}
