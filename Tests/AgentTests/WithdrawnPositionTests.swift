// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import Testing
import Uplink

@testable import Agent

@Suite("Positions of an earlier configuration")
struct WithdrawnPositionTests {
    private static func watch(_ table: String) throws -> DriveWatch {
        let text = "[mqtt]\nurl = \"mqtts://broker.example\"\n" + table
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml")
        return DriveWatch(
            configuration,
            clock: StandingClock(),
            boot: "boot",
            zones: HomeZones(configuration.position.zones) { _ in Array(repeating: 1, count: 8) }
        )
    }

    private static func isWithdrawal(_ action: DriveAction) -> Bool {
        if case .update(.position, .withdrawn) = action { true } else { false }
    }

    @Test(
        "Without a receiver, and if positions are not shared, the broker's is withdrawn as soon as a vehicle's topics are in use",
        arguments: [
            ("", 1),
            ("[position]\ngpsd = \"localhost\"\nshare = \"never\"", 1),
            ("[position]\ngpsd = \"localhost\"\nshare = \"trips\"", 1),
            ("[position]\ngpsd = \"localhost\"\nshare = \"coarse\"", 0),
            ("[position]\ngpsd = \"localhost\"", 0),
        ]
    )
    func withdrawal(table: String, count: Int) throws {
        var watch = try Self.watch(table)
        for _ in 1...2 {
            let begun = watch.restore(trips: nil, limits: nil, at: .zero)
            #expect(begun.count { Self.isWithdrawal($0) } == count)
            let later = watch.timePassed(to: .zero + .seconds(60)) + watch.vehicleChanged(at: .zero)
            #expect(!later.contains { Self.isWithdrawal($0) })
        }
    }

    /// Returns the places of a trip of an earlier configuration, as a configuration publishes them after a restart.
    private static func places(_ table: String) throws -> [TripReport.Point] {
        let point = { (latitude: Double) -> JSON in ["time": 0, "place": [.number(latitude), 13.4]] }
        let trip: JSON = ["start": point(52.52), "end": point(48.1)]
        let memory: JSON = [
            "version": 1, "boot": ["id": "boot", "start": 0, "synchronised": 1], "last": trip,
            "totals": ["trips": 1, "distance": 1, "fuel": 0, "energy": 0, "regenerated": 0],
        ]
        var watch = try Self.watch(table)
        let actions = watch.restore(trips: Array(memory.text.utf8), limits: nil, at: .zero)
        for case .showTrip(let state, _) in actions { return [state.trip.start, state.trip.end] }
        return []
    }

    @Test(
        "The places of the last trip are published as the present configuration allows",
        arguments: [
            ("", [nil, nil]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"never\"", [nil, nil]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"trips\"", [52.52, 48.1]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"coarse\"", [52.525, 48.105]),
            (
                """
                [position]
                gpsd = "localhost"
                [[position.zones]]
                name = "home"
                latitude = 52.52
                longitude = 13.4
                radius = 500
                """, [nil, 48.1]
            ),
        ] as [(String, [Double?])]
    )
    func tripPlaces(table: String, latitudes: [Double?]) throws {
        #expect(try Self.places(table).map(\.latitude) == latitudes)
    }
}
