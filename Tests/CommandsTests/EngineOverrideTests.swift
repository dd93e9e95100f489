// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Testing

@testable import Commands

@Suite("Overriding the rule that the engine must be off")
struct EngineOverrideTests {
    /// The answers to engine speed, vehicle speed and the clear.
    private static func vehicle(engine: [UInt8]?, speed: [UInt8]? = [0]) -> FakeVehicle {
        let reply = { @Sendable (request: Request) -> [String: ECUReply] in
            switch request {
            case .currentData(0x0C): engine.map { ["7E8": .positive([[0x41, 0x0C] + $0])] } ?? [:]
            case .currentData(0x0D): speed.map { ["7E8": .positive([[0x41, 0x0D] + $0])] } ?? [:]
            default: ["7E8": .positive([[0x44]]), "7E9": .positive([[0x44]])]
            }
        }
        return FakeVehicle(codes: { ClearCodesTests.codes([("P0301", [.stored])]) }, reply: reply)
    }

    private static func clear(_ vehicle: FakeVehicle, override: Bool = true, allowed: Bool = true) async
        -> CommandResult
    {
        let clock = TestClock()
        let command = Command(
            id: "c-1",
            action: .clearCodes(.all, overridesEngine: override),
            issuedAt: clock.start,
            expiresAt: clock.start + .seconds(60)
        )
        let rules = CommandRules(allowsEngineOverride: allowed)
        return await CommandRunner(access: vehicle, clock: clock, rules: rules, description: [:])
            .outcome(of: command, for: "van", judge: { _ in nil }) { _ in }
    }

    private static func members(_ json: JSON?) -> [String: JSON] {
        if case .object(let members) = json { members } else { [:] }
    }

    @Test("Without engine_override in the configuration, nothing is read")
    func notAllowed() async {
        let vehicle = Self.vehicle(engine: [0x0C, 0x80])
        let result = await Self.clear(vehicle, allowed: false)
        #expect(result.state == .refused && result.reason == .notAllowed && vehicle.asked.isEmpty)
    }

    @Test("The rule holds for a command that does not override it")
    func notAskedFor() async {
        let vehicle = Self.vehicle(engine: [0x0C, 0x80])
        let result = await Self.clear(vehicle, override: false)
        #expect(result.reason == .engineRunning && Self.members(result.result)["engine_override"] == nil)
    }

    @Test("Codes are cleared with a running engine or an unknown speed, and the result says so", arguments: [800, nil])
    func done(speed: Double?) async {
        let vehicle = Self.vehicle(engine: speed == nil ? nil : [0x0C, 0x80])
        let result = await Self.clear(vehicle)
        #expect(vehicle.asked.count { $0.request == "04" } == 1)
        let told = Self.members(result.result)
        let engineSpeed = speed.map { JSON.number($0) } ?? .null
        #expect(told["engine_override"] == true && told["engine_speed"] == engineSpeed)
        #expect(told["ecus"] == ["7E8": "cleared", "7E9": "cleared"])
        #expect(vehicle.kept.map(\.engineOverride) == [true] && vehicle.kept.map(\.engineSpeed) == [engineSpeed])
    }

    @Test(
        "Codes are not cleared while the vehicle moves, or its speed is unknown",
        arguments: [([3], .vehicleMoving), (nil, .vehicleSpeedUnknown)] as [([UInt8]?, CommandResponse.Reason)]
    )
    func moving(speed: [UInt8]?, reason: CommandResponse.Reason) async {
        let vehicle = Self.vehicle(engine: [0x0C, 0x80], speed: speed)
        let result = await Self.clear(vehicle)
        #expect(result.state == .refused && result.reason == reason)
        #expect(Self.members(result.result)["engine_override"] == true)
        #expect(!vehicle.asked.contains { $0.request == "04" } && vehicle.kept.isEmpty)
    }
}
