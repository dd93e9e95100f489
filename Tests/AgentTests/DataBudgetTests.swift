// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2
import Testing
import Uplink

@testable import Agent
@testable import Configuration

/// With real values and times: of a simulated vehicle, read by a session, on a clock that nobody waits for.
@Suite("What driving costs on a mobile network", .timeLimit(.minutes(10)))
struct DataBudgetTests {
    /// What a fleet may record beside the ten values of each second: ten more of each minute.
    private static let more: [ParameterKey] = [
        0x07,  // long_term_fuel_trim_bank_1
        0x2F,  // fuel_level
        0x30,  // warm_ups_since_clear
        0x31,  // distance_since_clear
        0x33,  // barometric_pressure
        0x3C,  // catalyst_temperature_b1s1
        0x46,  // ambient_air_temperature
        0x5C,  // oil_temperature
        0x5E,  // fuel_rate
        0xA6,  // odometer
    ]

    private static func fleet() throws -> Configuration {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        return try Configuration.load(path: "\(root)/etc/obd-agent/fleet.toml")
    }

    /// The configuration of the fleet with ten more parameters and a receiver of positions.
    private static func twenty() throws -> Configuration {
        var fleet = try Self.fleet()
        fleet.parameters += Self.more.map { .init(key: $0, interval: .seconds(60)) }
        fleet.position.gpsd = try Configuration.Position.GPSD("localhost")
        return fleet
    }

    @Test("Eight hours of ten values a second cost less than 2 MB, and never more than the budget of the day")
    func workingDay() async throws {
        let fleet = try Self.fleet()
        #expect(fleet.parameters.count == 10)
        var tight = fleet
        (tight.uplink.live, tight.uplink.dailyBudget) = (.always, 1_000_000)
        let days = try await DayOnTheRoad.drive(.driving(for: .seconds(8 * 3600)), [fleet, tight]).map(\.uplink)
        print("8 hours, 10 parameters:", days[0])
        print("8 hours, 10 parameters at the full rate, with a budget of 1 MB:", days[1])
        #expect(days[0].samples > 280_000)
        #expect(days[0].total < 2_000_000, "\(days[0])")
        #expect(days[0].budget.level == .normal && days[0].held == 0)
        #expect(days[1].budget.level == .exhausted && days[1].held > 0)
        #expect(days[1].total < 1_000_000, "\(days[1])")
        #expect(days[1].samples < days[0].samples)
    }

    @Test("Eight trips of an hour with twenty values, trips and positions cost less than 2 MB")
    func dayWithTheDrive() async throws {
        let fleet = try Self.twenty()
        #expect(fleet.parameters.count == 20 && fleet.trips.isEnabled)
        var without = fleet
        (without.trips.isEnabled, without.position.gpsd) = (false, nil)
        let days = try await DayOnTheRoad.drive(.workingDay, [fleet, without]).map(\.uplink)
        print("8 trips of an hour, 20 parameters, with the drive:", days[0])
        print("8 trips of an hour, 20 parameters, without it:", days[1])
        #expect(days[0].total < 2_000_000, "\(days[0])")
        #expect(days[0].budget.level == .normal && days[0].held == 0)
        // All of it is there: the samples, a point at least each 30 s, and each trip.
        #expect(days[0].samples > 270_000 && days[0].samples == days[1].samples)
        #expect(days[0].track.points > 8 * 120)
        #expect(days[0].events[.trip] == 8 && days[1].events[.trip] == nil)
        let perPoint = try #require(days[0].track.bytesPerPoint)
        #expect(perPoint <= 12, "\(days[0])")
        // On the wire it is less still: compressed, and nearly always in a record that there is anyway.
        let onTheWire = try #require(days[0].bytes[.track])
        #expect(onTheWire <= 12 * days[0].track.points, "\(days[0])")
        // Position, track and trips are a small part of the day.
        #expect(days[0].total - days[1].total < 300_000, "\(days[0]), without the drive \(days[1])")
    }

    @Test("A sample costs at most 16 bytes, and 4 with zlib and a minute a batch")
    func bytesPerSample() async throws {
        let fleet = try Self.fleet()
        var plain = fleet
        plain.uplink.compression = .none
        var short = plain
        short.uplink.batchInterval = .seconds(10)
        let configurations = [fleet, plain, short].map { configuration in
            var configuration = configuration
            configuration.uplink.dailyBudget = nil
            return configuration
        }
        let drives = try await DayOnTheRoad.drive(.driving(for: .seconds(1800)), configurations).map(\.uplink)
        for (drive, limit) in zip(drives, [4, 16, 16]) {
            #expect(drive.samples > 17_500)
            #expect(drive.telemetry <= limit * drive.samples, "\(drive)")
        }
    }
}
