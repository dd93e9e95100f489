// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Diagnostic addresses")
struct DiagnosticAddressTests {
    @Test("On 11-bit CAN the diagnostic addresses are 600 to 7FF")
    func short() {
        let diagnostic = (UInt16(0)...0x7FF).filter { Destination.Header.can11($0).isDiagnostic }
        #expect(diagnostic == Array(0x600...0x7FF))
    }

    @Test(
        "Headers of the standards and of manufacturers are diagnostic addresses",
        arguments: [
            "7DF", "7E0", "6F1", "750", "18DA10F1", "18DB33F1", "14DA11F1", "1CDAC7F1", "00DA00F1", "17FC007B",
            "17FC0000",
            "8210F1", "6C10F1", "686AF1", "8229F0",
        ]
    )
    func diagnostic(text: String) throws {
        #expect(try #require(Destination.Header(text)).isDiagnostic)
    }

    @Test(
        "Other headers are not diagnostic addresses",
        arguments: [
            "000", "0C1", "241", "5FF", "18DA10F2", "18DC10F1", "18D910F1", "19DA10F1", "1ADA10F1", "1DD01630",
            "18FEF100",
            "18EAFFF1", "18FC00F1", "17FD0076", "16FC0076", "00000000", "1FFFFFFF", "8A6A10", "68EAEF", "48EAFE",
        ]
    )
    func foreign(text: String) throws {
        #expect(try !#require(Destination.Header(text)).isDiagnostic)
    }

    @Test("Outside of the diagnostic addresses a reading request counts as writing, and no effect gets weaker")
    func effects() throws {
        let foreign = try #require(Destination(header: .can11(0x0C1)))
        let usual = try #require(Destination(header: .can11(0x7E0)))
        #expect(try RawRequest(payload: [0x3E, 0xFF], to: foreign).effect == .writes)
        #expect(try RawRequest(payload: [0x3E, 0xFF], to: usual).effect == .reads)
        #expect(try RawRequest(payload: [0x3E, 0xFF], to: nil).effect == .reads)
        #expect(try RawRequest(payload: [0x2E, 1, 2, 3], to: foreign).effect == .writes)
        #expect(try RawRequest(payload: [0x14, 0xFF, 0xFF, 0xFF], to: foreign).effect == .clears)
    }
}
