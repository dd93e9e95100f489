// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A detection of a vehicle's model: the answers, and the reason why it ended.
package struct ModelDetectionRun: Sendable {
    /// The pause after each request, so that the vehicle gets at most five a second.
    private static let pause = Duration.milliseconds(200)
    /// The longest time of a detection.
    private static let timeout = Duration.seconds(60)
    /// The number of requests after which the vehicle's use is checked again.
    private static let checkInterval = 10

    package let detection: ModelDetection
    /// Whether nothing was left to ask.
    package let isComplete: Bool
    /// The reason why the vehicle may no longer be asked; nil if the detection ended for another one.
    package let refusal: Refusal?

    /// Asks the vehicle for requests of the models until they are told apart, or until the time is over.
    ///
    /// - Parameters:
    ///   - search: the models; their requests only read.
    ///   - ask: sends a request.
    ///   - pause: waits, and sends nothing for the detection meanwhile.
    ///   - check: returns the reason why the vehicle may not be asked any more, such as an engine that is off.
    package init<Failure: Error>(
        _ search: ModelSearch,
        clock: any MonotonicClock,
        ask: (CustomRequest, _ count: Int) async throws(Failure) -> ModelDetection.Answer,
        pause: (Duration) async throws(Failure) -> Void,
        check: () async throws(Failure) -> Refusal?
    ) async throws(Failure) {
        let deadline = clock.now + Self.timeout
        var detection = ModelDetection(search.candidates)
        var step = detection.begin()
        var refusal: Refusal?
        while refusal == nil, case .ask(let request) = step, clock.now < deadline {
            step = detection.answered(try await ask(request, detection.counts.all + 1))
            try await pause(Self.pause)
            if step != .finished, detection.counts.all.isMultiple(of: Self.checkInterval) {
                refusal = try await check()
            }
        }
        (self.detection, self.isComplete, self.refusal) = (detection, step == .finished, refusal)
    }
}
