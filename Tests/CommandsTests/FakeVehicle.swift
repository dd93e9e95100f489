// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Synchronization

@testable import Commands

/// A vehicle with prepared answers, which records the requests.
final class FakeVehicle: VehicleAccess, Bus {
    let layout = MessageLayout.can
    let dialect: Dialect
    let ecus = ["7E8", "7E9"]
    /// The name of the vehicle at the adapter; each lease begins with it.
    let name = Mutex("van")
    private let leased = Mutex("van")
    private let proof: @Sendable () throws(VehicleError) -> VehicleProof
    private let reply: @Sendable (Request) throws(VehicleError) -> [String: ECUReply]
    private let sent: @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply]
    private let codes: @Sendable () throws(VehicleError) -> CodesReport
    private let refusal: VehicleError?
    private let monitors: MonitorsReport?
    private let keeps: Bool
    private let conventions: ECUConventions
    private let facts: DriveFacts
    private let models: @Sendable (String?, Int?) throws(Refusal) -> ModelSearch
    private let events = Mutex<[AgentEvent]>([])
    private let recorded = Mutex<[(finding: Finding, vehicle: String)]>([])
    private let log = Mutex<[(request: String, answers: [String: ECUReply])]>([])

    init(
        refusing refusal: VehicleError? = nil,
        dialect: Dialect = .j1979,
        monitors: MonitorsReport? = nil,
        keeps: Bool = true,
        conventions: ECUConventions = .standard,
        facts: DriveFacts = DriveFacts(),
        models: @escaping @Sendable (String?, Int?) throws(Refusal) -> ModelSearch = { _, _ in
            ModelSearch(makes: [], year: nil, candidates: [])
        },
        proof: @escaping @Sendable () throws(VehicleError) -> VehicleProof = { .same },
        codes: @escaping @Sendable () throws(VehicleError) -> CodesReport = { ClearCodesTests.codes() },
        sent: @escaping @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply] = { _ in [:] },
        reply: @escaping @Sendable (Request) throws(VehicleError) -> [String: ECUReply] = { _ in [:] }
    ) {
        self.sent = sent
        self.refusal = refusal
        self.dialect = dialect
        self.monitors = monitors
        self.keeps = keeps
        self.conventions = conventions
        self.facts = facts
        self.models = models
        self.proof = proof
        self.codes = codes
        self.reply = reply
    }

    func pid(of parameter: PID) -> PID { self.conventions.oxygenSensors.counterpart(of: parameter) }

    func conventions(of ecu: String) -> ECUConventions { self.conventions }

    /// The events that were recorded.
    var kept: [AgentEvent] { self.events.withLock { $0 } }

    /// The findings that were recorded, each with its vehicle.
    var findings: [(finding: Finding, vehicle: String)] { self.recorded.withLock { $0 } }

    var asked: [(request: String, answers: [String: ECUReply])] { self.log.withLock { $0 } }

    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        if let refusal { throw refusal }
        let name = self.name.withLock { $0 }
        self.leased.withLock { $0 = name }
        return try await body(self)
    }

    func select(_ wish: SelectionRequest, of vehicle: String) async throws(Refusal) -> SelectionResult {
        var polled = try wish.resolved(from: SelectionState(Selection(intervals: [:])), pollable: [0x0C, 0x0D])
        polled.version = 2
        return (polled, [.custom("boost")], [0x0C: .milliseconds(750)])
    }

    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>? {
        self.refusal == nil ? Set(keys.prefix(1)) : nil
    }

    func wake(for duration: Duration) async throws(VehicleError) {
        self.log.withLock { $0.append(("wake \(duration.seconds)", [:])) }
        if let refusal { throw refusal }
    }

    func keep(_ event: AgentEvent) async -> String? {
        self.events.withLock { $0.append(event) }
        self.log.withLock { $0.append(("keep", [:])) }
        return self.keeps ? nil : "the disk is full"
    }

    func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> String? {
        if let refusal { throw refusal }
        self.recorded.withLock { $0.append((finding, vehicle)) }
        return self.keeps ? nil : "the disk is full"
    }

    func modelSearch(make: String?, year: Int?) async throws(Refusal) -> ModelSearch {
        try self.models(make, year)
    }

    func describe() async -> VehicleReport? { nil }

    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUReply] {
        self.log.withLock { $0.append((request.description, [:])) }
        let answers = try self.reply(request)
        self.log.withLock { $0[$0.count - 1].answers = answers }
        return answers
    }

    var vehicle: CommandExecutor.Vehicle { CommandExecutor.Vehicle(name: self.leased.withLock { $0 }, vin: nil) }

    func proveVehicle() async throws(VehicleError) -> VehicleProof {
        self.log.withLock { $0.append(("prove", [:])) }
        return try self.proof()
    }

    func letPollPass() async throws(VehicleError) {}

    var driveFacts: DriveFacts { self.facts }

    func pause(for duration: Duration) async throws(VehicleError) {
        self.log.withLock { $0.append(("pause \(duration.seconds)", [:])) }
    }

    func reaches(_ destination: Destination?) -> Bool { destination?.header != .can29(0x18DA_10F1) }

    func send(_ request: RawRequest, to destination: Destination?) async throws(VehicleError) -> RawReply {
        self.log.withLock { $0.append(("send \(request)", [:])) }
        return RawReply(try self.sent(request))
    }

    func hold(_ duration: Duration) async {
        self.log.withLock { $0.append(("hold \(duration.seconds)", [:])) }
    }

    func readMonitors() async throws(VehicleError) -> MonitorsReport? {
        self.log.withLock { $0.append(("monitors", [:])) }
        return self.monitors
    }

    func readVehicle() async throws(VehicleError) -> VehicleReport {
        self.log.withLock { $0.append(("vehicle", [:])) }
        return VehicleReport(
            time: Timestamp(milliseconds: 0),
            vin: nil,
            protocol: "ISO 9141-2",
            dialect: .j1979,
            ecus: [],
            selected: [:],
            deadBands: [:],
            selectionVersion: 1,
            unsupported: []
        )
    }

    func read(_ key: ParameterKey) async throws(VehicleError) -> ParameterValues {
        self.log.withLock { $0.append((key.name, [:])) }
        guard key.name == "charge" || key == 0x0C, let formula = try? Formula("A") else {
            return ParameterValues()
        }
        let field = Field(custom: key.name, formula, symbol: "%")
        return ParameterValues(["7EC": FieldValue(field: field, value: .number(80.5))])
    }

    func readCodes() async throws(VehicleError) -> CodesReport {
        self.log.withLock { $0.append(("codes", [:])) }
        return try self.codes()
    }
}
