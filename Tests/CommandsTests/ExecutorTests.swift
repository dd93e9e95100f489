// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import JOSE
import Logging
import OBD2
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Commands

@Suite("Executing commands")
struct ExecutorTests {
    @Test("A command is accepted, then answered")
    func accepted() async throws {
        let bench = Bench()
        await bench.executor().receive(try bench.message("describe"))
        #expect(bench.states == [.accepted, .succeeded])
        let commands = JSON.array(CommandName.allCases.map { .string($0.rawValue) })
        #expect(
            bench.last?.result == [
                "agent": "a1b2", "commands": commands, "unsigned_role": "engineer", "vehicle": .null,
            ]
        )
        #expect(bench.last?.id == "1" && bench.last?.command == "describe" && bench.last?.repeat == false)
    }

    @Test("Readiness and the vehicle are read, and a missing value is not invented")
    func read() async throws {
        let status = try MonitorStatus(data: [0x83, 0x07, 0x65, 0x04])
        let told = Bench(FakeVehicle(monitors: MonitorsReport(["7E8": status], time: Timestamp(milliseconds: 0))))
        await told.executor().receive(try told.message("read_monitors"))
        guard case .object(let result) = told.last?.result else {
            Issue.record("no result")
            return
        }
        #expect(told.last?.state == .succeeded && result["code_count"] == 3)
        let silent = Bench()
        let executor = silent.executor()
        await executor.receive(try silent.message("read_monitors"))
        #expect(silent.last?.state == .failed && silent.last?.reason == .noAnswer)
        await executor.receive(try silent.message("read_vehicle", id: "2"))
        #expect(silent.last?.state == .succeeded && silent.vehicle.asked.map(\.request) == ["monitors", "vehicle"])
    }

    @Test("A repeated command runs once, and is answered with its last response")
    func again() async throws {
        let bench = Bench()
        let executor = bench.executor()
        let message = try bench.message("read_codes")
        await executor.receive(message)
        bench.clock.clock.advance(by: .seconds(3600))
        await executor.receive(message)
        #expect(bench.states == [.accepted, .succeeded, .succeeded])
        #expect(bench.last?.repeat == true)
        #expect(bench.vehicle.asked.map(\.request) == ["codes"])
    }

    @Test("A command runs once, also if the process was killed during it", arguments: [true, false])
    func afterRestart(wasAnswered: Bool) async throws {
        let bench = Bench()
        let message = try bench.message("clear_codes", #"{"confirm": "all"}"#)
        if wasAnswered {
            await bench.executor().receive(message)
        } else {
            await bench.journal.remember(
                CommandResponse(id: "1", command: "clear_codes", state: .accepted),
                to: message,
                vehicle: "van",
                until: nil
            )
        }
        let asked = bench.vehicle.asked.count
        await bench.executor().receive(message)
        #expect(bench.last?.repeat == true && bench.vehicle.asked.count == asked)
    }

    @Test("A refused command stays refused, even after the reason is gone")
    func refusedForGood() async throws {
        let bench = Bench()
        let executor = bench.executor()
        var message = try bench.message("read_codes")
        message.retain = true
        await executor.receive(message)
        message.retain = false
        await executor.receive(message)
        #expect(bench.states == [.refused, .refused] && bench.vehicle.asked.isEmpty)
        #expect(bench.last?.repeat == true && bench.last?.reason == .retained)
    }

    @Test("A running command is reported, and a clear with its progress")
    func running() async throws {
        let bench = Bench()
        let executor = bench.executor()
        await executor.receive(try bench.message("read_codes"))
        #expect(bench.responses.withLock { $0.map(\.state) } == [.accepted, .running, .succeeded])
        let standing = Bench(
            FakeVehicle(reply: { request throws(VehicleError) in
                ["7E8": .positive([request.description == "01 0C" ? [0x41, 0x0C, 0, 0] : [0x41, 0x0D, 0]])]
            })
        )
        await standing.executor().receive(try standing.message("clear_codes", #"{"confirm": "all"}"#))
        let steps = standing.responses.withLock { $0.compactMap(\.progress?.step) }
        #expect(steps == [1, 2, 3, 4, 5, 6])
        #expect(standing.responses.withLock { $0.allSatisfy { $0.issuedAt != nil && $0.expiresAt != nil } })
    }

    @Test(
        "While a command runs, up to eight unsigned ones are accepted, and later run in order"
    )
    func queue() async throws {
        let bench = Bench()
        let executor = bench.executor()
        var accepted: [CommandExecutor.Accepted] = []
        for number in 0..<20 {
            if let one = await executor.judge(try bench.message("read_codes", id: "\(number)")) { accepted.append(one) }
        }
        #expect(accepted.count == 8 && bench.last?.reason == .busy)
        bench.clock.clock.advance(by: .seconds(61))
        for one in accepted { await executor.execute(one) }
        #expect(bench.vehicle.asked.isEmpty && bench.last?.state == .refused && bench.last?.reason == .expired)
        // A command that was answered busy can be sent again under its id.
        await executor.receive(try bench.message("read_codes", id: "19"))
        #expect(bench.last?.state == .succeeded && bench.last?.repeat == false)
    }

    @Test("A flood of unsigned commands is rate limited, and does not delay signed ones")
    func flood() async throws {
        let bench = Bench()
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let executor = bench.executor(keys: try SigningTests.trusting(key))
        for number in 0..<2000 { await executor.receive(try bench.message("describe", id: "\(number)")) }
        #expect(bench.last?.reason == .rateLimited)
        // Two responses for each executed command, and five refusals.
        #expect(bench.states.count == 605)
        let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "clear", "describe")
        await executor.receive(Message(topic: try Topic("obd/van/commands"), payload: Array(signed.utf8)))
        #expect(bench.last?.state == .succeeded && bench.last?.issuer == "ada")
        for _ in 0..<100 { await executor.receive(try bench.message("describe", id: "1")) }
        #expect(bench.states.count == 607 + 20)
    }

    @Test("A signer does not use up the ids of others")
    func ids() async throws {
        let bench = Bench()
        let key = try JSONWebKey.generate(keyID: "ada", members: ["roles": ["specialist"]])
        let executor = bench.executor(keys: try SigningTests.trusting(key))
        await executor.receive(try bench.message("describe", id: "same"))
        let signed = try SigningTests.sign(with: key, at: bench.clock.timestamp, "same", "read_codes")
        for _ in 0..<2 {
            await executor.receive(Message(topic: try Topic("obd/van/commands"), payload: Array(signed.utf8)))
        }
        #expect(bench.vehicle.asked.map(\.request) == ["codes"] && bench.last?.repeat == true)
        #expect(bench.last?.command == "read_codes" && bench.last?.issuer == "ada")
    }

    @Test(
        "Each error of the vehicle has its own state and reason",
        arguments: [
            (.notConnected("asleep"), .refused, .notConnected, "asleep"),
            // Only a command that was not looked at may come again under its id.
            (.busy, .refused, .noRoom, "Too many requests wait for the vehicle. Try: a new command later."),
            (.lost("gone"), .failed, .linkLost, "gone"),
        ] as [(VehicleError, CommandResponse.State, CommandResponse.Reason, String)]
    )
    func away(error: VehicleError, state: CommandResponse.State, reason: CommandResponse.Reason, message: String)
        async throws
    {
        let bench = Bench(FakeVehicle(refusing: error))
        let executor = bench.executor()
        for (index, arguments) in [
            ("read_codes", "{}"), ("clear_codes", #"{"confirm": "all"}"#),
            ("read_parameters", #"{"parameters": ["0C"]}"#), ("read_monitors", "{}"), ("read_vehicle", "{}"),
            ("run_test", #"{"test": "01"}"#),
        ].enumerated() {
            await executor.receive(try bench.message(arguments.0, arguments.1, id: "\(index)"))
            #expect(bench.last?.state == state && bench.last?.reason == reason && bench.last?.message == message)
        }
    }

    @Test("Every message that is no command is counted; five are answered at once, then one a second")
    func complaints() async throws {
        let bench = Bench()
        let executor = bench.executor()
        let garbage = Message(topic: try Topic("obd/van/commands"), payload: Array("open sesame".utf8))
        for _ in 0..<1000 { await executor.receive(garbage) }
        #expect(bench.states == [.refused, .refused, .refused, .refused, .refused])
        #expect(bench.last?.reason == .malformed && bench.last?.id == nil)
        #expect(bench.complaints.withLock { $0 } == 1000)
        bench.clock.clock.advance(by: .seconds(1))
        for _ in 0..<10 { await executor.receive(garbage) }
        #expect(bench.states.count == 6)
    }

    @Test("A command that waited during a change of vehicle does not reach the new vehicle")
    func anotherVehicle() async throws {
        let bench = Bench()
        let executor = bench.executor()
        let message = try bench.message("clear_codes", #"{"confirm": "all"}"#)
        bench.name.withLock { $0 = "other" }
        await executor.receive(message)
        #expect(bench.last?.state == .refused && bench.last?.reason == .wrongVehicle)
        #expect(bench.vehicle.asked.isEmpty)
        bench.vehicle.name.withLock { $0 = "other" }
        await executor.receive(try bench.message("read_codes", id: "2", vehicle: "other"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("Each parameter is read once; the result names those that no ECU reports")
    func reading() async throws {
        let bench = Bench(
            FakeVehicle(reply: { request throws(VehicleError) in
                switch request.description {
                case "01 0C":
                    ["7E8": .positive([[0x41, 0x0C, 0x0C, 0xB2]]), "7E9": .positive([[0x41, 0x0C, 0x0C, 0xB3]])]
                case "01 05": ["7E8": .positive([[0x41, 0x05, 0xFF]])]
                default: [:]
                }
            })
        )
        await bench.executor().receive(
            try bench.message("read_parameters", #"{"parameters": ["0C", "05", "0D", "0C"]}"#)
        )
        guard case .object(let result) = bench.last?.result, case .object(let values) = result["values"],
            case .object(let speed) = values["engine_speed"], case .object(let second) = values["engine_speed/7E9"]
        else {
            Issue.record("\(String(describing: bench.last))")
            return
        }
        #expect(speed["value"] == 812.5 && speed["unit"] == "rpm" && speed["ecu"] == "7E8" && second["value"] == 812.75)
        #expect(values.count == 2 && result["missing"] == ["coolant_temperature", "vehicle_speed"])
        #expect(bench.vehicle.asked.map(\.request) == ["01 0C", "01 05", "01 0D"])
        await bench.executor().receive(try bench.message("read_parameters", #"{"parameters": ["0D"]}"#, id: "2"))
        #expect(bench.last?.state == .failed && bench.last?.reason == .noAnswer)
    }

    @Test("On J1939 broadcast parameters are read, and no request of J1979 is sent")
    func readOnJ1939() async throws {
        let bench = Bench(FakeVehicle(dialect: .j1939))
        await bench.executor().receive(try bench.message("read_parameters", #"{"parameters": ["0C", "05"]}"#))
        guard case .object(let result) = bench.last?.result, case .object(let values) = result["values"],
            case .object(let speed) = values["engine_speed"]
        else {
            Issue.record("\(String(describing: bench.last))")
            return
        }
        #expect(bench.last?.state == .succeeded && speed["value"] == 80.5 && values.count == 1)
        #expect(result["missing"] == ["coolant_temperature"])
        #expect(bench.vehicle.asked.map(\.request) == ["engine_speed", "coolant_temperature"])
    }

    @Test("A custom parameter is read and selected by its name")
    func customParameters() async throws {
        let bench = Bench()
        await bench.executor().receive(
            try bench.message("read_parameters", #"{"parameters": ["charge", "tyre"]}"#)
        )
        guard case .object(let result) = bench.last?.result, case .object(let values) = result["values"],
            case .object(let charge) = values["charge"]
        else {
            Issue.record("\(String(describing: bench.last))")
            return
        }
        #expect(charge["value"] == 80.5 && charge["unit"] == "%" && charge["ecu"] == "7EC")
        #expect(values.count == 1 && result["missing"] == ["tyre"])
        #expect(bench.vehicle.asked.map(\.request) == ["charge", "tyre"])
        await bench.executor().receive(
            try bench.message("select_parameters", #"{"parameters": {"charge": 5}}"#, id: "2")
        )
        #expect(bench.last?.state == .succeeded)
        await bench.executor().receive(
            try bench.message("select_parameters", #"{"parameters": {"chrge": 5}}"#, id: "3")
        )
        #expect(bench.last?.reason == .badArguments)
    }

    @Test("The result of a selection is what is polled afterwards")
    func selecting() async throws {
        let bench = Bench()
        await bench.executor().receive(
            try bench.message("select_parameters", #"{"parameters": {"0C": 0.5}, "duration": 30}"#)
        )
        #expect(
            bench.last?.result == [
                "version": 2, "parameters": ["engine_speed": 0.5], "unsupported": ["boost"], "duration": 30.0,
                "dead_bands": [:], "achieved": ["engine_speed": 0.75],
            ]
        )
    }

    @Test("The result of a boost names the selected parameters; a boost is refused if no values are published")
    func boost() async throws {
        for (refusal, state) in [(nil, CommandResponse.State.succeeded), (.busy, .refused)] as [(VehicleError?, _)] {
            let bench = Bench(FakeVehicle(refusing: refusal))
            let arguments = #"{"parameters": ["engine_speed", "fuel_level"], "duration": 60}"#
            await bench.executor().receive(try bench.message("boost", arguments))
            #expect(bench.last?.state == state)
            let result: JSON = ["parameters": ["engine_speed"], "not_selected": ["fuel_level"], "duration": 60.0]
            #expect(bench.last?.result == (refusal == nil ? result : JSON?.none))
        }
    }

    @Test("On J1939 codes are not cleared, and nothing is requested")
    func clearOnJ1939() async throws {
        let vehicle = FakeVehicle(dialect: .j1939)
        let bench = Bench(vehicle)
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.last?.state == .refused && bench.last?.reason == .notSupported)
        #expect(vehicle.asked.isEmpty)
    }

    @Test("The command fails if the codes could not be read")
    func unknownCodes() async throws {
        let bench = Bench(FakeVehicle(codes: { ClearCodesTests.codes([], known: false) }))
        await bench.executor().receive(try bench.message("read_codes"))
        #expect(bench.last?.state == .failed && bench.last?.reason == .codesUnknown)
    }

    @Test(
        "Service 04 is sent only right after zero engine speed, zero vehicle speed and the proof of identity",
        arguments: 0..<8
    )
    func clearOnlyWhenStill(seed: UInt64) async throws {
        let numbers = Mutex(SeededNumbers(seed))
        var clears = 0
        for round in 0..<2000 {
            let vehicle = FakeVehicle(
                proof: {
                    numbers.withLock { [.same, .same, .same, .other, .unreadable].randomElement(using: &$0) ?? .same }
                },
                codes: { () throws(VehicleError) in
                    let dice = numbers.withLock { Int.random(in: 0..<8, using: &$0) }
                    if dice == 0 { throw .lost("gone") }
                    return ClearCodesTests.codes(dice < 4 ? [("P0301", [.stored])] : [], known: dice != 1)
                },
                reply: { request throws(VehicleError) in
                    try numbers.withLock { numbers throws(VehicleError) in
                        try Self.answers(to: request, using: &numbers)
                    }
                }
            )
            let bench = Bench(vehicle)
            let confirm = round.isMultiple(of: 2) ? "\"all\"" : "[\"P0301\"]"
            await bench.executor().receive(
                try bench.message("clear_codes", "{\"confirm\": \(confirm)}", id: "\(round)")
            )
            let asked = vehicle.asked
            #expect(bench.states.count == 2 && bench.last?.state.isFinal == true)
            let cleared = asked.indices.filter { asked[$0].request == "04" }
            #expect(cleared.count <= 1)
            for index in cleared {
                clears += 1
                try #require(index >= 3)
                let (engine, vehicle) = (asked[index - 3], asked[index - 2])
                #expect(asked[index - 1].request == "prove")
                #expect(engine.request == "01 0C" && Self.isZero(engine.answers, [0x41, 0x0C, 0, 0]))
                #expect(vehicle.request == "01 0D" && Self.isZero(vehicle.answers, [0x41, 0x0D, 0]))
                #expect(asked[..<index].contains { $0.request == "keep" })
                #expect(bench.vehicle.kept.map(\.commandID) == ["\(round)"])
            }
        }
        #expect(clears > 20)
    }

    /// Whether an ECU answers zero, and every other ECU zero or a negative response.
    private static func isZero(_ answers: [String: ECUReply], _ zero: [UInt8]) -> Bool {
        let positive = answers.values.compactMap { if case .positive(let messages) = $0 { messages } else { nil } }
        return !positive.isEmpty && positive.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 == zero } }
    }

    private static func answers(
        to request: Request,
        using numbers: inout SeededNumbers
    ) throws(VehicleError) -> [String: ECUReply] {
        if Int.random(in: 0..<30, using: &numbers) == 0 { throw .lost("gone") }
        var answers: [String: ECUReply] = [:]
        for ecu in ["7E8", "7E9"] {
            let prefix = [request.payload[0] | 0x40] + request.data
            let size = request.description == "01 0C" ? 2 : request.description == "01 0D" ? 1 : 0
            switch Int.random(in: 0..<14, using: &numbers) {
            case 0: continue
            case 1: answers[ecu] = .negative(UInt8.random(in: 0...255, using: &numbers))
            case 2:
                answers[ecu] = .positive([prefix + (0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }])
            case 3:
                answers[ecu] = .positive([
                    (0..<Int.random(in: 0...5, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
                ])
            case 4: answers[ecu] = .positive([prefix + [UInt8](repeating: 0xFF, count: size)])
            default: answers[ecu] = .positive([prefix + [UInt8](repeating: 0, count: size)])
            }
        }
        return answers
    }
}
