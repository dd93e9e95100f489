// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import TestSupport
import Testing

@testable import obd_agent

@Suite("Lists of parameters and of trips")
struct ListingTests {
    @Test("--custom lists the custom and the derived parameters of the configuration, and nothing else")
    func customParameters() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            [vehicle]
            fuel = "diesel"
            engine_displacement = 2
            [mqtt]
            url = "mqtts://broker.example"
            [custom.charge]
            request = "220101"
            header = "7E4"
            formula = "E/2"
            unit = "%"
            [derived.slip]
            formula = "engine_speed / vehicle_speed"
            [derived.fuel_flow]
            formula = "mass_air_flow / 14.7 * 4.8"
            unit = "L/h"
            """,
            to: "agent.toml"
        )
        let program = try Program(builtHere: "obd-agent")
        func names(_ options: [String]) async throws -> [Substring] {
            let lines = try await program.run(["parameters", "list", "--config", file] + options)
            return lines.compactMap { $0.split(separator: " ").first }
        }
        #expect(try await names(["--custom"]).sorted() == ["charge", "fuel_flow", "slip"])
        let all = try await names([])
        #expect(Set(all).isSuperset(of: ["charge", "fuel_flow", "slip", "engine_power", "engine_speed"]))
    }

    @Test(
        "Without a configuration --custom is an error, and not an empty list",
        .enabled(if: FileStamp(of: "/etc/obd-agent/agent.toml") == nil)
    )
    func noConfiguration() async throws {
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["parameters", "list", "--custom"])
        let run = try await RemoteProgram.end(of: child, "parameters list")
        #expect(run.status == .exited(78) && run.notes.contains { $0.contains("agent.toml") }, "\(run)")
    }

    @Test("A catalog without signal sets is told where the agent detects the model")
    func emptyCatalog() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            [mqtt]
            url = "mqtts://broker.example"
            [parameters]
            sets = "detect"
            catalog = "\(directory.path)/nothing"
            """,
            to: "agent.toml"
        )
        let child = try ChildProcess(
            Program(builtHere: "obd-agent"),
            ["parameters", "list", "--custom", "--config", file]
        )
        let run = try await RemoteProgram.end(of: child, "parameters list")
        #expect(run.status == .exited(0))
        let note = "[parameters] catalog: none in \(directory.path)/nothing, so the agent detects no model. Try: "
        #expect(run.notes.contains { $0.hasPrefix(note) }, "\(run.notes)")
    }

    @Test("Trips are listed as JSON with all their members")
    func tripsAsJSON() async throws {
        let help = try await Program(builtHere: "obd-agent").run(["trips", "--help"])
        #expect(help.contains { $0.contains("--json") })
        let end = try #require(Timestamp("2026-11-21T10:10:00Z"))
        let trip: JSON = ["duration": 600, "distance": 12.5]
        let recorded = TripsCommand.Recorded(trip: trip, end: end, clock: .synchronised, isOngoing: true)
        let list = TripsCommand.list([recorded], of: "van-12")
        #expect(list["vehicle"] == "van-12" && list["trips"].elements.count == 1)
        let first = try #require(list["trips"].elements.first)
        #expect(first["trip"] == trip && first["end"] == .string(end.description) && first["ongoing"] == true)
        #expect(first["clock"] == "synchronised" && first["start"].time == Timestamp("2026-11-21T10:00:00Z"))
    }

    @Test("A time without trips is told apart from a vehicle without trips")
    func noTrips() {
        #expect(TripsCommand.absence(of: "van-12", recorded: 0) == "There is no trip of van-12.")
        #expect(
            TripsCommand.absence(of: "van-12", recorded: 1)
                == "There is no trip of van-12 in this time, but 1 trip at other times. Try: without --from and --to."
        )
    }
}
