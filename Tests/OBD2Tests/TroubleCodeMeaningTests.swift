// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Meanings of codes of UDS and J1939")
struct TroubleCodeMeaningTests {
    @Test(
        "The explanation of a code has the component and the kind of fault",
        arguments: [
            ("P0301", "Misfire in cylinder 1"), ("P0301-00", "Misfire in cylinder 1"),
            ("C0031-13", "Left front wheel speed sensor (circuit open)"),
            ("U0100-87", "No communication with engine control module A (message missing)"),
            ("B0001-1B", "Driver frontal airbag, stage 1 (circuit resistance above threshold)"),
            ("U0254-56", "No communication with remote start module (configuration invalid or incompatible)"),
            ("P0D27-9A", "Battery charger input voltage too low (operating conditions of the component or system)"),
            ("C0031-4C", "Left front wheel speed sensor (failure type 4C)"),
            (
                "P1234-16",
                "Code of the manufacturer: see the documentation for this vehicle (circuit voltage below threshold)"
            ),
            ("SPN110-FMI0", "Engine coolant temperature: far above its normal range"),
            ("SPN100-FMI1", "Engine oil pressure: far below its normal range"),
            ("SPN84-FMI2", "Wheel-based vehicle speed: erratic, intermittent or incorrect"),
            ("SPN94-FMI18", "Engine fuel delivery pressure: below its normal range"),
            ("SPN102-FMI3", "Intake manifold 1 pressure: voltage too high, or shorted to supply"),
            ("SPN157-FMI16", "Injector metering rail 1 pressure: above its normal range"),
            ("SPN168-FMI4", "Battery voltage: voltage too low, or shorted to ground"),
            ("SPN190-FMI15", "Engine speed: slightly above its normal range"),
            ("SPN639-FMI9", "Data link SAE J1939, network 1: abnormal update rate"),
            ("SPN651-FMI5", "Cylinder 1 injector: current too low, or circuit open"),
            ("SPN656-FMI6", "Cylinder 6 injector: current too high, or shorted to ground"),
            ("SPN789-FMI10", "Wheel speed sensor, axle 1 left: abnormal rate of change"),
            ("SPN1323-FMI31", "Misfire in cylinder 1: condition exists"),
            ("SPN1761-FMI17", "Diesel exhaust fluid tank 1 level: slightly below its normal range"),
            ("SPN2003-FMI9", "Control module with source address 3: abnormal update rate"),
            ("SPN3226-FMI20", "Aftertreatment 1 outlet NOx: drifted high"),
            ("SPN3251-FMI16", "Aftertreatment 1 particulate filter differential pressure: above its normal range"),
            ("SPN3364-FMI1", "Diesel exhaust fluid quality: far below its normal range"),
            ("SPN3514-FMI3", "Sensor supply voltage 6: voltage too high, or shorted to supply"),
            ("SPN4364-FMI18", "Aftertreatment 1 SCR conversion efficiency: below its normal range"),
            ("SPN1-FMI11", "Parameter 1: cause not known"),
            ("SPN519999-FMI12", "Parameter 519999: bad device or component"),
            ("SPN520192-FMI14", "Parameter 520192 of the manufacturer: special instructions of the maker"),
            ("SPN524287-FMI30", "Parameter 524287 of the manufacturer: reserved failure mode 30"),
        ]
    )
    func explained(_ code: String, _ explanation: String) throws {
        #expect(try #require(TroubleCode(code)).explanation == explanation)
    }

    @Test("Each failure mode has a unique meaning")
    func failureModes() {
        let words = (0...31 as ClosedRange<UInt8>).map { FMI(rawValue: $0).meaning }
        #expect(Set(words).count == 32)
        #expect(words.filter { $0.hasPrefix("reserved") }.count == 9)
    }

    @Test("Each known failure type has a unique meaning, and no other type has one")
    func failureTypes() throws {
        let code = try #require(DTC("C0031"))
        let all = (0...255 as ClosedRange<UInt8>).map { TroubleCode.j2012Failure(code, type: $0).explanation }
        #expect(Set(all).count == 256)
        #expect(all.filter { $0.contains("(failure type ") }.count == 255 - 101)
    }

    @Test("No two parameters have the same name, and each name is a short phrase")
    func names() {
        let names = (0...0x7_FFFF as ClosedRange<UInt32>).compactMap { SPN(rawValue: $0).name }
        #expect(names.count == 777)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.first?.isUppercase == true || name.first?.isNumber == true, "\(name)")
            #expect(name.last != "." && name.count < 80 && name.allSatisfy(\.isASCII) && !name.contains("#"), "\(name)")
        }
    }
}
