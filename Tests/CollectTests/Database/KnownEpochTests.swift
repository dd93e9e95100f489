// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import TestSupport
import Testing

@testable import Collect

@Suite("Known epochs in a database", .server)
struct KnownEpochTests {
    @Test("An epoch of an agent is known by any stream", arguments: Place.Kind.allCases)
    func epochs(kind: Place.Kind) async throws {
        let collector = try await Place(kind).collector()
        let key = StreamKey(agent: "a1", vehicle: "van", stream: .events, epoch: 7)
        try await collector.transaction { database in
            #expect(try !database.hasEpoch(of: key.agent, through: .max))
            _ = try database.received([key])
            #expect(try database.hasEpoch(of: key.agent, through: key.epoch))
            #expect(try database.hasEpoch(of: key.agent, through: .max))
            #expect(try !database.hasEpoch(of: key.agent, through: key.epoch - 1))
            #expect(try !database.hasEpoch(of: "another", through: .max))
        }
    }
}
