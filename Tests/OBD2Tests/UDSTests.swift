// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("OBD on UDS")
struct UDSTests {
    @Test(
        "A request of J1979 has its counterpart in J1979-2",
        arguments: [
            (.currentData(0x0C), "22 F4 0C", "F4 0C"),
            (.currentData(0x00), "22 F4 00", "F4 00"),
            (.currentData(0xA6), "22 F4 A6", "F4 A6"),
            (.vehicleInformation(.vin), "22 F8 02", "F8 02"),
            (.vehicleInformation(.ecuName), "22 F8 0A", "F8 0A"),
            (.confirmedCodes, "19 42 33 08 FF", "42 33"),
            (.pendingCodes, "19 42 33 04 FF", "42 33"),
            (.permanentCodes, "19 55 33", "55 33"),
            (.clearCodes, "14 FF FF 33", ""),
            (.currentData(0x01), "22 F4 01", "F4 01"),
        ] as [(Request, String, String)]
    )
    func requests(request: Request, payload: String, echo: String) throws {
        let uds = try #require(UDSRequest(request, [.groups, .monitorStatus]))
        #expect(uds.payload == bytes(payload))
        #expect(uds.echo == bytes(echo))
    }

    @Test("PID 01 is the readiness of J1979-2, or the codes with their status if the ECUs have neither identifier")
    func readinessRequest() {
        #expect(UDSRequest(.currentData(0x01), [.groups, .readiness])?.payload == bytes("22 F5 01"))
        #expect(UDSRequest(.currentData(0x01), .readiness)?.echo == bytes("F5 01"))
        #expect(UDSRequest(.currentData(0x01), .groups)?.payload == bytes("19 42 33 08 FF"))
        #expect(UDSRequest(.currentData(0x01), [])?.payload == bytes("19 02 08"))
    }

    @Test("Data of another layout in J1979-2 have no request")
    func otherLayouts() {
        #expect(UDSRequest(.freezeFrame(0x0C), .groups) == nil)
        #expect(UDSRequest(.currentData([0x0C, 0x0D]), .groups) == nil)
        #expect(UDSRequest(Request(service: .monitorTests, data: [0x01]), .groups) == nil)
        #expect(UDSRequest(Request(service: .control, data: [0x01]), .groups) == nil)
        #expect(UDSRequest.ungroupedCodes(.confirmed).payload == [0x19, 0x02, 0x08])
    }

    @Test(
        "A reply with data translates to the reply of J1979",
        arguments: [
            (.currentData(0x0C), "62 F4 0C 1A F8", "41 0C 1A F8"),
            (.currentData(0x00), "62 F4 00 BE 3E B8 11", "41 00 BE 3E B8 11"),
            (.clearCodes, "54", "44"),
            (.currentData(0x01), "62 F4 01 81 07 65 04", "41 01 81 07 65 04"),
            (.currentData(0x01), "62 F5 01 83 1F 10 00 40 0F", "41 01 83 1F 10 00 40 0F"),
            (.vehicleInformation(.supported), "62 F8 00 55 40 00 00", "49 00 55 40 00 00"),
            // With and without the number of items.
            (.vehicleInformation(.calibrationVerificationNumbers), "62 F8 06 17 91 BC 82", "49 06 01 17 91 BC 82"),
            (.vehicleInformation(.calibrationVerificationNumbers), "62 F8 06 01 17 91 BC 82", "49 06 01 17 91 BC 82"),
            (
                .vehicleInformation(.calibrationVerificationNumbers), "62 F8 06 17 91 BC 82 00 00 00 01",
                "49 06 02 17 91 BC 82 00 00 00 01"
            ),
        ] as [(Request, String, String)]
    )
    func classic(request: Request, message: String, expected: String) {
        #expect(UDSRequest.j1979Reply(from: bytes(message), to: request) == bytes(expected))
    }

