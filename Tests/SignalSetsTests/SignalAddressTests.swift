// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import SignalSets

@Suite("Addresses of signal sets")
struct SignalAddressTests {
    /// Returns a command with one signal.
    private static func command(_ address: String, _ identifier: String, length: Int = 8) -> String {
        let signal = #"{"id": "S\#(identifier)", "fmt": {"len": \#(length), "max": 9, "unit": "scalar"}}"#
        return #"{\#(address), "cmd": {"22": "\#(identifier)"}, "freq": 1, "signals": [\#(signal)]}"#
    }

    /// Returns the destinations that the configuration reads from the TOML of a set, by the identifier of the request.
    private static func destinations(_ commands: [String]) throws -> [String: Destination] {
        let set = try SignalSetImport(Array(#"{"commands": [\#(commands.joined(separator: ","))]}"#.utf8))
        #expect(set.skipped.isEmpty)
        return try SignalSetTests.parameters(of: set).compactMapValues(\.request?.destination)
    }

    private static func destination(_ address: String) throws -> Destination {
        try #require(try Self.destinations([Self.command(address, "0001")])["s0001"])
    }

    @Test(
        "A receive address of a request with 29 bits lacks the front of the identifier",
        arguments: [
            (#""hdr": "DA10", "rax": "10""#, "18DA10F1", "18DAF110"),
            (#""hdr": "DA10", "rax": "F110""#, "18DA10F1", "18DAF110"),
            (#""hdr": "DA10""#, "18DA10F1", "18DAF110"),
            // Volkswagen and General Motors: the identifier is whole behind the priority.
            (#""hdr": "FC00", "pri": "17", "tst": "7B", "rax": "FE007B""#, "17FC007B", "17FE007B"),
            (#""hdr": "FC00", "pri": "17", "rax": "FE0076""#, "17FC0076", "17FE0076"),
            (#""hdr": "DA11", "pri": "14", "rax": "2AF111""#, "14DA11F1", "142AF111"),
            (#""hdr": "DA11", "pri": "14", "rax": "18DAF111""#, "14DA11F1", "18DAF111"),
        ]
    )
    func replies(address: String, header: String, responder: String) throws {
        let destination = try Self.destination(address)
        #expect("\(destination.header)" == header && destination.responder.map { "\($0)" } == responder)
    }

    @Test(
        "With another priority than 18, the ECU may answer with any",
        arguments: [#""hdr": "DA11", "pri": "14""#, #""hdr": "DA11", "pri": "14", "rax": "11""#]
    )
    func openReplies(address: String) throws {
        let destination = try Self.destination(address)
        #expect(destination.header == .can29(0x14DA_11F1) && destination.responder == nil)
    }

    @Test(
        "The address byte of the reply is the tester's if the header names the tester, and else that of the request",
        arguments: [
            (#""hdr": "750", "rax": "758", "eax": "2A""#, 0x758, 0x2A),
            (#""hdr": "750", "rax": "758", "eax": "2A", "tst": "2B""#, 0x758, 0x2B),
            (#""hdr": "750", "eax": "2A""#, 0x758, 0x2A),
            (#""hdr": "6F1", "rax": "612", "eax": "12""#, 0x612, 0xF1),
            (#""hdr": "6F1", "eax": "60""#, 0x660, 0xF1),
        ] as [(String, UInt16, UInt8)]
    )
    func addressBytes(address: String, responder: UInt16, tester: UInt8) throws {
        let destination = try Self.destination(address)
        #expect(destination.responder == .can11(responder) && destination.testerAddress == tester)
    }

    @Test("A manufacturer's ECU without a receive address answers at the distance that the others keep")
    func distance() throws {
        let unanimous = try Self.destinations([
            Self.command(#""hdr": "710", "rax": "77A""#, "0001"), Self.command(#""hdr": "70B""#, "0002"),
            Self.command(#""hdr": "7E0""#, "0003"),
        ])
        #expect(unanimous["s0002"]?.responder == .can11(0x775))
        #expect(unanimous["s0003"]?.responder == .can11(0x7E8))
        let divided = try Self.destinations([
            Self.command(#""hdr": "710", "rax": "77A""#, "0001"), Self.command(#""hdr": "7A0", "rax": "7A8""#, "0002"),
            Self.command(#""hdr": "70B""#, "0003"),
        ])
        #expect(divided["s0003"]?.responder == .can11(0x713))
    }

    @Test("Flow control is set for an ECU if the adapter cannot derive its header, and a reply is long")
    func flowControl() throws {
        let volkswagen = #""hdr": "FC00", "pri": "17", "tst": "7B", "rax": "FE007B""#
        let short = try Self.destinations([Self.command(volkswagen, "0001", length: 32)])
        #expect(short["s0001"]?.setsFlowControl == false)
        let long = try Self.destinations([
            Self.command(volkswagen, "0001"), Self.command(volkswagen, "0002", length: 40),
            Self.command(#""hdr": "DA10""#, "0003", length: 40),
        ])
        // One ECU has the same settings for all of its requests, so that the adapter keeps them.
        #expect(long["s0001"] == long["s0002"] && long["s0002"]?.setsFlowControl == true)
        #expect(long["s0003"]?.setsFlowControl == false)
    }
}
