// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Agent

@Suite("A selection that is kept")
struct KeptSelectionTests {
    private static let configured: [ParameterKey: Duration] = [0x0C: .seconds(1), .custom("charge"): .seconds(10)]
    private static let chosen: [ParameterKey: Duration] = [
        0x0D: .milliseconds(50), .custom("charge"): .seconds(86_400),
    ]
    private static let kept = Selection(version: 7, intervals: Self.chosen, deadBands: ["vehicle_speed": 2.5])
    private static let body = Self.kept.stored(configured: Self.configured)

    private static func read(
        _ body: [UInt8],
        custom: Set<String> = [],
        configured: [ParameterKey: Duration] = [0x0C: .seconds(1)]
    ) -> Selection? {
        Selection(stored: body, custom: custom, configured: configured)
    }

    @Test("It is read back as it was, and polled with its version")
    func roundTrip() {
        #expect(Self.read(Self.body, custom: ["charge"], configured: Self.configured) == Self.kept)
    }

    @Test("A derived parameter is read back as such, unless the configuration has it no more")
    func derived() {
        let kept = Selection(version: 2, intervals: [.derived("economy"): .seconds(2), 0x0D: .seconds(1)])
        let body = kept.stored(configured: [:])
        #expect(Selection(stored: body, custom: [], derived: ["economy"], configured: [:]) == kept)
        #expect(Selection(stored: body, custom: [], configured: [:])?.intervals == [0x0D: .seconds(1)])
    }

    @Test("What an older version has kept has no dead-bands")
    func older() throws {
        let text = #"{"version":7,"parameters":{"vehicle_speed":50},"configured":{"engine_speed":1000}}"#
        let kept = try #require(Self.read(Array(text.utf8)))
        #expect(kept.intervals == [0x0D: .milliseconds(50)] && kept.deadBands.isEmpty)
    }

    @Test("A configuration that selects something else since then counts, with a version of its own")
    func changed() {
        let selection = Self.read(Self.body, custom: ["charge"], configured: [0x05: .seconds(1)])
        #expect(selection == Selection(version: 8, intervals: [0x05: .seconds(1)]))
    }

    @Test("A custom parameter that is gone from the configuration is polled no more")
    func gone() {
        #expect(Self.read(Self.body)?.intervals == [0x0D: .milliseconds(50)])
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
        #expect(Self.read(Array(text.utf8)) == nil)
    }
}
