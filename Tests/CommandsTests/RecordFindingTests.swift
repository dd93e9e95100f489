// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import Commands

@Suite("Recording findings")
struct RecordFindingTests {
    private static let text = "Coil 1.\nReplace it."

    private static func outcome(_ vehicle: FakeVehicle) async -> CommandResult {
        let clock = TestClock()
        let command = Command(
            id: "f-1",
            action: .recordFinding(Self.text, .attention, codes: [.j2012(DTC(rawValue: 0x0301))]),
            issuedAt: clock.start,
            expiresAt: clock.start + .seconds(60),
            signer: Signer(issuer: "ada", role: .specialist)
        )
        let runner = CommandRunner(access: vehicle, clock: clock, rules: CommandRules(), description: [:])
        return await runner.outcome(of: command, for: "van", judge: { _ in nil }) { _ in }
    }

    @Test("A finding is stored with the vehicle that it was sent to, and is the result")
    func kept() async {
        let vehicle = FakeVehicle()
        let outcome = await Self.outcome(vehicle)
        let finding = Finding(
            id: "f-1",
            time: TestClock().start,
            issuer: "ada",
            severity: .attention,
            text: Self.text,
            codes: ["P0301"]
        )
        #expect(outcome == CommandResult(state: .succeeded, result: finding.json))
        #expect(vehicle.findings.map(\.finding) == [finding] && vehicle.findings.map(\.vehicle) == ["van"])
        #expect(vehicle.asked.isEmpty)
        #expect(Finding(finding.json) == finding)
    }

    @Test("A finding that is not written to the disk is a failure")
    func notKept() async {
        let outcome = await Self.outcome(FakeVehicle(keeps: false))
        #expect(outcome.state == .failed && outcome.reason == .notKept)
        #expect(outcome.message?.contains("(the disk is full)") == true)
    }

    @Test("A finding about an unknown vehicle is refused")
    func unknownVehicle() async {
        let outcome = await Self.outcome(FakeVehicle(refusing: .notConnected("no vehicle has been identified yet")))
        #expect(outcome.state == .refused && outcome.reason == .notConnected)
    }
}
