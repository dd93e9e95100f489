// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import TestSupport
import Testing

@testable import Commands

@Suite("Clearing codes")
struct ClearCodesTests {
    static func codes(
        _ codes: [(String, [CodesReport.State])] = [],
        known: Bool = true,
        unread: [CodesReport.State] = []
    ) -> CodesReport {
        let time = Timestamp(milliseconds: 0)
        return CodesReport(
            time: time,
            known: known,
            mil: known ? !codes.isEmpty : nil,
            codes: codes.map { CodesReport.Code(code: $0.0, ecu: "7E8", states: $0.1, firstSeen: time) },
            unread: unread
        )
    }

    private static let before = Self.codes([("P0301", [.stored])])
    private static let still: [String: ECUReply] = ["7E8": .positive([[0x41, 0x0C, 0, 0]])]
    private static let standing: [String: ECUReply] = ["7E8": .positive([[0x41, 0x0D, 0]])]
    private static let cleared: [String: ECUReply] = ["7E8": .positive([[0x44]]), "7E9": .positive([[0x44]])]

    enum Input {
        case codes(CodesReport)
        case monitors(MonitorsReport?)
        case kept(String?)
        case answers([String: ECUReply])
        case authorized(Refusal?)
        case lost
    }

    /// Runs the machine with these inputs; returns its steps and its result.
    private static func run(
        _ confirmation: Command.Confirmation = .all,
        _ inputs: [Input],
        acceptsIncomplete: Bool = false
    ) -> (asked: [String], result: CommandResult?) {
        var machine = ClearCodes(confirmation, ecus: ["7E8", "7E9"], acceptsIncomplete: acceptsIncomplete)
        var step = machine.begin()
        var asked: [String] = []
        for input in inputs {
            switch (step, input) {
            case (.readCodes, .codes(let report)):
                asked.append("codes")
                step = machine.read(report)
            case (.readMonitors, .monitors(let report)):
                asked.append("monitors")
                step = machine.read(report)
            case (.keep, .kept(let problem)):
                asked.append("keep")
                step = machine.kept(problem)
            case (.ask(let request), .answers(let answers)):
                asked.append(request.description)
                step = machine.answered(answers)
            case (.authorize, .authorized(let refusal)):
                asked.append("authorize")
                step = machine.authorized(refusal)
            case (_, .lost):
                return (asked, machine.interrupted("gone"))
            default:
                Issue.record("\(step) does not want \(input)")
                return (asked, nil)
            }
        }
        guard case .finished(let result) = step else { return (asked, nil) }
        return (asked, result)
    }

    /// All steps up to the request to clear.
    private static func upToClear(_ before: CodesReport = Self.before) -> [Input] {
        [
            .codes(before), .answers(Self.still), .answers(Self.standing), .monitors(nil), .kept(nil),
            .codes(before), .answers(Self.still), .answers(Self.standing), .authorized(nil),
        ]
    }

    private static func clearing(
        _ answers: [String: ECUReply],
        before: CodesReport = Self.before,
        after: CodesReport
    ) -> CommandResult? {
        Self.run(.all, Self.upToClear(before) + [.answers(answers), .codes(after), .monitors(nil)]).result
    }

