// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Testing

@Suite("The table [parking]")
struct ParkingTests {
    private static func parking(_ lines: String) throws -> Configuration.Parking {
        let text = "[mqtt]\nurl = \"mqtt://127.0.0.1\"\n[parking]\n\(lines)\n"
        return try Configuration(toml: Array(text.utf8), file: "agent.toml").parking
    }

    @Test("Without any key the values are those of the sample")
    func defaults() throws {
        let parking = try Self.parking("")
        #expect(parking.parkedAfter == .seconds(300) && parking.voltageInterval == .seconds(45))
        #expect(parking.probesPerHour == 2 && parking.probesPerNight == 4)
        #expect(parking.quietHours == QuietHours("22:00-06:00"))
        #expect(parking.minimumVoltage == 12 && parking.voltageOffset == 0 && parking.sleepsAdapter)
    }

    @Test("The machine is shut down only if the key is set")
    func power() throws {
        func power(_ line: String) throws -> Duration? {
            let text = "[mqtt]\nurl = \"mqtt://127.0.0.1\"\n[power]\n\(line)\n"
            return try Configuration(toml: Array(text.utf8), file: "agent.toml").power.shutdownAfter
        }
        #expect(try power("") == nil && power("shutdown_after_parked_seconds = 0") == nil)
        #expect(try power("shutdown_after_parked_seconds = 1800") == .seconds(1800))
        for line in ["= 59", "= 604801", "= true", "= \"30 min\"", "= -1"] {
            #expect(throws: ConfigurationError.self) { try power("shutdown_after_parked_seconds \(line)") }
        }
    }

    @Test("Every key sets its value")
    func keys() throws {
        let parking = try Self.parking(
            """
            after_seconds = 60
            look_seconds = 30.5
            probes_per_hour = 1
            probes_per_night = 0
            quiet = ""
            minimum_voltage = 0
            voltage_offset = -0.3
            sleep_adapter = false
            """
        )
        #expect(parking.parkedAfter == .seconds(60) && parking.voltageInterval == .milliseconds(30_500))
        #expect(parking.probesPerHour == 1 && parking.probesPerNight == 0 && parking.quietHours == nil)
        #expect(parking.minimumVoltage == 0 && parking.voltageOffset == -0.3 && !parking.sleepsAdapter)
    }

    @Test(
        "Invalid values are refused",
        arguments: [
            "quiet = \"22-6\"", "quiet = \"24:00-06:00\"", "quiet = \"06:00-06:00\"", "probes_per_hour = 13",
            "probes_per_hour = 1.5", "minimum_voltage = 3", "voltage_offset = 5", "after_seconds = 1", "quiet = 22",
        ]
    )
    func refused(line: String) {
        #expect(throws: ConfigurationError.self) { try Self.parking(line) }
    }

    @Test("Quiet hours may end on the next day or on the same day")
    func night() throws {
        let night = try #require(QuietHours("22:00-06:00"))
        #expect(night.contains(minute: 1320) && night.contains(minute: 0) && night.contains(minute: 359))
        #expect(!night.contains(minute: 360) && !night.contains(minute: 1319))
        let noon = try #require(QuietHours("12:00-13:30"))
        #expect(noon.contains(minute: 720) && !noon.contains(minute: 810) && !noon.contains(minute: 0))
    }
}
