// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// The detection of the model.
extension CommandRunner {
    /// Asks the vehicle for the requests of its make's models, and returns the models that fit best.
    func detect(
        _ make: String?,
        _ year: Int?,
        _ judge: @escaping Judge,
        _ running: @escaping Running
    ) async throws(VehicleError) -> CommandResult {
        let access = self.access
        let clock = self.clock
        let (course, vehicle) = try await self.withBus(judge, running) { bus throws(VehicleError) in
            let course = try await DetectionCourse(on: bus, clock) { () throws(Refusal) in
                try await access.modelSearch(make: make, year: year)
            }
            return (course, bus.vehicle.name)
        }
        let set = await access.detected(course, of: vehicle)
        return Self.result(of: course, polling: set)
    }

    private static func result(of course: DetectionCourse, polling set: String?) -> CommandResult {
        let (detection, models) = (course.detection, course.search.candidates.count)
        var report = detection.report(of: course.search)
        report["complete"] = .bool(course.isComplete)
        report["signal_set"] = set.map { .string($0) } ?? .null
        guard !detection.proposals.isEmpty else {
            return CommandResult(
                state: .failed,
                reason: .noAnswer,
                message: "The vehicle answered none of \(detection.counts.all) requests of "
                    + "\(models.counted("model")). "
                    + (course.refusal?.message ?? "Try: another make."),
                result: .object(report)
            )
        }
        return CommandResult(state: .succeeded, result: .object(report))
    }
}
