// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("J1939")
struct J1939Tests {
    /// The values were computed by hand from the resolutions and offsets of SAE J1939-71.
    @Test(
        "A parameter group decodes by SAE J1939-71",
        arguments: [
            (0xF004, "FF FF FF 68 13 FF FF FF", "engine_speed", 621.0),
            (0xF004, "00 7D A5 00 00 00 F4 87", "engine_speed", 0.0),
            (0xF004, "00 7D A5 C0 30 00 F4 87", "engine_speed", 1560.0),
            (0xF004, "00 7D A5 C0 30 00 F4 87", "demanded_torque", 0.0),
            (0xF004, "00 7D A5 C0 30 00 F4 87", "actual_torque", 40.0),
            (0xF003, "D1 FA 32 FF FF FF FF FF", "accelerator_pedal_position", 100.0),
            (0xF003, "D1 FA 32 FF FF FF FF FF", "engine_load", 50.0),
            (0xFEF1, "F3 00 50 CC FF FF FF FF", "vehicle_speed", 80.0),
            (0xFEF1, "F3 80 57 CC FF FF FF FF", "vehicle_speed", 87.5),
            (0xFEEE, "7B 3C 40 2C FF FF FF FF", "coolant_temperature", 83.0),
            (0xFEEE, "7B 3C 40 2C FF FF FF FF", "fuel_temperature", 20.0),
            (0xFEEE, "7B 3C 40 2C FF FF FF FF", "oil_temperature", 81.0),
            (0xFEEF, "FF FF C8 64 FF FF FF FF", "oil_pressure", 400.0),
            (0xFEEF, "FF FF C8 64 FF FF FF FF", "oil_level", 80.0),
            (0xFEF2, "90 01 FF FF FF FF FF FF", "fuel_rate", 20.0),
            (0xFEF5, "CA FF FF A0 24 3C FF FF", "barometric_pressure", 101.0),
            (0xFEF5, "CA FF FF A0 24 3C FF FF", "ambient_air_temperature", 20.0),
            (0xFEF5, "CA FF FF A0 24 3C FF FF", "intake_air_temperature", 20.0),
            (0xFEF7, "FF FF FF FF 18 01 FF FF", "battery_voltage", 14.0),
            (0xFEFC, "FF 7D FF FF FF FF FF FF", "fuel_level", 50.0),
            (0xFEE5, "40 0D 03 00 FF FF FF FF", "engine_hours", 10_000.0),
            (0xFEC1, "80 8D 5B 00 FF FF FF FF", "odometer", 30_000.0),
        ] as [(UInt32, String, String, Double)]
    )
    func reads(pgn: UInt32, hex: String, name: String, expected: Double) throws {
        let group = try #require(ParameterGroup.withPGN(PGN(rawValue: pgn)))
        let values = group.decode(bytes(hex))
        let value = try #require(values.first { $0.field.name == name }?.value)
        #expect(value == .number(expected))
        #expect(ParameterGroup.named(name)?.pgn == group.pgn)
    }

    @Test(
        "Not available, error and the other reserved patterns give no value",
        arguments: 0xFB...0xFF as ClosedRange<UInt8>
    )
    func notAvailable(marker: UInt8) throws {
        let data = [UInt8](repeating: marker, count: 8)
        for group in ParameterGroup.all { #expect(group.decode(data).isEmpty) }
        // The highest byte has the pattern; the lower ones do not matter.
        let speed = try #require(ParameterGroup.withPGN(0xF004))
        #expect(
            !speed.decode([0xFF, 0xFF, 0xFF, 0x00, marker, 0xFF, 0xFF, 0xFF]).contains {
                $0.field.name == "engine_speed"
            }
        )
        #expect(speed.decode([0xFF, 0xFF, 0xFF, 0xFF, 0xFA, 0xFF, 0xFF, 0xFF]).map(\.value) == [.number(8031.875)])
    }

    @Test("The encoded values of a group decode to the same values")
    func roundTrip() {
        for group in ParameterGroup.all {
            let values = Dictionary(uniqueKeysWithValues: group.signals.map { ($0.field.name, 17.0) })
            let read = group.decode(group.encode(values))
            #expect(read.count == group.signals.count)
            for value in read {
                guard case .number(let number) = value.value else { return }
                #expect(abs(number - 17) <= 4, "\(value.field.name)")
            }
        }
    }

    @Test("A short message gives only the values that it contains")
    func short() throws {
        let group = try #require(ParameterGroup.withPGN(0xFEEE))
        #expect(group.decode([0x7B, 0x3C, 0x40]).map(\.field.name) == ["coolant_temperature", "fuel_temperature"])
        #expect(group.decode([]).isEmpty)
    }

    @Test("A value that a PID also measures has the unit of the PID")
    func sameUnits() {
        for signal in ParameterGroup.all.flatMap(\.signals) {
            guard let field = Parameter.named(signal.field.name)?.fields.first else { continue }
            #expect(field.unit == signal.field.unit, "\(signal.field.name)")
        }
        let names = ParameterGroup.all.flatMap(\.signals).map(\.field.name)
        #expect(Set(names).count == names.count)
    }

    // MARK: - Codes

