// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension MessageDecoder {
    mutating func event(
        _ json: JSON,
        of vehicle: String,
        at time: Timestamp
    ) throws(Fault) -> CollectedEvent {
        guard case .object(var members) = json, let name = json["event"].string, Self.isName(name, atMost: 64) else {
            throw Fault("\"event\" is no name")
        }
        var detail: CollectedEvent.Detail?
        switch AgentEvent.Kind(rawValue: name) {
        case .codeFound, .codeAppeared, .codeGone, .milOn, .milOff:
            detail = .codeChange(
                CollectedEvent.CodeChange(
                    code: json["code"].string,
                    ecu: json["ecu"].string,
                    states: json["states"].elements.isEmpty ? nil : Array(json["states"].text.utf8),
                    description: json["description"].string
                )
            )
        case .trip: detail = .trip(try Self.trip(json["trip"], at: time))
        case .capture:
            let capture = try self.capture(json["capture"], of: vehicle, at: time)
            detail = .capture(capture.content)
            members["capture"] = capture.rest
        case .recordsDropped: detail = try Self.recordsDropped(json)
        case .started: detail = json["previous_epoch"].count.map { .started(after: $0) }
        default: break
        }
        return CollectedEvent(event: name, body: Array(JSON.object(members).text.utf8), detail: detail)
    }

    private static func trip(_ json: JSON, at end: Timestamp) throws(Fault) -> CollectedTrip {
        guard let duration = json["duration"].double, let moving = json["moving"].double,
            let idling = json["idling"].double, let stopped = json["stopped"].double,
            let unobserved = json["unobserved"].double
        else { throw Fault("a time of \"trip\" is missing") }
        // A thousand years are longer than any trip, and short enough for the subtraction.
        guard duration.magnitude < 3e10,
            Self.timeRange.contains(end.milliseconds - Int64((duration * 1000).rounded()))
        else { throw Fault("the start of \"trip\" is not from 1970 to 2199") }
        var figures: [TripFigure: Double] = [:]
        for figure in TripFigure.allCases { figures[figure] = json[figure.rawValue].double }
        return CollectedTrip(
            duration: duration,
            moving: moving,
            idling: idling,
            stopped: stopped,
            unobserved: unobserved,
            figures: figures,
            body: Array(json.text.utf8)
        )
    }

    /// Returns the capture, and its JSON without the readings.
    private mutating func capture(
        _ json: JSON,
        of vehicle: String,
        at moment: Timestamp
    ) throws(Fault) -> (content: CollectedCapture, rest: JSON) {
        guard case .object(var members) = json, let report = CaptureReport(json) else {
            throw Fault("\"capture\" is damaged")
        }
        let series = try self.series(report.series, of: vehicle, from: moment)
        members["series"] = nil
        let rest = JSON.object(members)
        return (CollectedCapture(report: report, series: series, body: Array(rest.text.utf8)), rest)
    }

    private static func recordsDropped(_ json: JSON) throws(Fault) -> CollectedEvent.Detail {
        guard let stream = json["stream"].string.flatMap(RecordStream.init), let epoch = json["of_epoch"].count,
            let from = json["from"].count, let to = json["to"].count, 0 < from, from <= to
        else { throw Fault("the missing numbers of \"records_dropped\" are damaged") }
        return .recordsDropped(stream, epoch: epoch, from...to)
    }
}
