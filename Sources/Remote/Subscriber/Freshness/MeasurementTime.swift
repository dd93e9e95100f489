// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The time at which a value was measured, as far as a viewer can know it.
enum MeasurementTime: Hashable, Sendable {
    /// The largest time by which the agent's clock may be ahead of the viewer's.
    private static let lead = Duration.seconds(60)

    /// The message arrived while the viewer was subscribed.
    case arrived(MonotonicTime)
    /// The broker had kept the message, which has this time by the agent's clock.
    case told(Timestamp)
    /// The broker had kept the message, and the agent's clock was not set.
    case unknown

    /// - Parameters:
    ///   - payload: a payload with `time`, and with `quality` or `clock`.
    ///   - isRetained: whether the broker had kept the message.
    ///   - arrival: the time of its arrival.
    init(_ payload: JSON, isRetained: Bool, at arrival: MonotonicTime) {
        guard isRetained else {
            self = .arrived(arrival)
            return
        }
        let isUnset =
            payload["quality"].string == Quality.unsynchronised.rawValue
            || payload["clock"].string == ClockQuality.unsynchronised.rawValue
        self = isUnset ? .unknown : payload["time"].time.map { .told($0) } ?? .unknown
    }

    /// Returns the age of the value; nil if it is unknown, also because one of the two clocks is wrong.
    func age(at now: ViewerTime) -> Duration? {
        switch self {
        case .arrived(let time): max(.zero, now.monotonic - time)
        case .told(let time): now.date - time >= .zero - Self.lead ? max(.zero, now.date - time) : nil
        case .unknown: nil
        }
    }
}
