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
            if let refusal = try await Self.refusalOfIdleVehicle(bus) { throw .refused(refusal) }
            let search: ModelSearch
            do throws(Refusal) {
                search = try await access.modelSearch(make: make, year: year)
            } catch {
                throw .refused(error)
            }
            return try await Self.detect(search, on: bus, until: clock.now + Self.detectionTimeout, clock)
        }
    }

    private static func detect(
        _ search: ModelSearch,
        on bus: any Bus,
        until deadline: MonotonicTime,
        _ clock: any CalendarClock
    ) async throws(VehicleError) -> CommandResult {
        let candidates = search.candidates.map { candidate in
            ModelCandidate(
                model: candidate.model,
                requests: candidate.requests.filter { bus.reaches($0.destination) }
            )
        }
        var detection = ModelDetection(candidates)
        var step = detection.begin()
        while case .ask(let request) = step, clock.now < deadline {
            guard let raw = try? RawRequest(payload: request.payload, to: request.destination) else {
                step = detection.answered(.undetermined)
                continue
            }
            step = detection.answered(Self.answer(try await bus.send(raw, to: request.destination)))
            try await bus.letPollPass()
            try await bus.pause(for: Self.detectionPause)
        }
        return Self.result(of: detection, search, isComplete: step == .finished)
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
        isComplete: Bool
    ) -> CommandResult {
        var report = detection.report(of: search)
        report["complete"] = .bool(isComplete)
        guard !detection.proposals.isEmpty else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "The vehicle answered none of \(detection.counts.all) requests "
                    + "of \(search.candidates.count) models. Try: another make.",
                result: .object(report)
            )
        }
        return CommandResult(state: .succeeded, result: .object(report))
    }

    /// Returns the reason why the vehicle gets no extra requests, because engine and drive are off; nil if one is on.
    ///
    /// The bus of an electric vehicle without a parameter for readiness is leased only while the vehicle is in use, so
    /// nothing else is asked of it.
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
            case .stands where facts.isElectric && facts.ready.isEmpty: return nil
            case .refused(.driveUnknown, _) where facts.isElectric: return nil
            case .stands:
                return Refusal(
                    reason: .parked,
                    message: "The engine is off, so the vehicle is not asked. Try: again, once it runs."
                )
            case .refused(let reason, let message): return Refusal(reason: reason, message: message)
            }
        }
    }
}
