// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Testing

@testable import Commands

@Suite("Running a test")
struct RunTestTests {
    private static let still: [String: ECUReply] = ["7E8": .positive([[0x41, 0x0C, 0, 0]])]
    private static let standing: [String: ECUReply] = ["7E8": .positive([[0x41, 0x0D, 0]])]
    private static let obeyed: [UInt8] = [0x48, 0x01, 0, 0, 0, 0, 7]

    /// Runs the machine with these answers; nil stands for the loss of the vehicle.
    private static func run(_ answers: [[String: ECUReply]?], refusal: Refusal? = nil) throws
        -> (asked: [String], result: CommandResult?)
    {
        var machine = RunTest(try #require(ControlRequest(test: 1, data: [0x12])))
        var step = machine.begin()
        var asked: [String] = []
        for answer in answers {
            if case .authorize = step {
                asked.append("authorize")
                step = machine.authorized(refusal)
            }
            guard case .ask(let request) = step else { break }
            asked.append(request.description)
            guard let answer else { return (asked, machine.interrupted("gone")) }
            step = machine.answered(answer)
        }
        if case .finished(let result) = step { return (asked, result) }
        return (asked, nil)
    }

    @Test("Both speeds are read first, and the test is requested once")
    func done() throws {
        let (asked, result) = try Self.run([Self.still, Self.standing, ["7E8": .positive([Self.obeyed])]])
        #expect(asked == ["01 0C", "01 0D", "authorize", "08 01 12 00 00 00 00"])
        #expect(result?.state == .succeeded && result?.reason == nil)
        #expect(result?.result == ["test": "01", "ecus": ["7E8": ["answer": "done", "data": "0000000007"]]])
    }

    @Test("A test that is refused right before the request that writes is not run")
    func unauthorized() throws {
        let refusal = Refusal(id: "1", command: "run_test", reason: .vehicleUnknown, message: "no VIN")
        let (asked, result) = try Self.run([Self.still, Self.standing, [:]], refusal: refusal)
        #expect(asked == ["01 0C", "01 0D", "authorize"])
        #expect(result?.state == .refused && result?.reason == .vehicleUnknown)
    }

    @Test(
        "No test is requested while the engine runs, the vehicle moves, or a speed is unknown",
        arguments: [
            ([["7E8": .positive([[0x41, 0x0C, 0x0C, 0x80]])]], .engineRunning), ([[:]], .engineSpeedUnknown),
            ([["7E8": .positive([[0x41, 0x0C, 0xFF, 0xFF]])]], .engineSpeedUnknown),
            ([Self.still, ["7E8": .positive([[0x41, 0x0D, 3]])]], .vehicleMoving),
            ([Self.still, [:]], .vehicleSpeedUnknown),
            ([Self.still, ["7E8": .negative(0x22)]], .vehicleSpeedUnknown),
        ] as [([[String: ECUReply]], CommandResponse.Reason)]
    )
    func refused(answers: [[String: ECUReply]], reason: CommandResponse.Reason) throws {
        let (asked, result) = try Self.run(answers)
        #expect(asked.count == answers.count && !asked.contains { $0.hasPrefix("08") })
        #expect(result?.state == .refused && result?.reason == reason)
    }

    @Test(
        "A test that failed is reported, and not retried",
        arguments: [
            (["7E8": .negative(0x22)], .negativeResponse), ([:], .noAnswer),
            (["7E8": .positive([Self.obeyed]), "7E9": .negative(0x31)], .negativeResponse),
            (["7E8": .positive([[0x48, 0x01, 0, 0]])], .noAnswer), (nil, .linkLost),
        ] as [([String: ECUReply]?, CommandResponse.Reason)]
    )
    func failed(answers: [String: ECUReply]?, reason: CommandResponse.Reason) throws {
        let (asked, result) = try Self.run([Self.still, Self.standing, answers])
        #expect(asked.count == 4 && result?.state == .failed && result?.reason == reason)
        #expect(result?.message?.isEmpty == false)
    }
}
