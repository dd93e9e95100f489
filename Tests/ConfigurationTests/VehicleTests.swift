// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Configuration

@Suite("The table [vehicle]")
struct VehicleTests {
    private static func vehicle(_ lines: String) throws -> Configuration.Vehicle {
        try configuration("[mqtt]\nurl = \"mqtt://127.0.0.1\"\n[vehicle]\n\(lines)\n").vehicle
    }

    @Test("Without any key any vehicle is accepted and named by its VIN")
    func defaults() throws {
        #expect(try Self.vehicle("") == Configuration.Vehicle())
        #expect(try Self.vehicle("name = \"\"\nexpected_vin = \"\"\nalias = {}") == Configuration.Vehicle())
    }

    @Test("Aliases are read from an inline table or a table of its own, with VINs in capital or small letters")
    func aliases() throws {
        let vin = try #require(VIN("1HGCM82633A004352"))
        for lines in [
            "identity = \"alias\"\nalias = { 1HGCM82633A004352 = \"van-12\" }",
            "identity = \"alias\"\n[vehicle.alias]\n1hgcm82633a004352 = \"van-12\"",
        ] {
            #expect(try Self.vehicle(lines).aliases == [vin: "van-12"])
        }
    }

    @Test("expected_vin is one VIN or a list of VINs")
    func expected() throws {
        #expect(try Self.vehicle("expected_vin = \"1HGCM82633A004352\"").expected.count == 1)
        let two = try Self.vehicle("expected_vin = [\"1HGCM82633A004352\", \"wvwzzz1jz3w386752\"]").expected
        #expect(two.map(\.description).sorted() == ["1HGCM82633A004352", "WVWZZZ1JZ3W386752"])
    }

    @Test(
        "Invalid values are refused",
        arguments: [
            ("identity = \"plate\"", "is not one of vin, alias, hash"),
            ("expected_vin = \"1HGCM82633A00435\"", "is not a VIN"), ("expected_vin = [\"van\"]", "is not a VIN"),
            ("expected_vin = 1", "expected a text in quotes"), ("alias = \"van\"", "expected a table"),
            ("identity = \"alias\"\nalias = { van = \"a\" }", "is not a VIN"),
            ("identity = \"alias\"\nalias = { 1HGCM82633A004352 = 1 }", "expected a text in quotes"),
            ("identity = \"alias\"\nalias = { 1HGCM82633A004352 = \"a/b\" }", "is not a topic level"),
            (
                "identity = \"alias\"\nalias = { 1HGCM82633A004352 = \"a\", WVWZZZ1JZ3W386752 = \"a\" }",
                "two vehicles must not share topics"
            ),
            ("alias = { 1HGCM82633A004352 = \"a\" }", "has no effect without identity"),
        ]
    )
    func refused(lines: String, message: String) {
        let text = "[mqtt]\nurl = \"mqtt://127.0.0.1\"\n[vehicle]\n\(lines)\n"
        #expect(problems(text).contains(message), "\(problems(text))")
    }
}
