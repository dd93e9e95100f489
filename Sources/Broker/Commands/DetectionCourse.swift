// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import ELM327
package import OBD2

/// A detection of the model over the leased bus of a vehicle.
package struct DetectionCourse: Sendable {
    /// The models that were searched.
    package let search: ModelSearch
    package let detection: ModelDetection
    /// Whether all requests that tell the models apart were asked.
    package let isComplete: Bool
    /// The reason why the vehicle was not asked further; nil if the detection or its time has ended.
    package let refusal: Refusal?

    /// Asks the vehicle for requests of the models until they are told apart.
    ///
    /// - Parameter models: returns the models that the vehicle may be.
    /// - Throws: `.refused` if the vehicle must not be asked, or if its bus carries none of the requests.
    package init(
        on bus: any Bus,
        _ clock: any CalendarClock,
        _ models: () async throws(Refusal) -> ModelSearch
    ) async throws(VehicleError) {
        guard bus.dialect != .j1939 else {
            throw .refused(Refusal(reason: .notSupported, message: "A vehicle on J1939 has no signal sets."))
        }
        // The VIN is that of the vehicle on the leased bus, so the catalog is read during the lease.
        let search: ModelSearch
        do throws(Refusal) { search = try await models().limited { bus.reaches($0) } } catch { throw .refused(error) }
        guard search.hasRequests else {
            let message =
                "The bus of this vehicle carries none of the requests of "
                + "\(search.candidates.count.counted("model"))."
            throw .refused(Refusal(reason: .notSupported, message: message))
        }
        if let refusal = try await Self.refusalOfIdleVehicle(bus) { throw .refused(refusal) }
        let run = try await ModelDetectionRun(search, clock: clock) { request, _ throws(VehicleError) in
            guard let raw = try? RawRequest(payload: request.payload, to: request.destination) else {
                return .undetermined
            }
            let reply = try await bus.send(raw, to: request.destination)
            return ModelDetection.Answer(reply.answers.values, silence: reply.problem == nil ? .silent : .undetermined)
        } pause: { duration throws(VehicleError) in
            try await bus.letPollPass()
            try await bus.pause(for: duration)
        } check: { () throws(VehicleError) in
            try await Self.refusalOfIdleVehicle(bus)
        }
        self.search = search
        (self.detection, self.isComplete, self.refusal) = (run.detection, run.isComplete, run.refusal)
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
