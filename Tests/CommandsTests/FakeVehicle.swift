// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Synchronization

@testable import Commands

/// A vehicle with prepared answers, which records the requests.
final class FakeVehicle: VehicleAccess {
    let bus: FakeBus
    /// The name of the vehicle at the adapter; each lease begins with it.
    let name = Mutex("van")
    /// The results of detections that were taken over, each with its vehicle.
    let detections = Mutex<[(course: DetectionCourse, vehicle: String)]>([])
    /// The signal set that is polled after a detection.
    let polledSet: String?
    private let refusal: VehicleError?
    private let resendRefusal: Refusal?
    private let keeps: Bool
    private let models: @Sendable (String?, Int?) throws(Refusal) -> ModelSearch
    private let events = Mutex<[AgentEvent]>([])
    private let recorded = Mutex<[(finding: Finding, vehicle: String)]>([])

    init(
        refusing refusal: VehicleError? = nil,
        dialect: Dialect = .j1979,
        monitors: MonitorsReport? = nil,
        refusingResend resendRefusal: Refusal? = nil,
        keeps: Bool = true,
        conventions: ECUConventions = .standard,
        facts: DriveFacts = DriveFacts(),
        polledSet: String? = nil,
        models: @escaping @Sendable (String?, Int?) throws(Refusal) -> ModelSearch = { _, _ in
            ModelSearch(makes: [], year: nil, candidates: [])
        },
        proof: @escaping @Sendable () throws(VehicleError) -> VehicleProof = { .same },
        codes: @escaping @Sendable () throws(VehicleError) -> CodesReport = { ClearCodesTests.codes() },
        sent: @escaping @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply] = { _ in [:] },
        reply: @escaping @Sendable (Request) throws(VehicleError) -> [String: ECUReply] = { _ in [:] }
    ) {
        self.bus = FakeBus(
            dialect: dialect,
            monitors: monitors,
            conventions: conventions,
            facts: facts,
            proof: proof,
            codes: codes,
            sent: sent,
            reply: reply
        )
        self.polledSet = polledSet
        self.refusal = refusal
        self.resendRefusal = resendRefusal
        self.keeps = keeps
        self.models = models
    }

    /// The events that were recorded.
    var kept: [AgentEvent] { self.events.withLock { $0 } }

    /// The findings that were recorded, each with its vehicle.
    var findings: [(finding: Finding, vehicle: String)] { self.recorded.withLock { $0 } }

    var asked: [(request: String, answers: [String: ECUReply])] { self.bus.asked }

    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success {
        if let refusal { throw refusal }
        let name = self.name.withLock { $0 }
        self.bus.leased.withLock { $0 = name }
        return try await body(self.bus)
    }

    func select(_ wish: SelectionRequest, of vehicle: String) async throws(Refusal) -> SelectionResult {
        var polled = try wish.resolved(from: SelectionState(Selection(intervals: [:])), pollable: [0x0C, 0x0D])
        polled.version = 2
        return (polled, [.custom("boost")], [0x0C: .milliseconds(750)])
    }

    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>? {
        self.refusal == nil ? Set(keys.prefix(1)) : nil
    }

    func capture(
        _ order: CaptureOrder,
        by id: String,
        issuer: String?,
        of vehicle: String
    ) async throws(VehicleError) {
        if let refusal { throw refusal }
        self.bus.note("capture \(id) \(issuer ?? "-") \(vehicle)")
    }

    func wake(for duration: Duration) async throws(VehicleError) {
        self.bus.note("wake \(duration.seconds)")
        if let refusal { throw refusal }
    }

    func keep(_ event: AgentEvent) async -> String? {
        self.events.withLock { $0.append(event) }
        self.bus.note("keep")
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

    func detected(_ course: DetectionCourse, of vehicle: String) async -> String? {
        self.detections.withLock { $0.append((course, vehicle)) }
        return self.polledSet
    }

    func resend(_ request: ResendArguments) async throws(Refusal) -> ResendReport {
        if let resendRefusal { throw resendRefusal }
        let numbers = request.numbers
        return ResendReport(
            request.stream,
            epoch: request.epoch,
            from: numbers.lowerBound,
            to: numbers.upperBound,
            records: numbers.count - 1,
            missing: [numbers.upperBound...numbers.upperBound],
            last: numbers.upperBound
        )
    }

    func describe() async -> VehicleReport? { nil }

    func packages() async -> JSON { ["available": ["0.2.0"], "rolled_back": []] }
}
