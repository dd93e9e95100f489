// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import Commands

@Suite("The checks of a command")
struct GuardTests {
    private static let issued = Timestamp(milliseconds: 1_795_255_200_000)

    private static func command(
        _ action: Command.Action = .clearCodes(.all),
        lives: Duration = .seconds(300),
        vehicle: String? = nil,
        signer: Signer? = nil
    ) -> Command {
        Command(
            id: "1",
            action: action,
            issuedAt: Self.issued,
            expiresAt: Self.issued + lives,
            audience: Set([vehicle].compactMap(\.self)),
            signer: signer
        )
    }

    private static func reason(
        _ command: Command,
        after time: Duration = .seconds(1),
        retained: Bool = false,
        clock: ClockQuality = .synchronised,
        latest: Duration? = nil,
        allowed: Set<String> = Set(CommandName.allCases.map(\.rawValue)),
        unsignedRole: Role? = .specialist
    ) -> CommandResponse.Reason? {
        let guardian = CommandGuard(allowed: allowed, unsignedRole: unsignedRole)
        let refusal =
            guardian.refusal(ofUnsigned: command)
            ?? guardian.refusal(
                of: command,
                in: .init(
                    isRetained: retained,
                    now: Self.issued + time,
                    clock: clock,
                    latest: latest.map { Self.issued + $0 },
                    vehicles: ["van-12", "ZZZSMVLATR4700893"]
                )
            )
        return refusal?.reason
    }

    @Test("A command in time, allowed and for this vehicle passes")
    func passes() {
        #expect(Self.reason(Self.command()) == nil)
        #expect(Self.reason(Self.command(vehicle: "van-12")) == nil)
        #expect(Self.reason(Self.command(vehicle: "ZZZSMVLATR4700893")) == nil)
    }

    @Test("Each rule refuses for its own reason")
    func reasons() {
        #expect(Self.reason(Self.command(), retained: true) == .retained)
        #expect(Self.reason(Self.command(vehicle: "van-13")) == .wrongVehicle)
        #expect(Self.reason(Self.command(), allowed: ["describe"]) == .notAllowed)
        #expect(Self.reason(Self.command(), allowed: []) == .notAllowed)
    }

    @Test("Lifetimes and clocks are exact to the millisecond")
    func boundaries() {
        #expect(Self.reason(Self.command(lives: .seconds(86_400))) == nil)
        #expect(Self.reason(Self.command(lives: .milliseconds(86_400_001))) == .lifetimeTooLong)
        #expect(Self.reason(Self.command(), after: .milliseconds(299_999)) == nil)
        #expect(Self.reason(Self.command(), after: .seconds(300)) == .expired)
        #expect(Self.reason(Self.command(), after: .seconds(-60)) == nil)
        #expect(Self.reason(Self.command(), after: .milliseconds(-60_001)) == .issuedInFuture)
    }

    @Test("With an unsynchronized clock, only commands of the role observer run, and the refusal has the remedy")
    func unset() {
        let selection = SelectionRequest(isWhole: true, rates: [:])
        let writing: [Command.Action] = [
            .clearCodes(.all), .selectParameters(selection), .detectParameters(make: nil, year: nil),
        ]
        let reading: [Command.Action] = [.describe, .readCodes, .readParameters([0x0C]), .readMonitors, .readVehicle]
        let refusal = CommandGuard(allowed: ["clear_codes"], unsignedRole: .specialist).refusal(
            of: Self.command(),
            in: .init(isRetained: false, now: Self.issued, clock: .unsynchronised, vehicles: [])
        )
        for words in ["the role observer", "obd-agent clock", "[clock] trust = \"system\""] {
            #expect(refusal?.message.contains(words) == true)
        }
        for time in [Duration.seconds(1), .seconds(-99_999_999), .seconds(99_999_999)] {
            for action in writing {
                #expect(Self.reason(Self.command(action), after: time, clock: .unsynchronised) == .clockUnknown)
            }
            for action in reading {
                #expect(Self.reason(Self.command(action), after: time, clock: .unsynchronised) == nil)
            }
        }
    }