    /// The first code is the example of SAE J1939-73: SPN 1208, FMI 3, ten occurrences.
    @Test(
        "A diagnostic message decodes by SAE J1939-73",
        arguments: [
            ("00 FF 00 00 00 00 FF FF", [], []),
            ("00 FF 00 00 00 00 00 00", [], []),
            ("04 FF B8 04 03 0A FF FF", ["SPN1208-FMI3"], [10]),
            ("44 FF 9A 0C 04 01", ["SPN3226-FMI4"], [1]),
            ("40 FF 6E 00 00 7F FF FF", ["SPN110-FMI0"], [nil]),
            ("10 FF B8 04 03 0A 6E 00 10 02", ["SPN1208-FMI3", "SPN110-FMI16"], [10, 2]),
            (
                "10 FF B8 04 03 0A 6E 00 10 02 FE FF FF 01", ["SPN1208-FMI3", "SPN110-FMI16", "SPN524286-FMI31"],
                [10, 2, 1]
            ),
            ("10 FF B8 04 03 0A B8 04 03 0A", ["SPN1208-FMI3"], [10]),
        ] as [(String, [String], [Int?])]
    )
    func diagnosticMessage(hex: String, codes: [String], occurrences: [Int?]) throws {
        let message = try DiagnosticMessage(bytes(hex))
        #expect(message.codes.map { TroubleCode.j1939($0.spn, $0.fmi).description } == codes)
        #expect(message.codes.map(\.occurrences) == occurrences)
    }

    @Test(
        "A lamp is on, off or not reported",
        arguments: [
            (0x00, [false, false, false, false]), (0x40, [true, false, false, false]),
            (0x10, [false, true, false, false]), (0x04, [false, false, true, false]),
            (0x01, [false, false, false, true]), (0xD7, [nil, true, true, nil]), (0xAA, [nil, nil, nil, nil]),
        ] as [(UInt8, [Bool?])]
    )
    func lamps(byte: UInt8, expected: [Bool?]) throws {
        let lamps = try DiagnosticMessage([byte, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF]).lamps
        #expect([lamps.malfunctionIndicator, lamps.redStop, lamps.amberWarning, lamps.protect] == expected)
    }

    @Test(
        "An unreadable message is an error, never an empty list of codes",
        arguments: [
            ("", .wrongLength(expected: 6...6, actual: 0)),
            ("00 FF", .wrongLength(expected: 6...6, actual: 2)),
            ("00 FF B8 04 03", .wrongLength(expected: 6...6, actual: 5)),
            ("00 FF B8 04 03 0A 6E", .wrongLength(expected: 10...10, actual: 7)),
            ("00 FF B8 04 03 0A 6E 00", .wrongLength(expected: 10...10, actual: 8)),
            ("00 FF B8 04 03 0A 6E 00 10", .wrongLength(expected: 10...10, actual: 9)),
            ("FF FF FF FF FF FF FF FF", .notProgrammed),
            ("00 FF B8 04 03 8A FF FF", .unknownFormat(0x8A)),
        ] as [(String, DecodingError)]
    )
    func unreadable(hex: String, error: DecodingError) {
        #expect(throws: error) { try DiagnosticMessage(bytes(hex)) }
    }

    @Test("An encoded diagnostic message decodes to the same message", arguments: 0...5)
    func diagnosticRoundTrip(count: Int) throws {
        let codes = (0..<count).map {
            DiagnosticMessage.Entry(
                spn: SPN(rawValue: 100_000 + UInt32($0)),
                fmi: FMI(rawValue: UInt8($0)),
                occurrences: $0 + 1
            )
        }
        let message = DiagnosticMessage(
            lamps: .init(malfunctionIndicator: true, redStop: false, amberWarning: nil, protect: false),
            codes: codes
        )
        #expect(message.data.count == max(8, 2 + 4 * count))
        #expect(try DiagnosticMessage(message.data) == message)
    }

    // MARK: - Texts

    @Test("A VIN ends with an asterisk, and may have padding around it")
    func vin() throws {
        #expect(try J1939Text.vin(Array("1XPBDP9X1FD257820*".utf8)).description == "1XPBDP9X1FD257820")
        #expect(try J1939Text.vin(Array("1XPBDP9X1FD257820".utf8)).description == "1XPBDP9X1FD257820")
        #expect(
            try J1939Text.vin([0, 0, 0xFF] + Array("1XPBDP9X1FD257820*extra".utf8)).description == "1XPBDP9X1FD257820"
        )
        #expect(throws: DecodingError.notProgrammed) { try J1939Text.vin(Array("*".utf8)) }
        #expect(throws: DecodingError.notProgrammed) { try J1939Text.vin([UInt8](repeating: 0xFF, count: 18)) }
        #expect(throws: DecodingError.invalidVIN(Array("1XPBDP9X1FD25782".utf8))) {
            try J1939Text.vin(Array("1XPBDP9X1FD25782*".utf8))
        }
    }

    @Test("A component has make, model and serial number")
    func component() {
        #expect(
            J1939Text.component(J1939Text.encode(["CMMNS", "6C u07D0", "79814352", ""])) == [
                "CMMNS", "6C u07D0", "79814352", "",
            ]
        )
        #expect(J1939Text.component([]) == [""])
    }
}
