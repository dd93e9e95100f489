// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Subscriber

extension MessageDecoder {
    /// - Parameter number: becomes the number of the record as soon as it is known.
    mutating func record(
        _ message: Message,
        of stream: RecordStream,
        _ path: String,
        _ vehicle: String,
        _ number: inout RejectedMessage.Number?
    ) throws(Fault) -> CollectedRecord {
        guard let payload = TelemetryReader.expanded(message.payload, of: path, limit: Self.recordLimit) else {
            throw Fault("the payload cannot be expanded, or has more than \(Self.recordLimit) bytes")
        }
        let json = try Self.object(payload)
        guard let record = RecordNumber(json), record.seq > 0, Self.isAgent(record.agent) else {
            throw Fault("\"agent\", \"epoch\" and \"seq\" are no number of a record")
        }
        let key = StreamKey(agent: record.agent, vehicle: vehicle, stream: stream, epoch: record.epoch)
        number = RejectedMessage.Number(key: key, seq: record.seq)
        let time = try Self.time(json, stream == .telemetry ? "t0" : "time")
        let content: CollectedRecord.Content =
            switch stream {
            case .telemetry: try self.telemetry(json, of: vehicle, from: time)
            case .events: .event(try self.event(json.withoutNUL, of: vehicle, at: time))
            case .responses: .response(try Self.response(json.withoutNUL))
            }
        return CollectedRecord(
            key: key,
            seq: record.seq,
            time: time,
            isSynchronised: json["clock"].string == ClockQuality.synchronised.rawValue,
            content: content,
            message: message
        )
    }

    /// Whether a text can be the identity of an agent, which has ASCII letters, digits and dashes.
    static func isAgent(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private mutating func telemetry(
        _ json: JSON,
        of vehicle: String,
        from start: Timestamp
    ) throws(Fault) -> CollectedRecord.Content {
        guard let telemetry = Telemetry(json) else { throw Fault("\"series\" is damaged") }
        guard telemetry.track != nil || json["track"] == .null else { throw Fault("\"track\" is damaged") }
        var points: [Telemetry.TrackPoint] = []
        if let track = telemetry.track {
            guard let places = track.points(from: start) else { throw Fault("the points of \"track\" are damaged") }
            guard places.count <= Self.sampleLimit else { throw Fault("\"track\" has too many points") }
            guard places.allSatisfy({ Self.timeRange.contains($0.time.milliseconds) }) else {
                throw Fault("a point of \"track\" is not from 1970 to 2199")
            }
            points = places
        }
        return .telemetry(try self.series(telemetry.series, of: vehicle, from: start), points)
    }

    /// Returns the samples of series.
    mutating func series(
        _ parts: [String: Telemetry.Series],
        of vehicle: String,
        from start: Timestamp
    ) throws(Fault) -> [CollectedRecord.Series] {
        guard parts.values.reduce(0, { $0 + $1.dt.count }) <= Self.sampleLimit else {
            throw Fault("the record has more than \(Self.sampleLimit) samples")
        }
        guard parts.count <= Self.seriesLimit else {
            throw Fault("the record has more than \(Self.seriesLimit) series")
        }
        var series: [CollectedRecord.Series] = []
        series.reserveCapacity(parts.count)
        for (name, part) in parts where !part.dt.isEmpty {
            guard Self.isName(name, atMost: JSON.keyLimit), Self.isName(part.ecu, atMost: 64) else {
                throw Fault("a name or an ECU in \"series\" is empty, too long, or has control characters")
            }
            var times: [Int64] = []
            var values: [Double] = []
            times.reserveCapacity(part.dt.count)
            values.reserveCapacity(part.dt.count)
            let isComplete = part.forEachSample(from: start) { time, value in
                times.append(time)
                values.append(value)
            }
            guard isComplete, times.allSatisfy(Self.timeRange.contains) else {
                throw Fault("a sample of \"series\" is not from 1970 to 2199")
            }
            guard values.allSatisfy(\.isFinite) else { throw Fault("a value of \"series\" is infinite") }
            let key = SeriesKey(
                vehicle: vehicle,
                parameter: name,
                ecu: part.ecu,
                unit: self.units.unit(of: name, in: vehicle)
            )
            series.append(CollectedRecord.Series(key: key, times: times, values: values))
        }
        return series
    }

    private static func response(_ json: JSON) throws(Fault) -> CollectedResponse {
        guard let response = CommandResponse(json) else { throw Fault("\"state\" is none of a response") }
        return CollectedResponse(
            response: response,
            body: Array(json.text.utf8),
            resend: response.command == ResendRequest.command ? response.result.flatMap { ResendReport($0) } : nil
        )
    }
}
