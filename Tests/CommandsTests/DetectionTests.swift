// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Synchronization
import Testing

@testable import Commands

@Suite("The command detect_parameters")
struct DetectionTests {
    private static func models() throws -> [ModelCandidate] {
        let destination = try #require(Destination(header: .can11(0x7E4)))
        func model(_ name: String, _ identifiers: ClosedRange<UInt8>) throws -> ModelCandidate {
            ModelCandidate(
                model: name,
                requests: try identifiers.map {
                    try CustomRequest(payload: [0x22, 0x01, $0], destination: destination)
                }
            )
        }
        return [try model("Make One", 0...20), try model("Make Two", 10...30)]
    }

    /// A vehicle whose engine runs at `speed` units of 64 rpm, and that answers the requests of "Make Two".
    private static func vehicle(
        engine speed: @autoclosure @escaping @Sendable () -> UInt8 = 12,
        answeringFrom first: UInt8 = 10,
        facts: DriveFacts = DriveFacts(),
        dialect: Dialect = .j1979,
        polling set: String? = nil,
        refusing refusal: Refusal? = nil
    ) throws -> FakeVehicle {
        let models = try Self.models()
        return FakeVehicle(
            dialect: dialect,
            facts: facts,
            polledSet: set,
            models: { make, year throws(Refusal) in
                if let refusal { throw refusal }
                return ModelSearch(makes: [make ?? "Make"], year: year ?? 2021, candidates: models)
            },
            sent: { request in
                guard request.payload[2] >= first else { return ["7EC": .negative(0x31)] }
                return ["7EC": .positive([[0x62, 0x01, request.payload[2], 0]])]
            },
            reply: { request in
                request == .currentData(0x0C)
                    ? ["7E8": .positive([[0x41, 0x0C, speed(), 0]])] : ["7E8": .positive([[0x41, 0x0D, 0]])]
            }
        )
    }

    private static func run(_ arguments: String = "{}", on vehicle: FakeVehicle) async throws -> CommandResult {
        let text = """
            {"id": "d-1", "command": "detect_parameters", "arguments": \(arguments),
             "issued_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:05:00Z"}
            """
        let command = try CommandDecoder.decode(Array(text.utf8))
        return await CommandRunner(access: vehicle, clock: TestClock(), rules: CommandRules(), description: [:])
            .outcome(of: command, for: "van", judge: { _ in nil }) { _ in }
    }

    @Test("The models are listed with their shares, the best one first, and only reading requests are sent")
    func models() async throws {
        let vehicle = try Self.vehicle()
        let result = try await Self.run(on: vehicle)
        let report = try #require(result.result)
        #expect(result.state == .succeeded)
        #expect(report["models"].elements.first?["model"] == "Make Two")
        #expect(report["models"].elements.first?["share"] == 1.0)
        #expect(report["makes"] == ["Make"] && report["year"] == 2021 && report["complete"] == true)
        let sent = vehicle.asked.map(\.request).filter { $0.hasPrefix("send") }
        #expect(!sent.isEmpty && sent.count <= ModelDetection.requestLimit)
        #expect(sent.allSatisfy { $0.hasPrefix("send 22") })
        #expect(vehicle.asked.count { $0.request == "pause 0.2" } == sent.count)
    }

    @Test("The agent is told the result with the vehicle that was asked, and none if the vehicle was not asked")
    func told() async throws {
        let vehicle = try Self.vehicle()
        _ = try await Self.run(on: vehicle)
        let told = vehicle.detections.withLock { $0 }
        #expect(told.map(\.vehicle) == ["van"])
        guard case .set("Make Two", let proposal)? = told.first?.course.detection.choice else {
            Issue.record("no set was chosen")
            return
        }
        #expect(proposal.share == 1)
        let standing = try Self.vehicle(engine: 0)
        _ = try await Self.run(on: standing)
        #expect(standing.detections.withLock { $0.isEmpty })
    }

    @Test("The result tells which set the agent polls, and which models fit equally well")
    func polled() async throws {
        let chosen = try #require(try await Self.run(on: try Self.vehicle(polling: "Make Two")).result)
        #expect(chosen["signal_set"] == "Make Two" && chosen["best"] == ["Make Two"])
        let result = try #require(try await Self.run(on: try Self.vehicle()).result)
        #expect(result["signal_set"] == .null)
    }

    @Test("Make and model year of the arguments take precedence over those of the VIN")
    func arguments() async throws {
        let result = try await Self.run(#"{"make": "Kia", "year": 2023}"#, on: try Self.vehicle())
        #expect(result.result?["makes"] == ["Kia"] && result.result?["year"] == 2023)
    }

    @Test("A vehicle whose engine is off is not asked")
    func engineOff() async throws {
        let vehicle = try Self.vehicle(engine: 0)
        let result = try await Self.run(on: vehicle)
        #expect(result.state == .refused && result.reason == .parked)
        #expect(!vehicle.asked.contains { $0.request.hasPrefix("send") })
    }

    @Test("An electric vehicle that tells no readiness is asked while it is in use")
    func electric() async throws {
        let facts = DriveFacts(hasEngineSpeed: false, isElectric: true)
        #expect(try await Self.run(on: try Self.vehicle(engine: 0, facts: facts)).state == .succeeded)
    }

    @Test("A hybrid that stands with its engine off, or whose readiness is silent, is not asked")
    func hybrid() async throws {
        let silent: [ParameterKey] = [.custom("ready")]
        for facts in [
            DriveFacts(hasEngineSpeed: true, isElectric: true),
            DriveFacts(hasEngineSpeed: true, isElectric: true, ready: silent),
            DriveFacts(hasEngineSpeed: false, isElectric: true, ready: silent),
        ] {
            let vehicle = try Self.vehicle(engine: 0, facts: facts)
            let result = try await Self.run(on: vehicle)
            #expect(result.state == .refused && result.reason == (facts.ready.isEmpty ? .parked : .driveUnknown))
            #expect(!vehicle.asked.contains { $0.request.hasPrefix("send") })
        }
    }

    @Test("A detection ends when the engine is switched off meanwhile")
    func switchedOff() async throws {
        let checks = Atomic(0)
        let vehicle = try Self.vehicle(
            engine: checks.add(1, ordering: .relaxed).oldValue == 0 ? 12 : 0,
            answeringFrom: .max
        )
        let result = try await Self.run(on: vehicle)
        #expect(vehicle.asked.count { $0.request.hasPrefix("send") } == 10)
        #expect(result.state == .failed && result.message?.contains("The engine is off") == true)
        #expect(result.result?["complete"] == false && result.result?["asked"] == 10)
    }

    @Test("Requests that the bus does not carry are not counted as unanswered")
    func unreachable() async throws {
        let destination = try #require(Destination(header: .can29(0x18DA_10F1)))
        let request = try CustomRequest(payload: [0x22, 0x01, 0x01], destination: destination)
        let vehicle = FakeVehicle(models: { _, _ in
            ModelSearch(makes: [], year: nil, candidates: [ModelCandidate(model: "Make One", requests: [request])])
        })
        let result = try await Self.run(on: vehicle)
        #expect(result.state == .refused && result.reason == .notSupported)
    }

    @Test("Without a catalog and on J1939 the command is refused")
    func refused() async throws {
        let refusal = Refusal(.notSupported, "no signal sets")
        let result = try await Self.run(on: try Self.vehicle(refusing: refusal))
        #expect(result.state == .refused && result.reason == .notSupported && result.message == "no signal sets")
        let truck = try await Self.run(on: try Self.vehicle(dialect: .j1939))
        #expect(truck.state == .refused && truck.reason == .notSupported)
    }
}