    @Test("A VIN decodes with and without its number of items")
    func vin() throws {
        let text = Array("1D4GP00R55B123456".utf8)
        for head in [[0x62, 0xF8, 0x02], [0x62, 0xF8, 0x02, 0x01]] as [[UInt8]] {
            let message = try #require(UDSRequest.j1979Reply(from: head + text, to: .vehicleInformation(.vin)))
            let reply = try Reply(messages: [message], to: .vehicleInformation(.vin))
            #expect(try VehicleInformation.vin(reply, layout: .can).description == "1D4GP00R55B123456")
        }
        #expect(UDSRequest.j1979Reply(from: [0x62, 0xF8, 0x02, 0x02] + text, to: .vehicleInformation(.vin)) == nil)
        #expect(
            UDSRequest.j1979Reply(from: [0x62, 0xF8, 0x02] + text.dropLast(), to: .vehicleInformation(.vin)) == nil
        )
    }

    @Test(
        "A reply to another request has no translation",
        arguments: [
            (.currentData(0x0C), "62 F4 0D 50"), (.currentData(0x0C), "41 0C 1A F8"), (.currentData(0x0C), "62 F4"),
            (.currentData(0x0C), ""), (.currentData(0x0C), "7F 22 31"), (.vehicleInformation(.vin), "62 F8 04 00"),
            (.vehicleInformation(.calibrationVerificationNumbers), "62 F8 06"),
            (.vehicleInformation(.calibrationVerificationNumbers), "62 F8 06 17 91 BC"),
            (.currentData(0x01), "62 F5 01 83 1F 10 00"), (.currentData(0x01), "62 F4 01 83 1F 10 00 40 0F"),
            (.currentData(0x0C), "62 F5 01 83 1F 10 00 40 0F"),
            (.clearCodes, "54 00"), (.clearCodes, "44"), (.confirmedCodes, "59 42 33 FF FF 04"),
        ] as [(Request, String)]
    )
    func foreign(request: Request, message: String) {
        #expect(UDSRequest.j1979Reply(from: bytes(message), to: request) == nil)
    }

    // MARK: - Codes

    /// A captured reply: P0420, confirmed; P2463-1F, pending.
    private static let reply = "59 42 33 FF FF 04 02 04 20 00 08 04 24 63 1F 04"

    @Test(
        "Codes have three bytes and are selected by their states",
        arguments: [
            (Self.reply, .confirmed, ["P0420-00"]),
            (Self.reply, .pending, ["P2463-1F"]),
            (Self.reply, [.confirmed, .pending], ["P0420-00", "P2463-1F"]),
            ("59 42 33 FF FF 04", .confirmed, []),
            // One code is both pending and confirmed.
            ("59 42 33 FF FF 04 04 03 01 00 2F", .confirmed, ["P0301-00"]),
            ("59 42 33 FF FF 04 04 03 01 00 2F", .pending, ["P0301-00"]),
            // Padding is not a code.
            ("59 42 33 FF FF 04 00 00 00 00 08", .confirmed, []),
            // SAE J1939-73 as the format: 9A 0C 04 is SPN 3226, FMI 4.
            ("59 42 33 FF FF 02 02 9A 0C 04 08", .confirmed, ["SPN3226-FMI4"]),
            ("59 02 FF C1 00 87 08", .confirmed, ["U0100-87"]),
            ("59 02 FF C1 00 87 04", .confirmed, []),
            ("59 55 33 FF 04 04 20 00 08 01 71 00 00", .confirmed, ["P0420-00", "P0171-00"]),
            ("59 55 33 00 04 01 71 00 00", .confirmed, ["P0171-00"]),
        ] as [(String, CodeStatus, [String])]
    )
    func codes(hex: String, wanted: CodeStatus, expected: [String]) throws {
        #expect(try UDSCodeReply.decode(bytes(hex), wanted: wanted).codes.map(\.description) == expected)
    }

    @Test(
        "An unreadable reply is an error, never an empty list of codes",
        arguments: [
            ("", .empty),
            ("7F 19 31", .wrongService(expected: 0x59, actual: 0x7F)),
            ("59", .wrongEcho(expected: [0x42], actual: [])),
            ("59 04 03 01 00", .wrongEcho(expected: [0x42], actual: [0x04])),
            ("59 42 33 FF FF", .wrongLength(expected: 6...6, actual: 5)),
            ("59 42 33 FF FF 04 02 04 20 00", .wrongLength(expected: 11...11, actual: 10)),
            ("59 02", .wrongLength(expected: 3...3, actual: 2)),
            ("59 55 33 FF 04 04", .wrongLength(expected: 9...9, actual: 6)),
            // The manufacturer defines the codes of ISO 14229-1's own format.
            ("59 42 33 FF FF 01 02 04 20 00 08", .unknownFormat(0x01)),
            // An ECU that does not keep the confirmed state cannot report that no code is confirmed.
            ("59 02 F7", .unknownStatus(0x08)),
            ("59 42 33 77 FF 04", .unknownStatus(0x08)),
        ] as [(String, DecodingError)]
    )
    func unreadable(hex: String, error: DecodingError) {
        #expect(throws: error) { try UDSCodeReply.decode(bytes(hex), wanted: .confirmed) }
    }

    @Test(
        "The severity byte has the action that a fault requests, and the class of the malfunction",
        arguments: [
            (0x00, nil, nil), (0x01, nil, 0), (0x02, nil, 1), (0x04, nil, 2), (0x08, nil, 3), (0x10, nil, 4),
            (0x20, .maintenanceOnly, nil), (0x44, .checkAtNextHalt, 2), (0x82, .checkImmediately, 1),
            // The most urgent action counts, and two classes are none.
            (0xE2, .checkImmediately, 1), (0x60, .checkAtNextHalt, nil), (0x26, .maintenanceOnly, nil),
        ] as [(UInt8, CodeSeverity.Action?, Int?)]
    )
    func severities(byte: UInt8, action: CodeSeverity.Action?, malfunctionClass: Int?) throws {
        let severity = CodeSeverity(rawValue: byte)
        #expect(severity.action == action)
        #expect(severity.malfunctionClass == malfunctionClass)
        // The severity survives the translation to J1979.
        let message = bytes("59 42 33 FF FF 04") + [byte] + bytes("04 20 00 88")
        let classic = try Dialect.j1979Part2.j1979Reply(from: message, to: .confirmedCodes)
        let reply = try Reply(messages: [classic], to: .confirmedCodes)
        let codes = try CodeReply.decode(reply, layout: .can, dialect: .j1979Part2)
        #expect(codes.records.map(\.severity) == [severity])
        #expect(codes.records.map(\.status) == [[.confirmed, .warningIndicatorRequested]])
        #expect(codes.kept.contains(.warningIndicatorRequested))
    }

    @Test("Codes by their state alone have no severity")
    func noSeverity() throws {
        let codes = try UDSCodeReply.decode(bytes("59 02 7F C1 00 87 08"), wanted: .confirmed)
        #expect(codes.records.map(\.severity.rawValue) == [0])
        #expect(!codes.kept.contains(.warningIndicatorRequested))
    }

    @Test("Encoded codes decode to the same codes")
    func roundTrip() throws {
        let severity = CodeSeverity(rawValue: 0x44)
        let codes = [
            CodeRecord(
                .j2012Failure(DTC(rawValue: 0x0301), type: 0),
                status: [.confirmed, .pending],
                severity: severity
            ),
            CodeRecord(.j2012Failure(DTC(rawValue: 0xC100), type: 0x87), status: .confirmed, severity: severity),
        ]
        for request in [UDSRequest.codes(.confirmed), .ungroupedCodes(.confirmed), .permanentCodes] {
            let message = try #require(UDSCodeReply.encode(codes, to: request.payload))
            #expect(message.dropFirst().starts(with: request.echo))
            #expect(
                try UDSCodeReply.decode(message, wanted: .confirmed).codes.map(\.description)
                    == ["P0301-00", "U0100-87"]
            )
        }
        #expect(UDSCodeReply.encode(codes, to: [0x19, 0x42, 0x00, 0x08, 0xFF]) == nil)
        #expect(UDSCodeReply.encode(codes, to: [0x19, 0x04, 0x03, 0x01]) == nil)
        #expect(UDSCodeReply.encode(codes, to: [0x19]) == nil)
    }

    // MARK: - Translation to J1979

    @Test(
        "Codes of any dialect decode after the translation to J1979",
        arguments: [
            (.j1979Part2, .confirmedCodes, Self.reply, ["P0420-00"]),
            (.j1979Part2, .pendingCodes, Self.reply, ["P2463-1F"]),
            (.j1979Part2, .permanentCodes, "59 55 33 FF 04 01 71 00 00", ["P0171-00"]),
            (.j1979Part2, .confirmedCodes, "59 42 33 FF FF 04", []),
            (.j1939, .confirmedCodes, "00 FE CA 04 FF B8 04 03 0A FF FF", ["SPN1208-FMI3"]),
            (.j1939, .confirmedCodes, "00 FE CA 00 FF 00 00 00 00 FF FF", []),
            (.j1939, .pendingCodes, "00 FE CF 04 FF FF FF FE 01 FF FF", ["SPN524287-FMI30"]),
            (.j1979, .confirmedCodes, "43 01 03 01", ["P0301"]),
        ] as [(Dialect, Request, String, [String])]
    )
    func classicCodes(dialect: Dialect, request: Request, hex: String, expected: [String]) throws {
        let reply = try Reply(messages: [try dialect.j1979Reply(from: bytes(hex), to: request)], to: request)
        #expect(try CodeReply.decode(reply, layout: .can, dialect: dialect).codes.map(\.description) == expected)
    }

    @Test("The lamp and the count of a diagnostic message are those of PID 01")
    func monitorStatus() throws {
        let request = Request.currentData(0x01)
        let message = try Dialect.j1939.j1979Reply(from: bytes("00 FE CA 44 FF B8 04 03 0A FF FF"), to: request)
        let status = try MonitorStatus(data: try Reply(messages: [message], to: request).data)
        #expect(status.mil)
        #expect(status.codeCount == 1)
        #expect(status.supported.isEmpty)
        // An ECU does not report a lamp that it does not have.
        #expect(throws: DecodingError.notProgrammed) {
            try Dialect.j1939.j1979Reply(from: bytes("00 FE CA FF FF 00 00 00 00 FF FF"), to: request)
        }
    }

    @Test("The identity of a J1939 vehicle decodes after the translation to J1979")
    func j1939Information() throws {
        let vin = Array("1XPBDP9X1FD257820*".utf8)
        let message = try Dialect.j1939.j1979Reply(from: [0x00, 0xFE, 0xEC] + vin, to: .vehicleInformation(.vin))
        let reply = try Reply(messages: [message], to: .vehicleInformation(.vin))
        #expect(try VehicleInformation.vin(reply, layout: .can).description == "1XPBDP9X1FD257820")
        let name = J1939Text.encode(["SIMLT", "D13-460", "42", ""])
        let nameMessage = try Dialect.j1939.j1979Reply(
            from: [0x00, 0xFE, 0xEB] + name,
            to: .vehicleInformation(.ecuName)
        )
        let nameReply = try Reply(messages: [nameMessage], to: .vehicleInformation(.ecuName))
        #expect(try VehicleInformation.ecuName(nameReply, layout: .can).name == "SIMLT D13 460")
    }

    @Test("A request without a counterpart has no translation, and a reply to another request is an error")
    func untranslatable() {
        #expect(Dialect.j1939.translation(of: .clearCodes, traits: .groups) == nil)
        #expect(Dialect.j1939.translation(of: .currentData(0x0C), traits: .groups) == nil)
        #expect(Dialect.j1939.translation(of: .confirmedCodes, traits: .groups) == .group(0xFECA))
        #expect(Dialect.j1979Part2.translation(of: .freezeFrame(0x0C), traits: .groups) == nil)
        #expect(Dialect.j1979.translation(of: .clearCodes, traits: .groups) == .message(payload: [0x04], echo: []))
        #expect(
            Dialect.j1979Part2.translation(of: .pendingCodes, traits: [])
                == .message(payload: [0x19, 0x02, 0x04], echo: [0x02])
        )
        for dialect in [Dialect.j1979Part2, .j1939] {
            for request in [Request.confirmedCodes, .currentData(0x01), .vehicleInformation(.vin), .clearCodes] {
                for message in [
                    "", "43 01 03 01", "00 FE CB 00 FF 00 00 00 00 FF FF", "00 FE CA", "62 F4", "59", "54 54",
                ] {
                    #expect(throws: DecodingError.self) { try dialect.j1979Reply(from: bytes(message), to: request) }
                }
            }
        }
    }

    // MARK: - Code texts

    @Test(
        "A code survives a round trip through its text",
        arguments: ["P0301", "P0301-1F", "U3FFF-00", "SPN110-FMI0", "SPN524287-FMI31"]
    )
    func texts(text: String) throws {
        #expect(try #require(TroubleCode(text)).description == text)
        #expect(TroubleCode(text.lowercased()) == TroubleCode(text))
    }

    @Test(
        "Other texts are not codes",
        arguments: [
            "", "P0301-", "P0301-1", "P0301-1FF", "P0301-1F-1", "SPN110", "SPN524288-FMI0", "SPN1-FMI32", "SPN+1-FMI1",
            "SPN-FMI", "-",
        ]
    )
    func noCodes(text: String) {
        #expect(TroubleCode(text) == nil)
    }

    @Test("Codes sort by number, with those of J1939 last")
    func order() {
        let codes = ["SPN110-FMI0", "P0301-00", "P0302", "P0301", "SPN94-FMI31", "P0301-FF"].compactMap(
            TroubleCode.init
        )
        #expect(
            codes.sorted().map(\.description) == [
                "P0301", "P0301-00", "P0301-FF", "P0302", "SPN94-FMI31", "SPN110-FMI0",
            ]
        )
    }
}