    @Test("The erased data is stored, and the codes are read again, before the clear; everything is read after it")
    func success() {
        let (asked, result) = Self.run(
            .codes([.j2012(DTC(rawValue: 0x0301))]),
            Self.upToClear() + [.answers(Self.cleared), .codes(Self.codes()), .monitors(nil)]
        )
        #expect(
            asked == [
                "codes", "01 0C", "01 0D", "monitors", "keep", "codes", "01 0C", "01 0D", "authorize", "04", "codes",
                "monitors",
            ]
        )
        #expect(result?.state == .succeeded && result?.reason == nil && result?.message == nil)
        #expect(
            result?.result == [
                "ecus": ["7E8": "cleared", "7E9": "cleared"], "known_after": true, "mil": false,
                "codes_before": [["code": "P0301", "ecu": "7E8", "states": ["stored"]]], "codes_after": [],
                "unread_after": [], "gone": [["code": "P0301", "ecu": "7E8"]], "stayed": [], "monitors": .null,
                "unknown": [], "not_kept": [],
            ]
        )
    }

    @Test("A command that is refused right before the request that writes clears nothing")
    func unauthorized() {
        let refusal = Refusal(id: "1", command: "clear_codes", reason: .wrongVehicle, message: "another vehicle")
        let (asked, result) = Self.run(.all, Self.upToClear().dropLast() + [.authorized(refusal)])
        #expect(asked.last == "authorize" && !asked.contains("04"))
        #expect(result?.state == .refused && result?.reason == .wrongVehicle)
        #expect(result?.message == "Nothing was cleared: another vehicle")
    }

    @Test("Codes are not cleared if they cannot be stored first")
    func notKept() {
        let inputs = Array(Self.upToClear().prefix(4)) + [.kept("the disk is full")]
        let (asked, result) = Self.run(.all, inputs)
        #expect(asked.last == "keep")
        #expect(result?.state == .refused && result?.reason == .snapshotNotKept)
    }

    @Test(
        "Codes that changed after they were stored are not cleared, whatever was confirmed",
        arguments: [
            Self.codes([("P0301", [.stored]), ("P0420", [.pending])]), Self.codes([]),
            Self.codes([("P0301", [.stored, .pending])]),
        ]
    )
    func changed(again: CodesReport) {
        for confirmation in [Command.Confirmation.all, .codes([.j2012(DTC(rawValue: 0x0301))])] {
            let (asked, result) = Self.run(confirmation, Self.upToClear().prefix(5) + [.codes(again)])
            #expect(asked.last == "codes" && asked.count == 6)
            #expect(result?.state == .refused && result?.reason == .codesChanged)
        }
        // A clear does not erase a permanent code.
        let permanent = Self.codes([("P0301", [.stored]), ("P0420", [.permanent])])
        #expect(Self.run(.all, Self.upToClear().prefix(5) + [.codes(permanent)]).result == nil)
    }

    @Test("Codes are not cleared if they cannot be read a second time")
    func unknownAgain() {
        func reason(_ confirmation: Command.Confirmation, _ again: CodesReport) -> CommandResponse.Reason? {
            Self.run(confirmation, Self.upToClear().prefix(5) + [.codes(again)]).result?.reason
        }
        let named = Command.Confirmation.codes([.j2012(DTC(rawValue: 0x0301))])
        #expect(reason(.all, Self.codes([], known: false)) == .codesUnknown)
        #expect(reason(named, Self.codes([], known: false)) == .codesUnknown)
        #expect(reason(named, Self.codes([("P0301", [.stored])], unread: [.pending])) == .codesUnknown)
    }

    @Test("An engine that starts, or a vehicle that moves, while the codes are being stored stops the clear")
    func startedMeanwhile() {
        let running = ["7E8": ECUReply.positive([[0x41, 0x0C, 0x0C, 0xB2]])]
        let (asked, result) = Self.run(.all, Self.upToClear().prefix(6) + [.answers(running)])
        #expect(asked.last == "01 0C" && result?.reason == .engineRunning)
        let moving = ["7E8": ECUReply.positive([[0x41, 0x0D, 3]])]
        #expect(Self.run(.all, Self.upToClear().prefix(7) + [.answers(moving)]).result?.reason == .vehicleMoving)
        #expect(Self.run(.all, Self.upToClear().prefix(7) + [.answers([:])]).result?.reason == .vehicleSpeedUnknown)
    }

    @Test("The response lists the codes that are gone, those that remain, and those in an unknown state")
    func remainders() {
        let before = Self.codes([("P0301", [.stored]), ("P0302", [.pending]), ("P0420", [.stored, .permanent])])
        let after = Self.codes([("P0301", [.stored]), ("P0420", [.permanent])], unread: [.pending])
        guard case .object(let result) = Self.clearing(Self.cleared, before: before, after: after)?.result else {
            Issue.record("no result")
            return
        }
        #expect(result["gone"] == [])
        #expect(
            result["stayed"] == [
                ["code": "P0301", "ecu": "7E8", "reason": "still there, or there again"],
                [
                    "code": "P0420", "ecu": "7E8",
                    "reason": "permanent: the ECU erases it itself once it has seen the fault gone",
                ],
            ]
        )
        #expect(result["unread_after"] == ["pending"])
        let unknown = Self.clearing(Self.cleared, after: Self.codes([], known: false))
        guard case .object(let result) = unknown?.result else {
            Issue.record("no result")
            return
        }
        #expect(result["gone"] == nil && result["stayed"] == nil)
    }

    @Test(
        "Nothing is cleared while the engine runs, or its speed is unknown",
        arguments: [
            (["7E8": .positive([[0x41, 0x0C, 0x0C, 0xB2]])], .engineRunning),
            (["7E8": .positive([[0x41, 0x0C, 0, 1]])], .engineRunning),
            (["7E8": .positive([[0x41, 0x0C, 0, 0]]), "7E9": .positive([[0x41, 0x0C, 4, 0]])], .engineRunning),
            ([:], .engineSpeedUnknown),
            (["7E8": .negative(0x22)], .engineSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0C, 0xFF, 0xFF]])], .engineSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0C, 0]])], .engineSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0D, 0, 0]])], .engineSpeedUnknown),
            (["7E8": .positive([])], .engineSpeedUnknown),
            (["7E8": .positive([[]])], .engineSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0C, 0, 0], [0x41, 0x0C, 1, 0]])], .engineSpeedUnknown),
            (
                ["7E8": .positive([[0x41, 0x0C, 0, 0]]), "7E9": .positive([[0x41, 0x0C, 0xFF, 0xFF]])],
                .engineSpeedUnknown
            ),
        ] as [([String: ECUReply], CommandResponse.Reason)]
    )
    func engine(answers: [String: ECUReply], reason: CommandResponse.Reason) {
        let (asked, result) = Self.run(.all, [.codes(Self.before), .answers(answers)])
        #expect(asked == ["codes", "01 0C"])
        #expect(result?.state == .refused && result?.reason == reason)
        #expect(result?.result == ["codes_before": [["code": "P0301", "ecu": "7E8", "states": ["stored"]]]])
    }

    @Test(
        "Nothing is cleared while the vehicle moves, or its speed is unknown",
        arguments: [
            (["7E8": .positive([[0x41, 0x0D, 1]])], .vehicleMoving),
            (["7E8": .positive([[0x41, 0x0D, 0]]), "7E9": .positive([[0x41, 0x0D, 9]])], .vehicleMoving),
            ([:], .vehicleSpeedUnknown),
            (["7E8": .negative(0x12)], .vehicleSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0D, 0xFF]])], .vehicleSpeedUnknown),
            (["7E8": .positive([[0x41, 0x0C, 0, 0]])], .vehicleSpeedUnknown),
        ] as [([String: ECUReply], CommandResponse.Reason)]
    )
    func moving(answers: [String: ECUReply], reason: CommandResponse.Reason) {
        let (asked, result) = Self.run(.all, [.codes(Self.before), .answers(Self.still), .answers(answers)])
        #expect(asked == ["codes", "01 0C", "01 0D"])
        #expect(result?.state == .refused && result?.reason == reason)
    }

    @Test(
        "The vehicle is cleared only if it has no other codes than the confirmed ones",
        arguments: [
            (Self.codes([("P0301", [.stored]), ("P0420", [.pending])]), .codesDiffer),
            (Self.codes([("P0301", [.stored]), ("P0420", [.stored, .permanent])]), .codesDiffer),
            (Self.codes([("P0301", [.stored]), ("P0420", [.permanent])]), nil),
            (Self.codes([("P0301", [.pending])]), nil),
            (Self.codes([]), nil),
            (Self.codes([], known: false), .codesUnknown),
            // A code that could not be read cannot be a confirmed one.
            (Self.codes([("P0301", [.stored])], unread: [.pending]), .codesUnknown),
            (Self.codes([("P0301", [.stored])], unread: [.permanent]), nil),
        ] as [(CodesReport, CommandResponse.Reason?)]
    )
    func confirmation(before: CodesReport, reason: CommandResponse.Reason?) {
        let (asked, result) = Self.run(.codes([.j2012(DTC(rawValue: 0x0301))]), [.codes(before)])
        #expect(asked == ["codes"])
        #expect(result?.state == (reason == nil ? nil : .refused))
        #expect(result?.reason == reason)
    }

    @Test("A confirmation of all codes includes unreadable lists, but not an unreadable list of stored codes")
    func all() {
        #expect(Self.run(.all, [.codes(Self.codes([], unread: [.pending]))]).result == nil)
        #expect(Self.run(.all, [.codes(Self.codes([], known: false))]).result?.reason == .codesUnknown)
    }

    @Test("The result names every ECU that did not clear and every code that remains")
    func truth() {
        let refused = Self.clearing(["7E8": .positive([[0x44]]), "7E9": .negative(0x22)], after: Self.codes())
        #expect(refused?.state == .failed && refused?.reason == .negativeResponse)
        #expect(refused?.message == "7E9 did not clear: service 04 refused: conditions not correct")
        let pending = Self.clearing(["7E8": .positive([[0x44]]), "7E9": .negative(0x78)], after: Self.codes())
        #expect(pending?.state == .failed && pending?.reason == .negativeResponse)
        let silent = Self.clearing(["7E8": .positive([[0x44]])], after: Self.codes())
        #expect(silent?.reason == .noAnswer && silent?.message == "no answer from 7E9")
        #expect(Self.clearing([:], after: Self.codes())?.reason == .noAnswer)
        let remain = Self.clearing(Self.cleared, after: Self.before)
        #expect(remain?.state == .failed && remain?.reason == .codesRemain)
        #expect(remain?.message == "still there, or there again: P0301")
        let unknown = Self.clearing(Self.cleared, after: Self.codes([], known: false))
        #expect(unknown?.state == .failed && unknown?.reason == .codesUnknown)
        let permanent = Self.clearing(Self.cleared, after: Self.codes([("P0301", [.permanent])]))
        #expect(permanent?.state == .succeeded)
    }

    @Test("The result after a lost link says whether the codes were cleared")
    func loss() {
        func message(_ inputs: [Input]) -> String? { Self.run(.all, inputs + [.lost]).result?.message }
        #expect(message([]) == "Nothing was cleared: gone")
        #expect(message([.codes(Self.before), .answers(Self.still)]) == "Nothing was cleared: gone")
        let inputs = Self.upToClear()
        #expect(message(Array(inputs.dropLast())) == "Nothing was cleared: gone")
        #expect(message(inputs) == "The request to clear was sent, but its outcome is unknown: gone")
        let (_, result) = Self.run(.all, inputs + [.answers(Self.cleared), .lost])
        #expect(result?.state == .failed && result?.reason == .linkLost)
        #expect(result?.message == "The codes could not be read again after the clear: gone")
        #expect(
            result?.result == [
                "ecus": ["7E8": "cleared", "7E9": "cleared"], "known_after": false,
                "codes_before": [["code": "P0301", "ecu": "7E8", "states": ["stored"]]],
            ]
        )
    }

    @Test("Unreadable data stops the clear, unless the sender accepts its loss; then the result names it")
    func incomplete() throws {
        var frame = Self.before
        frame.freezeFrames = ["7E8": .init(.unread)]
        var lamp = Self.before
        lamp.mil = nil
        let pending = Self.codes([("P0301", [.stored])], unread: [.pending])
        for (codes, name) in [(frame, "the freeze frame of 7E8"), (lamp, "readiness"), (pending, "the pending codes")] {
            let begin: [Input] = [.codes(codes), .answers(Self.still), .answers(Self.standing), .monitors(nil)]
            let refused = try #require(Self.run(.all, begin).result)
            #expect(refused.state == .refused && refused.reason == .snapshotIncomplete)
            #expect(refused.message?.contains(name) == true, "\(refused)")
            let rest: [Input] = [
                .kept(nil), .codes(codes), .answers(Self.still), .answers(Self.standing), .authorized(nil),
                .answers(Self.cleared), .codes(Self.codes()), .monitors(nil),
            ]
            let result = try #require(Self.run(.all, begin + rest, acceptsIncomplete: true).result)
            #expect(result.state == .succeeded)
            guard case .object(let members)? = result.result else { throw CancellationError() }
            #expect(members["not_kept"] == [.string(name)])
        }
    }

    @Test("A code counts as gone only if every list that it was in was read again")
    func doubtful() throws {
        let before = Self.codes([("P0301", [.stored]), ("P0420", [.stored, .permanent])])
        let result = try #require(
            Self.run(
                .all,
                [
                    .codes(before), .answers(Self.still), .answers(Self.standing), .monitors(nil), .kept(nil),
                    .codes(before), .answers(Self.still), .answers(Self.standing), .authorized(nil),
                    .answers(Self.cleared), .codes(Self.codes([], unread: [.permanent])), .monitors(nil),
                ]
            ).result?.result
        )
        guard case .object(let members) = result else { throw CancellationError() }
        #expect(members["gone"] == [["code": "P0301", "ecu": "7E8"]])
        let reason: JSON = "the permanent codes could not be read again"
        #expect(members["unknown"] == [["code": "P0420", "ecu": "7E8", "reason": reason]])
    }
}
