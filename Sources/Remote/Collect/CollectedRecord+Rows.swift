// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

// The rows of a record, with the values of the tables' columns.
extension CollectedRecord {
    /// The series of the samples; empty without samples.
    var series: [Series] {
        switch self.content {
        case .telemetry(let series, _): series
        case .event(let event): if case .capture(let capture) = event.detail { capture.series } else { [] }
        case .response: []
        }
    }

    /// Whether the agent has sent the record again because a collector asked for it.
    package var isAgain: Bool {
        self.message.properties.userProperties.contains { $0.name == "again" && $0.value == "1" }
    }

    private var number: [ColumnValue] {
        [
            .text(self.key.agent), .integer(Int64(clamping: self.key.epoch)), .integer(Int64(clamping: self.seq)),
        ]
    }

    private var start: [ColumnValue] {
        self.number + [.text(self.vehicle), .time(self.time), .bool(self.isSynchronised)]
    }

    func row(of point: Telemetry.TrackPoint) -> [ColumnValue] {
        [
            .text(self.vehicle), .time(point.time), .bool(self.isSynchronised), .real(point.latitude),
            .real(point.longitude), .bool(point.followsGap),
        ]
    }

    func row(of event: CollectedEvent) -> [ColumnValue] { self.start + [.text(event.event), .json(event.body)] }

    func row(of event: CollectedEvent, _ change: CollectedEvent.CodeChange) -> [ColumnValue] {
        self.start + [
            .text(event.event), ColumnValue(change.code), ColumnValue(change.ecu),
            change.states.map { .json($0) } ?? .null, ColumnValue(change.description),
        ]
    }

    func row(of trip: CollectedTrip) -> [ColumnValue] {
        let start = Timestamp(milliseconds: self.time.milliseconds - Int64((trip.duration * 1000).rounded()))
        return self.start + [
            .time(start), .real(trip.duration), .real(trip.moving), .real(trip.idling), .real(trip.stopped),
            .real(trip.unobserved),
        ] + TripFigure.allCases.map { trip.figures[$0].map { .real($0) } ?? .null } + [.json(trip.body)]
    }

    func row(of capture: CollectedCapture) -> [ColumnValue] {
        let report = capture.report
        return self.start + [
            .text(report.rule), .text(report.trigger.rawValue), ColumnValue(report.code), ColumnValue(report.ecu),
            .real(report.before), .real(report.after), .text(report.ended.rawValue), .json(capture.body),
        ]
    }

    func rows(of series: Series, _ id: Int64) -> [[ColumnValue]] {
        zip(series.times, series.values).map { time, value in
            self.number + [.text(self.vehicle), .time(Timestamp(milliseconds: time)), .integer(id), .real(value)]
        }
    }

    func row(of answer: CollectedResponse) -> [ColumnValue] {
        let response = answer.response
        return self.start + [
            ColumnValue(response.id), ColumnValue(response.command), .text(response.state.rawValue),
            ColumnValue(response.reason?.rawValue), .json(answer.body),
        ]
    }
}

extension RejectedMessage {
    /// The largest number of kept bytes of a payload.
    private static let payloadLimit = 64 << 10

    /// The row of the table `rejected`.
    var row: [ColumnValue] {
        [
            .time(self.time), .text(self.message.topic.description),
            .bytes(Array(self.message.payload.prefix(Self.payloadLimit))),
            .text(Printable.text(self.reason, limit: 500)),
        ]
    }
}

extension ColumnValue {
    fileprivate init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }
}
