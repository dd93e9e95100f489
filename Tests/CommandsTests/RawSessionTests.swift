// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Synchronization
import Testing

@testable import Commands

@Suite("Raw requests")
struct RawSessionTests {
    /// A vehicle that answers everything; its engine starts after a number of readings, if at all.
    private static func vehicle(
        runsAfter looks: Int = .max,
        speed: UInt8 = 0,
        keeps: Bool = true,
        sent: @escaping @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply] = { request in
            ["7E8": .positive([[request.payload[0] | 0x40] + request.payload.dropFirst()])]
        },
        codes: @escaping @Sendable () throws(VehicleError) -> CodesReport = { ClearCodesTests.codes() }
    ) -> FakeVehicle {
        let count = Mutex(0)
        return FakeVehicle(keeps: keeps, codes: codes, sent: sent) { request in
            guard request == .currentData(0x0C) else { return ["7E8": .positive([[0x41, 0x0D, speed]])] }
            let runs = count.withLock {
                $0 += 1
                return $0 > looks
            }
            return ["7E8": .positive([[0x41, 0x0C, runs ? 0x0C : 0, 0x80 * (runs ? 1 : 0)]])]
        }
    }

    private static func run(
        _ arguments: String,
        on vehicle: FakeVehicle,
        writing: Bool = true
    ) async throws -> CommandResult {
        let text = """
            {"id": "r-1", "command": "raw_request", "arguments": \(arguments),
             "issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z"}
            """
        let command = try CommandDecoder.decode(Array(text.utf8))
        let rules = CommandRules(allowsRawWriting: writing)
        return await CommandRunner(access: vehicle, clock: TestClock(), rules: rules, description: [:])
            .outcome(of: command, for: "van", judge: { _ in nil }) { _ in }
    }

    private static func refusal(_ arguments: String) async -> Refusal? {
        do {
            _ = try await Self.run(arguments, on: Self.vehicle())
            return nil
        } catch {
            return error as? Refusal
        }
    }

    @Test("A request that reads is sent and recorded, and polling is suspended for the time of hold")
    func reads() async throws {
        let vehicle = Self.vehicle { request in
            request.payload[0] == 0x22 ? ["7E8": .negative(0x31)] : ["7E8": .positive([[0x41, 0x0D, 0x00]])]
        }
        let arguments = #"{"requests": ["010d", "22F190"], "ecu": "7E0", "hold": 60}"#
        let result = try await Self.run(arguments, on: vehicle, writing: false)
        #expect(result.state == .succeeded)
        let requests: [JSON] = [
            ["request": "010D", "answers": ["7E8": ["messages": ["410D00"]]]],
            ["request": "22F190", "answers": ["7E8": ["code": "31", "refusal": "request out of range"]]],
        ]
        #expect(result.result == ["ecu": "7E0", "hold": 60.0, "requests": .array(requests)])
        #expect(vehicle.asked.map(\.request) == ["send 01 0D", "keep", "send 22 F1 90", "keep", "hold 60.0"])
        #expect(vehicle.kept.map(\.event) == [.rawRequest, .rawRequest])
        #expect(vehicle.kept.map(\.exchange) == requests && vehicle.kept.allSatisfy { $0.commandID == "r-1" })
        #expect(vehicle.kept.allSatisfy { $0.ecu == "7E0" })
    }

    @Test("A request that writes needs raw_writing, and both speeds are read right before each one")
    func writes() async throws {
        let arguments = #"{"requests": ["2EF19001", "010C", "3101FF00"], "ecu": "7E0"}"#
        let refused = Self.vehicle()
        let refusal = try await Self.run(arguments, on: refused, writing: false)
        #expect(refusal.state == .refused && refusal.reason == .notAllowed && refused.asked.isEmpty)

        let vehicle = Self.vehicle()
        #expect(try await Self.run(arguments, on: vehicle).state == .succeeded)
        #expect(
            vehicle.asked.map(\.request) == [
                "keep", "01 0C", "01 0D", "prove", "send 2E F1 90 01", "keep", "send 01 0C", "keep", "keep", "01 0C",
                "01 0D", "prove", "send 31 01 FF 00", "keep", "hold 0.0",
            ]
        )
        // The announcement is recorded before the request is sent.
        #expect(vehicle.kept.first?.exchange == ["request": "2EF19001", "announced": true])
        let full = Self.vehicle(keeps: false)
        let unkept = try await Self.run(arguments, on: full)
        #expect(unkept.state == .refused && unkept.reason == .notKept)
        #expect(!full.asked.contains { $0.request.hasPrefix("send") })
    }

    @Test(
        "Outside of the diagnostic addresses a request that reads counts as writing",
        arguments: [("22AABBCCDDEEFF", "0C1"), ("3EFF", "000"), ("22F190", "5FF"), ("22F190", "1DDA10F1")]
    )
    func foreignAddresses(request: String, ecu: String) async throws {
        let arguments = "{\"requests\": [\"\(request)\"], \"ecu\": \"\(ecu)\"}"
        let forbidden = Self.vehicle(speed: 54)
        let refusal = try await Self.run(arguments, on: forbidden, writing: false)
        #expect(refusal.state == .refused && refusal.reason == .notAllowed && forbidden.asked.isEmpty)
        #expect(refusal.message?.contains("to \(ecu) counts as writing") == true)

        let moving = Self.vehicle(speed: 54)
        let late = try await Self.run(arguments, on: moving)
        #expect(late.state == .refused)
        #expect(!moving.asked.contains { $0.request.hasPrefix("send") })
    }

    @Test("A request to a foreign address is sent after the announcement, both speeds and the proof of identity")
    func foreignAddress() async throws {
        let vehicle = Self.vehicle()
        #expect(try await Self.run(#"{"requests": ["22F190"], "ecu": "241"}"#, on: vehicle).state == .succeeded)
        #expect(
            vehicle.asked.map(\.request) == ["keep", "01 0C", "01 0D", "prove", "send 22 F1 90", "keep", "hold 0.0"]
        )
    }

    @Test("While the engine runs, or the vehicle moves, nothing that writes is sent")
    func running() async throws {
        for (vehicle, reason) in [
            (Self.vehicle(runsAfter: 0), .engineRunning), (Self.vehicle(speed: 3), .vehicleMoving),
        ] as [(FakeVehicle, CommandResponse.Reason)] {
            let result = try await Self.run(#"{"requests": ["2F110203"], "ecu": "7E0"}"#, on: vehicle)
            #expect(result.state == .refused && result.reason == reason)
            #expect(!vehicle.asked.contains { $0.request.hasPrefix("send") })
        }
        // The engine starts between two requests.
        let vehicle = Self.vehicle(runsAfter: 1)
        let result = try await Self.run(#"{"requests": ["2EF19001", "2EF19002"], "ecu": "7E0"}"#, on: vehicle)
        #expect(result.state == .failed && result.reason == .engineRunning)
        #expect(vehicle.asked.filter { $0.request.hasPrefix("send") }.map(\.request) == ["send 2E F1 90 01"])
    }

    @Test("A request that clears is sent only after the data that it erases was stored", arguments: ["04", "14FFFFFF"])
    func clears(request: String) async throws {
        let vehicle = Self.vehicle()
        #expect(try await Self.run(#"{"requests": ["\#(request)"]}"#, on: vehicle).state == .succeeded)
        let asked = vehicle.asked.map(\.request)
        #expect(
            asked.prefix(10) == [
                "keep", "01 0C", "01 0D", "codes", "monitors", "keep", "codes", "01 0C", "01 0D", "prove",
            ]
        )
        #expect(asked[10].hasPrefix("send") && vehicle.kept.map(\.event) == [.rawRequest, .beforeClear, .rawRequest])

        let full = Self.vehicle(keeps: false)
        let result = try await Self.run(#"{"requests": ["\#(request)"]}"#, on: full)
        #expect(result.state == .refused && result.reason == .notKept)
        #expect(!full.asked.contains { $0.request.hasPrefix("send") })
    }

    @Test("Codes that appear while the erased data is being stored stop the clear", arguments: ["04", "14FFFFFF"])
    func codesChanged(request: String) async throws {
        let looks = Mutex(0)
        let vehicle = Self.vehicle(codes: { () throws(VehicleError) in
            let look = looks.withLock {
                $0 += 1
                return $0
            }
            return ClearCodesTests.codes(look == 1 ? [] : [("P0301", [.pending])])
        })
        let result = try await Self.run(#"{"requests": ["\#(request)"]}"#, on: vehicle)
        #expect(result.state == .refused && result.reason == .codesChanged)
        #expect(!vehicle.asked.contains { $0.request.hasPrefix("send") })
    }

    @Test("A request that writes needs an ECU; a clear goes to all")
    func needsDestination() async {
        let refusal = await Self.refusal(#"{"requests": ["010C", "31010203"]}"#)
        #expect(refusal?.reason == .badArguments && refusal?.message.contains("$.arguments.ecu") == true)
        #expect(await Self.refusal(#"{"requests": ["04"]}"#) == nil)
    }

    @Test(
        "Some services can never be allowed",
        arguments: [
            "1101", "2701", "280301", "2901", "34", "35", "3601", "37", "38", "3D", "2312", "8502", "1002", "1085",
            "10", "BA", "00", "7F",
        ]
    )
    func forbidden(request: String) async {
        let refusal = await Self.refusal(#"{"requests": ["0100", "\#(request)"]}"#)
        #expect(refusal?.reason == .serviceForbidden && refusal?.message.contains("forbidden") == true)
    }

    @Test(
        "Only requests of one frame are accepted, and only addresses that determine the answering ECU",
        arguments: [
            #"{"requests": []}"#, #"{"requests": [""]}"#, #"{"requests": ["010"]}"#, #"{"requests": ["ATZ"]}"#,
            #"{"requests": ["AT Z"]}"#, #"{"requests": ["0100\r"]}"#, #"{"requests": ["0102030405060708"]}"#,
            #"{"requests": ["+1+1"]}"#, #"{"requests": ["0100"], "hold": 301}"#, "{}",
            #"{"requests": ["0100"], "ecu": "ATZ"}"#, #"{"requests": ["0100"], "ecu": "7FF"}"#,
            #"{"requests": ["0100"], "ecu": "12345678"}"#,
        ]
    )
    func malformed(arguments: String) async {
        #expect(await Self.refusal(arguments)?.reason == .badArguments)
    }

    @Test("A command has at most 32 requests, and its result at most 16 KiB of answers")
    func bounds() async throws {
        let many = [String](repeating: #""0902""#, count: 33).joined(separator: ",")
        #expect(await Self.refusal("{\"requests\": [\(many)]}")?.reason == .badArguments)
        let vehicle = Self.vehicle { _ in ["7E8": .positive([[UInt8](repeating: 0x49, count: 4095)])] }
        let five = [String](repeating: #""0902""#, count: 5).joined(separator: ",")
        let result = try await Self.run("{\"requests\": [\(five)]}", on: vehicle)
        #expect(result.state == .succeeded)
        #expect((result.result?.text.utf8.count ?? 0) < 2 * 16_384 + 2000)
        #expect(result.result?.text.contains(#""truncated":true"#) == true)
    }

    @Test("A missing answer, and an impossible address, have reasons of their own")
    func silence() async throws {
        let silent = Self.vehicle { _ in [:] }
        #expect(try await Self.run(#"{"requests": ["0100"]}"#, on: silent).reason == .noAnswer)
        // A request that suppresses its answer succeeds without one.
        #expect(try await Self.run(#"{"requests": ["3E80"]}"#, on: silent).state == .succeeded)
        let elsewhere = try await Self.run(#"{"requests": ["0100"], "ecu": "18DA10F1"}"#, on: silent)
        #expect(elsewhere.state == .refused && elsewhere.reason == .notSupported)
    }

    @Test("A vehicle that is lost during a request leaves a record of that request")
    func lost() async throws {
        let vehicle = Self.vehicle { (request) throws(VehicleError) in
            if request.payload[0] == 0x2E { throw .lost("the adapter is gone") }
            return ["7E8": .positive([[0x41, 0x0C, 0, 0]])]
        }
        let result = try await Self.run(#"{"requests": ["010C", "2EF19001", "010D"], "ecu": "7E0"}"#, on: vehicle)
        #expect(result.state == .failed && result.reason == .linkLost)
        #expect(result.message == "2E F1 90 01 was sent, but its outcome is unknown: the adapter is gone")
        #expect(vehicle.kept.count == 3)
        #expect(
            vehicle.kept.last?.exchange
                == ["request": "2EF19001", "answers": [:], "problem": "the adapter is gone"]
        )
    }
}
