// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

@Suite("An upgrade that was rolled back", .serialized)
struct UpgradeTests {
    private static let notice = "id=boot-7\nversion=0.1.0\nfailed=0.2.0\nreason=broker not reached within 900 s\n"

    @Test("It is told once, wherever the process is killed around that, and also after a restart")
    func once() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.notice, to: "rolled-back")
        var settings = World.Settings()
        settings.upgradeDirectory = directory.path
        for moment in stride(from: 99, through: 102, by: 0.5) {
            let (verdict, _) = try await World.run(settings) { world in
                try await world.start()
                await world.run(for: .milliseconds(Int(moment * 1000)))
                try world.kill()
                try await world.start()
                await world.run(for: .seconds(180))
                await world.stop()
                try await world.start()
                await world.run(for: .seconds(180))
            }
            verdict.expectWhole(atLeast: 10)
            #expect(verdict.events.count { $0 == "upgrade_rolled_back" } == 1, "killed after \(moment) s")
        }
    }

    @Test("Without a notice nothing is told")
    func none() async throws {
        let directory = try TemporaryDirectory()
        var settings = World.Settings()
        settings.upgradeDirectory = directory.path
        let (verdict, _) = try await World.run(settings) { world in
            try await world.start()
            await world.run(for: .seconds(300))
        }
        #expect(!verdict.events.contains("upgrade_rolled_back"))
    }
}
