// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import Testing

@testable import Configuration

@Suite("The table [position]")
struct PositionTests {
    private func position(_ text: String) throws -> Configuration.Position {
        try configuration(shortest + text).position
    }

    @Test("Without a table there are no positions")
    func none() throws {
        #expect(try self.position("") == .init())
        #expect(try self.position("[position]\ngpsd = \"\"").gpsd == nil)
    }

    @Test("Zones are tables of their own")
    func zones() throws {
        let position = try self.position(
            """
            [position]
            gpsd = "localhost"
            share = "coarse"
            [[position.zones]]
            name = "home"
            latitude = 52.5163
            longitude = 13
            radius = 300
            [[position.zones]]
            name = "work"
            latitude = -33
            longitude = -180
            """
        )
        #expect(position.gpsd?.description == "localhost:2947")
        #expect(position.sharing == .coarse)
        #expect(position.zones.map(\.name) == ["home", "work"])
        #expect(position.zones.map(\.radius) == [300, 500])
        #expect(position.zones.map(\.center.latitude) == [52.5163, -33])
        #expect(position.zones.map(\.center.longitude) == [13, -180])
    }

    @Test(
        "gpsd is on this machine or in its network",
        arguments: [
            ("localhost:2947", true), ("127.0.0.1", true), ("[::1]:2948", true), ("192.168.1.7:2947", true),
            ("pi", true),
            ("gps.lan", true), ("gps.example:2947", false), ("8.8.8.8", false), ("/run/gpsd.sock", false),
            ("localhost:0", false), ("localhost:70000", false), ("[2001:db8::1]", false),
        ]
    )
    func host(text: String, isValid: Bool) {
        #expect(problems(shortest + "[position]\ngpsd = \"\(text)\"").isEmpty == isValid)
    }

    @Test(
        "A wrong zone is found where it stands",
        arguments: [
            ("name = \"x\"\nlatitude = 91\nlongitude = 0", "latitude is not a number from -90 to 90"),
            ("name = \"x\"\nlatitude = 1\nlongitude = \"1\"", "longitude is not a number from -180 to 180"),
            (
                "name = \"x\"\nlatitude = 1",
                "6: [position] zones: zone \"x\": longitude is missing. Try: a number from -180"
            ),
            ("name = \"x\"\nlongitude = 1", "zone \"x\": latitude is missing. Try: a number from -90 to 90"),
            ("name = \"x\"\nlatitude = \"\"\nlongitude = 1", "8: [position] zones: zone \"x\": latitude is missing"),
            (
                "name = \"x\"\nlatitude = 1\nlongitude = 200",
                "9: [position] zones: zone \"x\": longitude is not a number"
            ),
            ("latitude = 1\nlongitude = 200", "8: [position] zones: zone 1: longitude is not a number"),
            ("name = \"x\"\nlatitude = 1\nlongitude = 1\nradius = 49", "radius is not a number from 50 to 50000"),
            ("latitude = 1\nlongitude = 1", "expected a name of 1 to 64 bytes in quotes"),
            ("name = \"x\"\nlatitude = 1\nlongitude = 1\nradios = 100", "unknown key \"radios\""),
        ]
    )
    func wrongZone(keys: String, message: String) {
        let problem = problems(shortest + "[position]\n[[position.zones]]\n\(keys)")
        #expect(problem.contains("[position] zones") && problem.contains(message), "\(problem)")
    }

    @Test("Two zones of one name are a mistake, which stands at the second")
    func twins() {
        let zone = "[[position.zones]]\nname = \"home\"\nlatitude = 1\nlongitude = 1\n"
        #expect(
            problems(shortest + zone + zone)
                == "agent.toml:10: [position] zones: zone \"home\": another zone has this name. Try: another name"
        )
    }

    @Test("The satellites confirm no clock without a receiver")
    func trust() throws {
        let clock = "[clock]\ntrust = \"gps\"\n"
        #expect(problems(shortest + clock).contains("has no effect without a receiver"))
        #expect(problems(shortest + clock + "[position]\ngpsd = \"localhost\"") == "")
    }
}
