// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Enumerations of SAE J1979 and ISO 14229")
struct EnumerationTests {
    private static func labels(_ pid: PID, _ values: ClosedRange<UInt8>) throws -> [Int: String] {
        let parameter = try #require(Parameter.withPID(pid))
        let rest = [UInt8](repeating: 0, count: (parameter.length?.upperBound ?? 1) - 1)
        var labels: [Int: String] = [:]
        for value in values {
            if case .code(let code, let label?) = try parameter.decode([value] + rest).first?.value {
                labels[code] = label
            }
        }
        return labels
    }

    @Test("A fuel system has the states of PID 03 and no others")
    func fuelSystem() throws {
        #expect(try Set(Self.labels(0x03, 0...255).keys) == [0x00, 0x01, 0x02, 0x04, 0x08, 0x10])
        #expect(try Self.labels(0x03, 2...2) == [2: "closed loop"])
    }

    @Test("Secondary air has the states of PID 12 and no others")
    func secondaryAir() throws {
        #expect(try Set(Self.labels(0x12, 0...255).keys) == [0x01, 0x02, 0x04, 0x08])
        #expect(try Self.labels(0x12, 1...1) == [1: "upstream of catalyst"])
    }

    @Test("A reserved OBD standard, or one with contradicting sources, has no label")
    func standards() throws {
        let labels = try Self.labels(0x1C, 0...255)
        #expect(Set(labels.keys) == Set(1...13).union([17, 18, 19, 20, 21]).union(23...35))
        for (code, label) in [
            (1, "OBD-II (California ARB)"), (2, "OBD (US EPA)"), (6, "EOBD"), (10, "JOBD"), (20, "HD OBD"),
            (21, "WWH-OBD"), (29, "OBD Brazil phase 2"), (30, "KOBD"), (32, "India OBD II"), (35, "OBD Brazil phase 3"),
        ] {
            #expect(labels[code] == label)
        }
    }

    @Test("Each fuel type has a unique label")
    func fuelTypes() throws {
        let labels = try Self.labels(0x51, 0...255)
        #expect(Set(labels.keys) == Set(0...30) && Set(labels.values).count == 31)
        for (code, label) in [
            (1, "gasoline"), (4, "diesel"), (5, "LPG"), (8, "electric"), (17, "hybrid gasoline"),
            (24, "bi-fuel running natural gas"), (25, "bi-fuel running diesel"), (26, "natural gas"),
            (27, "dual fuel diesel and CNG"), (28, "dual fuel diesel and LNG"), (29, "hydrogen fuel cell"),
        ] {
            #expect(labels[code] == label)
        }
    }

    @Test("Emission requirements are those of heavy duty")
    func emissions() throws {
        #expect(try Set(Self.labels(0x5F, 0...255).keys) == [14, 15, 16, 17])
    }

    @Test(
        "A negative response code has its name",
        arguments: [
            (0x10, "general reject"), (0x11, "service not supported"), (0x12, "sub-function not supported"),
            (0x13, "wrong length or format"), (0x14, "response too long"), (0x21, "busy, repeat request"),
            (0x22, "conditions not correct"), (0x24, "request sequence error"), (0x31, "request out of range"),
            (0x33, "security access denied"), (0x35, "invalid key"), (0x36, "too many attempts"),
            (0x37, "time delay not expired"), (0x78, "request received, response pending"),
            (0x7E, "sub-function not supported in active session"), (0x7F, "service not supported in active session"),
            (0x81, "engine speed too high"), (0x83, "engine is running"), (0x84, "engine is not running"),
            (0x88, "vehicle speed too high"), (0x8F, "brake not closed"), (0x90, "shifter not in park"),
            (0x92, "voltage too high"), (0x93, "voltage too low"), (0x38, "code 38"), (0x8E, "code 8E"),
        ] as [(UInt8, String)]
    )
    func refusals(_ code: UInt8, _ name: String) {
        #expect(NegativeResponse.Code(rawValue: code).name == name)
    }

    @Test("The known negative response codes have unique names")
    func reasons() {
        let names = (0...255 as ClosedRange<UInt8>).map { NegativeResponse.Code(rawValue: $0).name }
        #expect(names.filter { !$0.hasPrefix("code ") }.count == 40)
        #expect(Set(names).count == 256)
    }
}
