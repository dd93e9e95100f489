// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Commands

@Suite("Waking a parked vehicle")
struct WakeTests {
    private static func outcome(_ vehicle: FakeVehicle, _ action: Command.Action) async -> CommandResult {
        let clock = TestClock()
        let command = Command(
            id: "w-1",
            action: action,
            issuedAt: clock.start,
            expiresAt: clock.start + .seconds(60)
        )
        return await CommandRunner(access: vehicle, clock: clock, rules: CommandRules(), description: [:])
            .outcome(of: command, for: "van", judge: { _ in nil }) { _ in }
    }

    @Test("The vehicle is kept awake for the requested time")
    func woken() async {
        let vehicle = FakeVehicle()
        let outcome = await Self.outcome(vehicle, .wake(for: .seconds(600)))
        #expect(outcome == CommandResult(state: .succeeded, result: ["duration": .number(600)]))
        #expect(vehicle.asked.map(\.request) == ["wake 600.0"])
    }

    @Test(
        "Each reason not to wake or ask the vehicle is reported",
        arguments: [
            (VehicleError.lowVoltage("11.4 V"), CommandResponse.Reason.lowVoltage),
            (.noProbeLeft("two an hour"), .noProbeLeft), (.parked("it is parked"), .parked),
        ]
    )
    func refused(error: VehicleError, reason: CommandResponse.Reason) async {
        for action in [Command.Action.wake(for: .seconds(60)), .readCodes, .clearCodes(.all, wakes: true)] {
            let outcome = await Self.outcome(FakeVehicle(refusing: error), action)
            #expect(outcome.state == .refused && outcome.reason == reason)
        }
    }

    @Test("A clear with wake wakes the vehicle before anything is read")
    func clear() async {
        let woken = FakeVehicle()
        _ = await Self.outcome(woken, .clearCodes(.all, wakes: true))
        #expect(woken.asked.first?.request == "wake 300.0")
        let left = FakeVehicle()
        _ = await Self.outcome(left, .clearCodes(.all))
        #expect(!left.asked.contains { $0.request.hasPrefix("wake") })
        // A refused command does not wake the vehicle.
        let refused = FakeVehicle()
        _ = await Self.outcome(refused, .clearCodes(.all, overridesEngine: true, wakes: true))
        #expect(refused.asked.isEmpty)
    }
}
