// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The fuel of a trip, from readings of the fuel rate.
struct TripFuel: Hashable, Sendable {
    /// The values of the fuel rate: the flow that the agent derives, and the rate of PID 5E itself.
    static let sources: Set = ["fuel_flow", "fuel_rate"]
    /// The unit of these values.
    static let unit = "L/h"

    /// The value whose readings are integrated; nil until the first one.
    private(set) var source: String?
    /// The used fuel, in L.
    var used = 0.0
    /// The time with a known fuel rate, in seconds.
    var watched = 0.0
    private var steps = ReadingSteps()

    init() {}

    /// Restores the fuel of a trip that an earlier process has begun.
    init(source: String?, used: Double, watched: Double) {
        (self.source, self.used, self.watched) = (source, used, watched)
    }

    /// Takes over a fuel rate.
    ///
    /// - Parameters:
    ///   - rate: in L/h.
    ///   - source: the name of the value; a second source counts only while the first one is silent.
    mutating func rateReceived(_ rate: Double, from source: String, at time: MonotonicTime) {
        guard rate.isFinite, rate >= 0 else { return }
        if let known = self.source, known != source, self.steps.recent(at: time) != nil { return }
        if self.source != source { self.steps = ReadingSteps() }
        self.source = source
        guard let step = self.steps.receive(rate, at: time) else { return }
        self.used += step.mean / 3600 * step.seconds
        self.watched += step.seconds
    }
}
