// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Contract
import Testing
import Uplink

@testable import Agent

/// With real values and times: of a simulated vehicle, read by a session, on a clock that nobody waits for.
@Suite("What driving costs on a mobile network", .timeLimit(.minutes(10)))
struct DataBudgetTests {
    private static func fleet() throws -> Configuration {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        return try Configuration.load(path: "\(root)/etc/obd-agent/fleet.toml")
    }

    @Test("Eight hours of ten values a second cost less than 2 MB, and never more than the budget of the day")
    func workingDay() async throws {
        let fleet = try Self.fleet()
        #expect(fleet.parameters.count == 10)
        var tight = fleet.uplink
        (tight.live, tight.dailyBudget) = (.always, 1_000_000)
        let days = try await DayOnTheRoad.drive(fleet.parameters, for: .seconds(8 * 3600), [fleet.uplink, tight])
        #expect(days[0].samples > 280_000)
        #expect(days[0].total < 2_000_000, "\(days[0])")
        #expect(days[0].budget.level == .normal && days[0].held == 0)
        #expect(days[1].budget.level == .exhausted && days[1].held > 0)
        #expect(days[1].total < 1_000_000, "\(days[1])")
        #expect(days[1].samples < days[0].samples)
    }

    @Test("A sample costs at most 16 bytes, and 4 with zlib and a minute a batch")
    func bytesPerSample() async throws {
        let fleet = try Self.fleet()
        var plain = fleet.uplink
        plain.compression = .none
        var short = plain
        short.batchInterval = .seconds(10)
        let options = [fleet.uplink, plain, short].map { options in
            var options = options
            options.dailyBudget = nil
            return options
        }
        let drives = try await DayOnTheRoad.drive(fleet.parameters, for: .seconds(1800), options)
        for (drive, limit) in zip(drives, [4, 16, 16]) {
            #expect(drive.samples > 17_500)
            #expect(drive.telemetry <= limit * drive.samples, "\(drive)")
        }
    }
}

extension DayOnTheRoad: CustomStringConvertible {
    var description: String {
        let parts = "\(self.telemetry) for telemetry, \(self.values) for values, \(self.others) for the rest"
        return "\(self.samples) samples in \(self.batches) batches: \(self.total) bytes, \(parts)"
    }
}