    @Test("With a clock that was set back, commands may read but not change anything, whatever their times")
    func setBack() {
        let month = Duration.seconds(30 * 86_400)
        let selection = SelectionRequest(isWhole: true, rates: [:])
        for action in [Command.Action.clearCodes(.all), .selectParameters(selection)] {
            #expect(Self.reason(Self.command(action), latest: month) == .clockUnknown)
            #expect(
                Self.reason(Self.command(action, signer: Signer(issuer: "ada", role: .engineer)), latest: month)
                    == .clockUnknown
            )
        }
        for action in [Command.Action.describe, .readCodes] {
            #expect(Self.reason(Self.command(action), latest: month) == nil)
        }
        // A small correction is accepted, exact to the millisecond.
        #expect(Self.reason(Self.command(), after: .seconds(1), latest: .seconds(61)) == nil)
        #expect(Self.reason(Self.command(), after: .seconds(1), latest: .milliseconds(61_001)) == .clockUnknown)
    }

    @Test("The response has the reason of the first broken rule")
    func order() {
        let bad = Self.command(lives: .seconds(90_000), vehicle: "van-13")
        #expect(Self.reason(bad, after: .seconds(-999), retained: true, allowed: []) == .retained)
        #expect(Self.reason(bad, after: .seconds(-999), allowed: []) == .lifetimeTooLong)
        let other = Self.command(vehicle: "van-13")
        #expect(Self.reason(other, after: .seconds(-999), allowed: []) == .wrongVehicle)
        #expect(Self.reason(Self.command(), after: .seconds(-999), allowed: []) == .notAllowed)
        #expect(Self.reason(Self.command(), after: .seconds(-999), clock: .unsynchronised, allowed: []) == .notAllowed)
    }

    @Test("What a signature or another key would not mend comes first, for all senders")
    func unmendable() {
        let detection = Self.command(.detectParameters(make: nil, year: nil))
        for role in [nil, Role.observer] {
            #expect(Self.reason(detection, allowed: ["describe"], unsignedRole: role) == .notAllowed)
            #expect(Self.reason(detection, unsignedRole: role) == .unsigned)
        }
        let refusal = CommandGuard(allowed: [], unsignedRole: .observer).refusal(ofUnsigned: detection)
        #expect(
            refusal?.message == """
                The agent's [commands] allow lacks "detect_parameters". \
                Try: allow_also = ["detect_parameters"] in [commands] of its agent.toml. \
                The command needs a signature of the role specialist or above: [commands] unsigned_role is observer.
                """
        )
        let observer = Signer(issuer: "eve", role: .observer)
        let signed = Self.command(detection.action, signer: observer)
        #expect(Self.reason(signed, allowed: ["describe"]) == .notAllowed)
        #expect(Self.reason(signed) == .roleInsufficient)
        let wakes = Self.command(.clearCodes(.all, wakes: true))
        #expect(Self.reason(wakes, allowed: ["clear_codes"], unsignedRole: .observer) == .notAllowed)
    }

    @Test("unsigned_role limits unsigned commands, and the role of the key limits signed ones")
    func roles() {
        let engineer = Signer(issuer: "ada", role: .engineer)
        let observer = Signer(issuer: "eve", role: .observer)
        let clear = Self.command()
        let read = Self.command(.readCodes)
        let control = ControlRequest(test: 1, data: [])
        let test = Self.command(control.map(Command.Action.runTest) ?? .describe)
        #expect(Self.reason(read, unsignedRole: nil) == .unsigned)
        #expect(Self.reason(read, unsignedRole: .observer) == nil)
        #expect(Self.reason(clear, unsignedRole: .observer) == .unsigned)
        #expect(Self.reason(test, unsignedRole: .specialist) == .unsigned)
        for unsigned in [nil, Role.observer, .specialist] {
            #expect(Self.reason(Self.command(signer: engineer), unsignedRole: unsigned) == nil)
            #expect(Self.reason(Self.command(test.action, signer: engineer), unsignedRole: unsigned) == nil)
            #expect(Self.reason(Self.command(.describe, signer: observer), unsignedRole: unsigned) == nil)
            #expect(Self.reason(Self.command(signer: observer), unsignedRole: unsigned) == .roleInsufficient)
        }
        let specialist = Signer(issuer: "bob", role: .specialist)
        #expect(Self.reason(Self.command(test.action, signer: specialist)) == .roleInsufficient)
        #expect(Self.reason(Self.command(signer: engineer), allowed: ["describe"]) == .notAllowed)
    }

    @Test("A refusal names the command")
    func naming() {
        let refusal = CommandGuard(allowed: [], unsignedRole: .specialist).refusal(
            of: Self.command(),
            in: .init(isRetained: false, now: Self.issued, clock: .synchronised, vehicles: [])
        )
        #expect(refusal?.id == "1" && refusal?.command == "clear_codes")
        #expect(
            refusal?.message == """
                The agent's [commands] allow lacks "clear_codes". \
                Try: allow_also = ["clear_codes"] in [commands] of its agent.toml.
                """
        )
    }
}
