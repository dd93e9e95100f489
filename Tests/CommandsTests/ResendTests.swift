// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Synchronization
import Testing

@testable import Commands

@Suite("Asking for records again")
struct ResendTests {
    private static let arguments = #"{"stream": "telemetry", "epoch": 7, "from": 3, "to": 5}"#

    @Test(
        "Each mistake in the arguments is named with its place",
        arguments: [
            ("{}", "stream: expected a string; it is missing"),
            (
                #"{"stream": "responses", "epoch": 1, "from": 1}"#,
                #"stream: expected "telemetry" or "events"; found a string"#
            ),
            (
                #"{"stream": "events", "epoch": -1, "from": 1}"#,
                "epoch: expected an integer from 0 to 9007199254740991; found -1"
            ),
            (
                #"{"stream": "events", "epoch": 1, "from": 0}"#,
                "from: expected an integer from 1 to 9007199254740991; found 0"
            ),
            (
                #"{"stream": "events", "epoch": 1, "from": 1.5}"#,
                "from: expected an integer from 1 to 9007199254740991; found 1.5"
            ),
            (
                #"{"stream": "events", "epoch": 1, "from": 7, "to": 6}"#,
                "to: expected an integer from 7 to 9007199254740991; found 6"
            ),
            (
                #"{"stream": "events", "epoch": 1, "from": 1, "to": 1001}"#,
                "to: a command covers at most 1000 numbers. Try: several commands"
            ),
            (
                #"{"stream": "events", "epoch": 1, "from": 1, "until": 2}"#,
                "until: unknown key; known are epoch, from, stream, to"
            ),
        ]
    )
    func mistakes(arguments: String, message: String) throws {
        let bench = Bench()
        let payload = try bench.message("resend", arguments).payload
        let refusal = #expect(throws: Refusal.self) { try CommandDecoder.decode(payload) }
        #expect(refusal?.reason == .badArguments && refusal?.message == "$.arguments.\(message)")
    }

    @Test("A command covers as many as 1000 numbers, up to the largest integer")
    func largest() throws {
        let bench = Bench()
        for arguments in [
            #"{"stream": "telemetry", "epoch": 0, "from": 1, "to": 1000}"#,
            #"{"stream": "telemetry", "epoch": 9007199254740991, "from": 9007199254740991}"#,
        ] {
            let command = try CommandDecoder.decode(try bench.message("resend", arguments).payload)
            guard case .resend(let request) = command.action else {
                Issue.record("\(command.action)")
                continue
            }
            #expect(request.numbers.count == 1000)
        }
        let command = try CommandDecoder.decode(try bench.message("resend", Self.arguments).payload)
        #expect(command.action == .resend(try #require(ResendArguments(.telemetry, epoch: 7, from: 3, to: 5))))
        #expect(command.action.role == .observer)
    }

    @Test("An observer asks for records again, and is told what comes")
    func result() async throws {
        let bench = Bench()
        await bench.executor(unsignedRole: .observer).receive(try bench.message("resend", Self.arguments))
        #expect(bench.states == [.accepted, .succeeded])
        #expect(
            bench.last?.result == [
                "stream": "telemetry", "epoch": 7, "from": 3, "to": 5, "records": 2, "missing": [[5, 5]], "last": 5,
            ]
        )
    }

    @Test("A vehicle that is being identified is not waited for")
    func identification() async throws {
        let bench = Bench()
        bench.isComing.withLock { $0 = true }
        await bench.executor().receive(try bench.message("resend", Self.arguments))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("Beyond the day's bytes the command is refused, and its id can be used again later")
    func rateLimit() async throws {
        let bench = Bench()
        let executor = bench.executor()
        bench.delayOfResend.withLock { $0 = 4711 }
        await executor.receive(try bench.message("resend", Self.arguments))
        #expect(bench.last?.state == .refused && bench.last?.reason == .rateLimited && bench.last?.retryAfter == 4711)
        await executor.receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
        bench.delayOfResend.withLock { $0 = 0 }
        await executor.receive(try bench.message("resend", Self.arguments))
        #expect(bench.last?.state == .succeeded && bench.last?.repeat == false)
    }

    @Test(
        "A disk that cannot be read fails the command, a full queue refuses it",
        arguments: [
            (.recordsUnreadable, .failed), (.noRoom, .refused),
        ] as [(CommandResponse.Reason, CommandResponse.State)]
    )
    func failures(reason: CommandResponse.Reason, state: CommandResponse.State) async throws {
        let bench = Bench(FakeVehicle(refusingResend: Refusal(reason, "why")))
        await bench.executor().receive(try bench.message("resend", Self.arguments))
        #expect(bench.last?.state == state && bench.last?.reason == reason && bench.last?.message == "why")
    }
}
