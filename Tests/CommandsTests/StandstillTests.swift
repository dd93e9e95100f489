// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Testing

@testable import Commands

@Suite("Whether the vehicle stands")
struct StandstillTests {
    private static let speed = ParameterKey.custom("speed")
    private static let ready = ParameterKey.custom("ready")

    /// The state of a vehicle at one reading.
    private struct Moment {
        var engine: Double?
        var speed: Double?
        var customSpeed: Double?
        var ready: Bool?
        /// Whether the answer to the custom speed is no valid value.
        var isDamaged = false
    }

    /// Returns the end of the steps, and the requests before it.
    ///
    /// - Parameter moments: the states of the vehicle; each pause turns to the next one.
    private static func run(
        _ facts: DriveFacts,
        ignoringEngine: Bool = false,
        _ moments: [Moment]
    ) throws -> (end: CommandResponse.Reason?, asked: [String]) {
        var machine = Standstill(facts, ignoringEngine: ignoringEngine)
        var moments = moments[...]
        var step = machine.begin()
        var asked: [String] = []
        while true {
            let now = try #require(moments.first)
            switch step {
            case .ask(.currentData(0x0C)):
                asked.append("engine")
                let raw = now.engine.map { Int($0 * 4) }
                step = machine.answered(
                    raw.map { ["7E8": .positive([[0x41, 0x0C, UInt8($0 >> 8), UInt8($0 & 0xFF)]])] } ?? [:]
                )
            case .ask(.currentData(0x0D)):
                asked.append("speed")
                step = machine.answered(now.speed.map { ["7E8": .positive([[0x41, 0x0D, UInt8($0)]])] } ?? [:])
            case .ask: throw Unexpected()
            case .read(Self.speed):
                asked.append("custom speed")
                let field = Field(custom: "speed", try Formula("A"), symbol: "km/h", role: .vehicleSpeed)
                let values = now.customSpeed.map { ["7EA": FieldValue(field: field, value: .number($0))] } ?? [:]
                step = machine.read(ParameterValues(values, isDamaged: now.isDamaged))
            case .read:
                asked.append("ready")
                let field = Field(custom: "ready", try Formula("A"), symbol: nil, role: .ready)
                let values = now.ready.map { ["7EC": FieldValue(field: field, value: .number($0 ? 1 : 0))] } ?? [:]
                step = machine.read(ParameterValues(values))
            case .pause(let duration):
                #expect(duration == .seconds(1))
                asked.append("pause")
                moments.removeFirst()
                step = machine.paused()
            case .stands: return (nil, asked)
            case .refused(let reason, _): return (reason, asked)
            }
        }
    }

    private struct Unexpected: Error {}

    private static let electric = DriveFacts(
        hasEngineSpeed: false,
        isElectric: true,
        speeds: [Self.speed],
        ready: [Self.ready]
    )
    private static let bare = DriveFacts(hasEngineSpeed: false, isElectric: true)
    private static let hybrid = DriveFacts(hasEngineSpeed: true, isElectric: true, ready: [Self.ready])

    @Test("An engine that is off and a speed of zero are enough for a vehicle that drives with its engine")
    func combustion() throws {
        let (end, asked) = try Self.run(DriveFacts(), [Moment(engine: 0, speed: 0)])
        #expect(end == nil && asked == ["engine", "speed"])
    }

    @Test("An electric car stands if its drive is not enabled and its speed is zero twice, a second apart")
    func electric() throws {
        let still = Moment(customSpeed: 0, ready: false)
        let (end, asked) = try Self.run(Self.electric, [still, still])
        #expect(end == nil)
        let round = ["ready", "speed", "custom speed"]
        #expect(asked == round + ["pause"] + round)
    }

    @Test("An electric car that creeps, is enabled or cannot be read does not stand")
    func refused() throws {
        let still = Moment(customSpeed: 0, ready: false)
        func end(_ moments: [Moment], _ facts: DriveFacts = Self.electric) throws -> CommandResponse.Reason? {
            try Self.run(facts, moments).end
        }
        #expect(try end([still, Moment(customSpeed: 0.5, ready: false)]) == .vehicleMoving)
        #expect(try end([Moment(customSpeed: -1, ready: false)]) == .vehicleMoving)
        #expect(try end([Moment(customSpeed: 1e21, ready: false)]) == .vehicleMoving)
        #expect(try end([Moment(speed: 3, customSpeed: 0, ready: false)]) == .vehicleMoving)
        #expect(try end([Moment(customSpeed: 0, ready: true)]) == .driveEnabled)
        #expect(try end([Moment(customSpeed: 0)]) == .driveUnknown)
        #expect(try end([Moment(ready: false)]) == .vehicleSpeedUnknown)
        #expect(try end([still, Moment(ready: false)]) == .vehicleSpeedUnknown)
        #expect(try end([Moment()], Self.bare) == .vehicleSpeedUnknown)
        // PID 0D says 0, and the other speed is out of its range.
        #expect(try end([Moment(speed: 0, ready: false, isDamaged: true)]) == .vehicleSpeedUnknown)
        // A driver enables the drive during the second between the two readings.
        #expect(try end([still, Moment(customSpeed: 0, ready: true)]) == .driveEnabled)
    }

    @Test("An engineer's override accepts what cannot be known of an electric car, but no motion and no enabled drive")
    func overridden() throws {
        func end(_ moments: [Moment], _ facts: DriveFacts) throws -> CommandResponse.Reason? {
            try Self.run(facts, ignoringEngine: true, moments).end
        }
        #expect(try end([Moment(), Moment()], Self.bare) == nil)
        #expect(try end([Moment(speed: 1)], Self.bare) == .vehicleMoving)
        #expect(try end([Moment(ready: true)], Self.electric) == .driveEnabled)
        #expect(try end([Moment(engine: 800)], DriveFacts()) == .vehicleSpeedUnknown)
    }

    @Test("A hybrid whose engine is off and whose drive is enabled does not stand for good")
    func hybrid() throws {
        let light = Moment(engine: 0, speed: 0, ready: true)
        #expect(try Self.run(Self.hybrid, [light, light]).end == .driveEnabled)
        let off = Moment(engine: 0, speed: 0, ready: false)
        #expect(try Self.run(Self.hybrid, [off, off]).end == nil)
        #expect(try Self.run(Self.hybrid, [off, Moment(engine: 0, speed: 4, ready: false)]).end == .vehicleMoving)
        #expect(try Self.run(Self.hybrid, [Moment(engine: 900, speed: 0, ready: true)]).end == .engineRunning)
    }
}
