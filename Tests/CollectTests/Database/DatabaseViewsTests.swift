// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@testable import Collect

@Suite("The views of a fleet's database", .server)
struct DatabaseViewsTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_123)

    @Test("Vehicles and their present codes are views of the states", arguments: Place.Kind.allCases)
    func views(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let time = #""first_seen":"2026-11-21T10:00:00.000Z""#
        let codes =
            #"{"v":1,"codes":[{"code":"P0301","ecu":"7E8","category":"powertrain","states":["stored"],\#(time)},"#
            + #"{"code":"P0302","ecu":"7E8",\#(time)},{"code":"P0303","ecu":"7E8"}]}"#
        let states = [
            ("van", "availability", "\"online\""), ("van", "codes", codes),
            ("van", "status", #"{"agent":"a-1","vehicle_seen":"2026-11-21T10:00:00.000Z"}"#),
            ("van", "vehicle", #"{"vin":"WVW"}"#), ("bus", "availability", "\"offline\""), ("bus", "codes", "[7]"),
        ]
        try await place.collector().transaction { database in
            try database.upsert(
                states.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { vehicle, topic, body in
                    CollectedState(
                        vehicle: vehicle,
                        topic: topic,
                        time: nil,
                        body: Array(body.utf8),
                        receivedAt: Self.start
                    )
                }
            )
            // Seen by an agent before, gone, and there again before the present agent has started.
            let changes: [(code: String, event: String, seq: Int64)] = [
                ("P0301", "code_found", 1), ("P0301", "code_gone", 2), ("P0301", "code_appeared", 3),
                ("P0303", "code_found", 4), ("P0303", "code_found", 5),
            ]
            try database.insert(
                changes.map { code, event, seq in
                    [
                        .text("a-1"), .integer(1), .integer(seq), .text("van"), .time(Timestamp(milliseconds: seq)),
                        .bool(true), .text(event), .text(code), .text("7E8"), .null, .null,
                    ]
                },
                into: .codeChanges
            )
        }
        let (yes, no) = kind == .sqlite ? ("1", "0") : ("t", "f")
        func number(_ column: String) -> String {
            kind == .sqlite ? column : "(extract(epoch FROM \(column)) * 1000)::bigint"
        }
        let answer = try await place.query(
            "SELECT vehicle, online, vin, agent, \(number("seen")) FROM vehicles ORDER BY vehicle",
            "SELECT vehicle, code, ecu, category, severity, \(number("first_seen")) FROM codes ORDER BY code"
        )
        #expect(
            answer == [
                "bus|\(no)|||", "van|\(yes)|WVW|a-1|1795255200000", "van|P0301|7E8|powertrain||3",
                "van|P0302|7E8|||1795255200000", "van|P0303|7E8|||4",
            ]
        )
    }
}
