// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Simulator
import Testing

@Suite("What happened before a code appeared", .serialized, .timeLimit(.minutes(10)))
struct CaptureTests {
    /// The longest time until the agent notices a code: the time between two readings, and that of a reading.
    private static let notice = Duration.seconds(20)

    private static func settings() -> World.Settings {
        var settings = World.Settings()
        settings.interval = 1
        return settings
    }

    private static func captures(in world: World) -> [CaptureReport] {
        world.ledger.events("capture").compactMap { CaptureReport($0.body["capture"]) }
    }

    /// Drives for some minutes until a code appears.
    private static func driveToCode(_ world: World) async throws {
        try await world.start()
        await world.run(for: .seconds(200))
        let code = try #require(DTC("P0301"))
        let now = world.time.now
        world.withVehicle { $0.confirm(code, at: now) }
    }

    @Test("The capture has the minute before and the 30 s after, once, through an outage and a power cut")
    func outageAndPowerCut() async throws {
        let (verdict, captures) = try await World.run(Self.settings()) { world in
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            try await Self.driveToCode(world)
            world.broker.turn(.isAway)
            await world.run(for: Self.notice + .seconds(40))
            try await world.cutPower(for: .seconds(30))
            try await world.start()
            await world.run(for: .seconds(60))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(120))
            // After a reconnection the agent does not send the capture again.
            world.broker.cut()
            await world.run(for: .seconds(60))
            return Self.captures(in: world)
        }
        #expect(verdict.mistakes.isEmpty)
        let capture = try #require(captures.first)
        #expect(captures.count == 1)
        #expect(capture.rule == "code" && capture.trigger == .codeAppeared && capture.code == "P0301")
        #expect(capture.ended == .complete && capture.after == 30 && capture.before >= 58)
        #expect(capture.thinned == nil)
        for name in World.parameters {
            let series = try #require(capture.series[name])
            let times = series.dt.reduce(into: [Int64]()) { $0.append(($0.last ?? 0) + $1) }
            // Each parameter is read once a second.
            #expect(times.count { $0 <= 0 } >= 55 && times.count { $0 > 0 } >= 26, "\(name)")
        }
    }

    @Test("A power cut in the 30 s after the moment costs these, and not the minute before")
    func powerCutInTheMiddle() async throws {
        let (verdict, captures) = try await World.run(Self.settings()) { world in
            try await Self.driveToCode(world)
            await world.run(for: Self.notice)
            try await world.cutPower(for: .seconds(30))
            try await world.start()
            await world.run(for: .seconds(120))
            return Self.captures(in: world)
        }
        #expect(verdict.mistakes.isEmpty)
        let capture = try #require(captures.first)
        #expect(captures.count == 1)
        #expect(capture.ended == .interrupted && capture.after == 0 && capture.before >= 58)
        #expect(capture.series["engine_speed"].map { $0.dt.count >= 55 } == true)
    }

    @Test("The end of the agent and the loss of the link end a capture with what it has", arguments: [true, false])
    func early(stops: Bool) async throws {
        let (_, captures) = try await World.run(Self.settings()) { world in
            try await Self.driveToCode(world)
            await world.run(for: Self.notice)
            if stops {
                await world.stop()
                try await world.start()
            } else {
                world.unplug()
            }
            await world.run(for: .seconds(120))
            return Self.captures(in: world)
        }
        #expect(captures.count == 1)
        #expect(captures.first?.ended == (stops ? .stopped : .linkLost))
        #expect(captures.first.map { 0...30 ~= $0.after && $0.before >= 58 } == true)
    }
}
