// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FaultVFS
import Testing

@Suite("The disk", .serialized)
struct DiskTests {
    @Test(
        "Full, read-only or broken while the broker is away: memory keeps it all, the status says so, it comes back",
        arguments: [Trouble.diskFull, .diskReadOnly, .diskBroken]
    )
    func fails(trouble: Trouble) async throws {
        let (verdict, (during, after)) = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(120))
            try await trouble.begin(in: world)
            await world.run(for: .seconds(120))
            let during = try #require(world.broker.retained("\(world.prefix)/status"))
            world.broker.turn(.isAway)
            await world.run(for: .seconds(1800))
            try await trouble.end(in: world)
            await world.run(for: .seconds(120))
            // By now the disk must have all records.
            try world.kill()
            try await world.start()
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(180))
            let after = try #require(world.broker.retained("\(world.prefix)/status"))
            return (during, after)
        }
        verdict.expectWhole(atLeast: 2200)
        #expect(try Self.problem(during) != nil, "\(during)")
        #expect(try Self.problem(after) == nil, "\(after)")
    }

    @Test("A start without a disk that can be written does without, and takes it into use when it works")
    func startsWithout() async throws {
        let verdict = try await World.run { world in
            world.disk(fault_vfs_read_only)
            try await world.start()
            await world.run(for: .seconds(300))
            world.broker.turn(.isAway)
            world.disk(fault_vfs_works)
            await world.run(for: .seconds(300))
            try world.kill()
            try await world.start()
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(180))
        }
        verdict.expectWhole(atLeast: 700)
    }

    @Test("A damaged database costs what only it had, and nothing that comes later")
    func damaged() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(300))
            world.broker.turn(.isAway)
            await world.run(for: .seconds(300))
            try world.kill()
            try world.corrupt()
            try await world.start()
            await world.run(for: .seconds(300))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(180))
        }
        verdict.expectWhole(atLeast: 700)
        #expect(verdict.arrived < verdict.served - 200, "the damage has had no effect: \(verdict)")
    }

    /// Returns the problem of the store that a status reports; nil if there is none.
    private static func problem(_ status: String) throws -> String? {
        guard case .object(let members) = try JSON(parsing: Array(status.utf8), depthLimit: 8),
            case .object(let store) = members["store"], case .string(let problem) = store["problem"]
        else { return nil }
        return problem
    }
}
