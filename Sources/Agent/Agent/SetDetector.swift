// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import Logging
import OBD2
import Parking
import Session

/// Detects the model of each vehicle once, as soon as the vehicle runs.
actor SetDetector {
    private let sets: DetectedSets
    private let vehicle: ConnectedVehicle
    private let access: VehicleBridge
    private let session: Session
    private let clock: any CalendarClock
    private let logger: Logger
    /// The vehicle that was looked at last.
    private var name = ""
    /// Whether this vehicle is not asked by this process any more.
    private var isSettled = false
    /// The time of the next attempt, after one that found the vehicle switched off or lost.
    private var nextAttempt = MonotonicTime.zero
    private var backoff = SetDetector.newBackoff
    /// Ends the present wait when the vehicle or its use has changed.
    private let timer = InterruptibleTimer()

    private static let shortestPause = Duration.seconds(60)
    private static var newBackoff: Backoff { Backoff(first: .seconds(60), limit: .seconds(3600)) }

    init(_ sets: DetectedSets, _ vehicle: ConnectedVehicle, _ access: VehicleBridge, session: Session) {
        (self.sets, self.vehicle, self.access, self.session) = (sets, vehicle, access, session)
        (self.clock, self.logger) = (sets.clock, sets.logger)
    }

    /// Notes that another vehicle is identified, or that its use has changed.
    func vehicleChanged() { self.timer.interrupt() }

    /// Detects until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let next = await self.detectIfDue()
            await self.timer.wait(until: next, on: self.clock)
        }
    }

    /// - Returns: the time of the next attempt; nil if only a change of the vehicle may lead to one.
    private func detectIfDue() async -> MonotonicTime? {
        let presence = self.vehicle.presence
        guard let identity = presence.identity, identity.isMapped else { return nil }
        if presence.name != self.name {
            (self.name, self.isSettled) = (presence.name, false)
            (self.nextAttempt, self.backoff) = (.zero, Self.newBackoff)
        }
        guard !self.isSettled, await self.isInUse(identity) else { return nil }
        guard self.nextAttempt <= self.clock.now else { return self.nextAttempt }
        guard await self.sets.isDetectionDue(of: presence.name) else {
            self.isSettled = true
            return nil
        }
        self.isSettled = await self.detect(presence.name)
        guard !self.isSettled else { return nil }
        self.nextAttempt = self.clock.now + Self.shortestPause + self.backoff.next()
        return self.nextAttempt
    }

    /// Whether the vehicle may run: its state says so, or it does not report its engine.
    private func isInUse(_ identity: VehicleIdentity) async -> Bool {
        switch await self.session.parkingReport.ignition {
        case .running: true
        case .on: !identity.supports(0x0C)
        case .charging, .off, .unknown: false
        }
    }

    /// - Returns: whether there is nothing more to find out about this vehicle.
    private func detect(_ name: String) async -> Bool {
        do throws(VehicleError) {
            let (access, clock) = (self.access, self.clock)
            let course = try await access.withBus { bus throws(VehicleError) in
                guard bus.vehicle.name == name else { throw .lost("another vehicle is connected") }
                return try await DetectionCourse(on: bus, clock) { () throws(Refusal) in
                    try await access.modelSearch(make: nil, year: nil)
                }
            }
            await access.detected(course, of: name)
            return course.refusal == nil
        } catch {
            switch error {
            case .refused(let refusal) where refusal.reason != .parked:
                self.logger.notice("The model of the vehicle is not detected: \(refusal.message)")
                return true
            default:
                self.logger.debug("The model of the vehicle is not detected yet: \(error)")
                return false
            }
        }
    }
}

/// Runs the detector until the agent stops.
struct DetectionService: Service {
    let detector: SetDetector

    func run(until stop: StopRequest) async {
        await stop.cancelling { await self.detector.run() }
    }
}
