// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Session
import Testing

@testable import Agent

@Suite("A selection that is kept")
struct KeptSelectionTests {
    private static let configured: [ParameterKey: Duration] = [0x0C: .seconds(1), .custom("charge"): .seconds(10)]
    private static let chosen: [ParameterKey: Duration] = [
        0x0D: .milliseconds(50), .custom("charge"): .seconds(86_400),
    ]
    private static let kept = KeptSelection(
        version: 7,
        intervals: Self.chosen,
        deadBands: ["vehicle_speed": 2.5],
        configured: Self.configured
    )

    @Test("It is read back as it was, and polled with its version")
    func roundTrip() throws {
        let kept = try #require(KeptSelection(Self.kept.body, custom: ["charge"]))
        #expect(kept == Self.kept)
        let selection = kept.selection(configured: Self.configured)
        #expect(selection.version == 7 && selection.intervals == Self.chosen && selection.expiry == nil)
        #expect(selection.deadBands == ["vehicle_speed": 2.5])
    }

    @Test("What an older version has kept has no dead-bands")
    func older() throws {
        let text = #"{"version":7,"parameters":{"vehicle_speed":50},"configured":{"engine_speed":1000}}"#
        let kept = try #require(KeptSelection(Array(text.utf8), custom: []))
        #expect(kept.intervals == [0x0D: .milliseconds(50)] && kept.deadBands.isEmpty)
    }

    @Test("A configuration that selects something else since then counts, with a version of its own")
    func changed() {
        let selection = Self.kept.selection(configured: [0x05: .seconds(1)])
        #expect(selection.version == 8 && selection.intervals == [0x05: .seconds(1)])
    }

    @Test("A custom parameter that is gone from the configuration is polled no more")
    func gone() throws {
        let kept = try #require(KeptSelection(Self.kept.body, custom: []))
        #expect(kept.intervals == [0x0D: .milliseconds(50)])
        #expect(kept.selection(configured: [0x0C: .seconds(1)]).intervals == [0x0D: .milliseconds(50)])
    }

    @Test(
        "What is no selection is none",
        arguments: [
            "", "{}", "7", #"{"version":0,"parameters":{},"configured":{}}"#,
            #"{"version":1,"parameters":{"engine_speed":0.5},"configured":{}}"#,
            #"{"version":1,"parameters":{"engine_speed":49},"configured":{}}"#,
            #"{"version":1,"parameters":{"engine_speed":86400001},"configured":{}}"#, #"{"version":1,"parameters":{}}"#,
        ]
    )
    func damaged(text: String) {
        #expect(KeptSelection(Array(text.utf8), custom: []) == nil)
    }
}
