// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Make and model year by the VIN")
struct ManufacturerTests {
    @Test("The table has each make once, in order, with well-formed identifiers")
    func table() {
        let lines = ManufacturerCodes.lines
        #expect(lines.count > 100 && Set(lines.map(\.make)).count == lines.count)
        let order = lines.map { $0.make.lowercased().replacing("š", with: "s").replacing("ë", with: "e") }
        #expect(order == order.sorted())
        for line in lines {
            #expect(!line.identifiers.isEmpty && Set(line.identifiers).count == line.identifiers.count, "\(line.make)")
            for identifier in line.identifiers {
                #expect(identifier.utf8.count == 3, "\(line.make) \(identifier)")
                #expect(VIN(identifier + "ABCDEFGH123456") != nil, "\(line.make) \(identifier)")
            }
        }
        #expect(Set(lines.flatMap(\.identifiers)).count >= 700)
    }

    @Test(
        "The make follows from the first three characters",
        arguments: [
            ("1HGCM82633A004352", ["Honda"]), ("WVWZZZ1JZ3W386752", ["Volkswagen"]), ("5YJ3E1EA7KF317000", ["Tesla"]),
            ("KNDJ23AU4N7000001", ["Kia"]), ("WDDGF4HB1CA000001", ["Mercedes-Benz"]),
            ("VF1RFB00657890123", ["Renault"]),
            ("SALGS2RE2KA000001", ["Land Rover"]), ("TMBJJ7NE8G0000001", ["Škoda"]),
            ("YSMYKEAE1MB000001", ["Polestar"]),
            ("7FCTGAAA1NN000001", ["Rivian"]), ("1FUJGLDR1CS000001", ["Freightliner"]),
            ("1C4RJFBG5FC000001", ["Chrysler", "Dodge", "Jeep"]), ("VSSZZZK1ZNP000001", ["Cupra", "Seat"]),
            ("W0LPD6EX0C1000001", ["Holden", "Opel", "Vauxhall"]), ("ZZZSMVLATR4700893", []),
        ] as [(String, [String])]
    )
    func makes(text: String, makes: [String]) throws {
        #expect(try #require(VIN(text)).makes == makes)
    }

    @Test(
        "The model year is the latest that the tenth character can mean",
        arguments: [
            // Of the examples of 49 CFR 565 and its explanations: a digit, then a letter in the seventh place.
            ("1M8GDM9AXKP042788", 2026, 2019), ("1HGCM82633A004352", 2026, 2003), ("5GZCZ43D13S812715", 2026, 2003),
            ("1G1ZT51806F109149", 2026, 2006), ("5YJSA1DG9DFP14705", 2026, 2013), ("1FTFW1ET5DFC10312", 2026, 2013),
            ("5YJ3E1EA7KF317000", 2026, 2019), ("5TDYK3DC8DS290235", 2026, 2013), ("2T1BURHE0JC034301", 2026, 2018),
            // A heavy truck with a digit in the seventh place: 1982 had no OBD-II.
            ("1XPBD49X1CD123456", 2026, 2012), ("1FUJGLD51FLGA1234", 2026, 2015),
            // Outside of North America, the cycle follows from the date only.
            ("WVWZZZ1JZ3W386752", 2026, 2003), ("WVWZZZAUZFW123456", 2026, 2015), ("WVWZZZAUZFW123456", 2014, 1985),
            ("KMHC851JFLU000001", 2026, 2020), ("LRW3E7FA1MC000001", 2022, 2021),
            // 0, U and Z are no codes.
            ("ZFA31200000123456", 2026, nil), ("SJNFAAJ10U1234567", 2026, nil), ("JTDKN3DU0Z0000001", 2026, nil),
            // The tenth character is the steering (Mercedes-Benz), the plant (Ford) or a number (Peugeot, Renault).
            ("WDB2040491A123456", 2026, nil), ("WF0AXXGCDA6A12345", 2026, nil), ("VF3WCNFUC33123456", 2026, nil),
            // The same manufacturer's vehicle for North America, with its check digit.
            ("WDDGF8BB3CR123453", 2026, 2012), ("4JGBF7BE9BA123456", 2026, 2011),
        ] as [(String, Int, Int?)]
    )
    func modelYear(text: String, latest: Int, year: Int?) throws {
        #expect(try #require(VIN(text)).modelYear(notAfter: latest) == year)
    }
}
