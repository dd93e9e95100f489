// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// An event of an agent.
package struct CollectedEvent: Hashable, Sendable {
    /// The kind of the event, such as `code_appeared`; also one that this program does not know.
    package var event: String
    /// The payload as JSON without NUL; of a capture without its readings.
    package var body: [UInt8]
    /// The facts that have a table or an effect of their own; nil for other events.
    package var detail: Detail?

    /// The part of an event that has a table or an effect of its own.
    package enum Detail: Hashable, Sendable {
        case codeChange(CodeChange)
        case trip(CollectedTrip)
        case capture(CollectedCapture)
        /// Records of a stream will never come.
        case recordsDropped(RecordStream, epoch: UInt64, ClosedRange<UInt64>)
        /// An epoch begins; the agent has records of this earlier one.
        case started(after: UInt64)
    }

    /// A change of the trouble codes or of the malfunction indicator lamp.
    package struct CodeChange: Hashable, Sendable {
        package var code: String?
        package var ecu: String?
        /// The states as JSON; nil if the event has none.
        package var states: [UInt8]?
        package var description: String?
    }

    package init(event: String, body: [UInt8], detail: Detail? = nil) {
        self.event = event
        self.body = body
        self.detail = detail
    }
}

/// The figures of a finished trip.
package struct CollectedTrip: Hashable, Sendable {
    /// The seconds.
    package var duration: Double
    package var moving: Double
    package var idling: Double
    package var stopped: Double
    package var unobserved: Double
    /// The other figures; nil for one that is unknown.
    package var figures: [TripFigure: Double]
    /// The trip as JSON.
    package var body: [UInt8]
}

/// A capture with its readings.
package struct CollectedCapture: Hashable, Sendable {
    /// The capture without the readings.
    package var report: CaptureReport
    package var series: [CollectedRecord.Series]
    /// The capture as JSON without its readings.
    package var body: [UInt8]
}
