// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2

// The detection of the model.
extension CommandRunner {
    /// The pause after each request, so that the vehicle gets at most five a second besides the polls.
    private static let detectionPause = Duration.milliseconds(200)
    /// The longest time of a detection.
    private static let detectionTimeout = Duration.seconds(60)
    /// The number of requests after which the vehicle's use is checked again.
    private static let detectionCheckInterval = 10

    /// Asks the vehicle for the requests of its make's models, and returns the models that fit best.
    func detect(
        _ make: String?,
        _ year: Int?,
        _ judge: @escaping Judge,
        _ running: @escaping Running
    ) async throws(VehicleError) -> CommandResult {
        let access = self.access
        let clock = self.clock
        return try await self.withBus(judge, running) { bus throws(VehicleError) in
            guard bus.dialect != .j1939 else {
                throw .refused(Refusal(reason: .notSupported, message: "A vehicle on J1939 has no signal sets."))
            }
            // The VIN is that of the vehicle on the leased bus, so the catalog is read during the lease.
            let search: ModelSearch
            do throws(Refusal) {
                search = try await access.modelSearch(make: make, year: year).limited { bus.reaches($0) }
            } catch {
                throw .refused(error)
            }
            guard search.hasRequests else {
                let message =
                    "The bus of this vehicle carries none of the requests of \(search.candidates.count) models."
                throw .refused(Refusal(reason: .notSupported, message: message))
            }
            if let refusal = try await Self.refusalOfIdleVehicle(bus) { throw .refused(refusal) }
            return try await Self.detect(search, on: bus, until: clock.now + Self.detectionTimeout, clock)
        }
    }

    private static func detect(
        _ search: ModelSearch,
        on bus: any Bus,
        until deadline: MonotonicTime,
        _ clock: any CalendarClock
    ) async throws(VehicleError) -> CommandResult {
        var detection = ModelDetection(search.candidates)
        var step = detection.begin()
        var refusal: Refusal?
        while case .ask(let request) = step, clock.now < deadline {
            guard let raw = try? RawRequest(payload: request.payload, to: request.destination) else {
                step = detection.answered(.undetermined)
                continue
            }
            step = detection.answered(Self.answer(try await bus.send(raw, to: request.destination)))
            try await bus.letPollPass()
            try await bus.pause(for: Self.detectionPause)
            if step != .finished, detection.counts.all.isMultiple(of: Self.detectionCheckInterval) {
                refusal = try await Self.refusalOfIdleVehicle(bus)
                if refusal != nil { break }
            }
        }
        return Self.result(of: detection, search, isComplete: step == .finished, stoppedBy: refusal)
    }

    private static func answer(_ reply: RawReply) -> ModelDetection.Answer {
        var answer = reply.problem == nil ? ModelDetection.Answer.silent : .undetermined
        for ecu in reply.answers.values {
            switch ecu {
            case .positive: return .positive
            case .negative(let code): answer = ModelDetection.Answer(negative: code)
            }
        }
        return answer
    }

    private static func result(
        of detection: ModelDetection,
        _ search: ModelSearch,
        isComplete: Bool,
        stoppedBy refusal: Refusal?
    ) -> CommandResult {
        var report = detection.report(of: search)
        report["complete"] = .bool(isComplete)
        guard !detection.proposals.isEmpty else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "The vehicle answered none of \(detection.counts.all) requests "
                    + "of \(search.candidates.count) models. " + (refusal?.message ?? "Try: another make."),
                result: .object(report)
            )
        }
        return CommandResult(state: .succeeded, result: .object(report))
    }

    /// Returns the reason why the vehicle gets no extra requests, because engine and drive are off; nil if one is on.
    ///
    /// The bus of a vehicle that tells neither engine speed nor readiness is leased only while the vehicle is in use,
    /// so nothing else is asked of it.
    private static func refusalOfIdleVehicle(_ bus: any Bus) async throws(VehicleError) -> Refusal? {
        let facts = bus.driveFacts
        guard facts.hasEngineSpeed || !facts.ready.isEmpty else { return nil }
        var standstill = Standstill(facts)
        var step = standstill.begin()
        while true {
            switch step {
            case .ask(let request): step = standstill.answered(try await bus.ask(request))
            case .read(let key): step = standstill.read(try await bus.read(key))
            case .pause(let duration):
                try await bus.pause(for: duration)
                step = standstill.paused()
            case .refused(.engineRunning, _), .refused(.driveEnabled, _), .refused(.vehicleMoving, _): return nil
            case .stands:
                return Refusal(
                    reason: .parked,
                    message: facts.hasEngineSpeed
                        ? "The engine is off, so the vehicle is not asked. Try: again, once it runs."
                        : "The drive is off, so the vehicle is not asked. Try: again, with the vehicle switched on."
                )
            case .refused(let reason, let message): return Refusal(reason: reason, message: message)
            }
        }
    }
}
