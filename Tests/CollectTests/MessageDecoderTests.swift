// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Subscriber
import Testing

@testable import Collect

@Suite("Decoding of messages")
struct MessageDecoderTests {
    private func decode(_ message: Message) throws -> MessageDecoder.Decoded {
        var decoder = try Messages.decoder()
        return decoder.decode(message, at: Messages.now)
    }

    private func record(_ message: Message) throws -> CollectedRecord {
        guard case .record(let record) = try self.decode(message) else { throw Unexpected() }
        return record
    }

    private func reason(_ message: Message) throws -> String {
        guard case .rejected(let rejected) = try self.decode(message) else { throw Unexpected() }
        return rejected.reason
    }

    private struct Unexpected: Error {}

    @Test("Telemetry becomes the samples of its series, with the unit of the catalog")
    func telemetry() throws {
        let record = try self.record(try Messages.telemetry(12))
        #expect(record.key == StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 7))
        #expect(record.seq == 12)
        #expect(record.vehicle == "van")
        #expect(record.isSynchronised)
        let key = SeriesKey(vehicle: "van", parameter: "vehicle_speed", ecu: "7E8", unit: "km/h")
        let start = record.time.milliseconds
        let series = CollectedRecord.Series(key: key, times: [start, start + 1000], values: [50, 49])
        #expect(record.content == .telemetry([series], []))
    }

    @Test("Compressed telemetry is the same record")
    func compressed() throws {
        let message = try Messages.telemetry(12)
        let compressed = Message(
            topic: try Topic("obd/van/telemetry/zlib"),
            payload: Zlib.compressed(message.payload) ?? []
        )
        #expect(try self.record(compressed).content == self.record(message).content)
    }

    @Test("A part of the track becomes points")
    func track() throws {
        let json = Messages.record(
            1,
            "t0",
            ["series": [:], "track": ["dt": [-10, 4], "polyline": "_p~iF~ps|U_ulLnnqC", "gaps": [0]]]
        )
        guard case .telemetry(let series, let points) = try self.record(try Messages.message("telemetry", json)).content
        else { throw Unexpected() }
        #expect(series.isEmpty)
        #expect(points.map(\.latitude) == [38.5, 40.7])
        #expect(points.map(\.followsGap) == [true, false])
    }

    @Test("A change of the codes has its columns")
    func codeChange() throws {
        let message = try Messages.event(3, "code_appeared", ["code": "P0301", "ecu": "7E8", "states": ["pending"]])
        guard case .event(let event) = try self.record(message).content,
            case .codeChange(let change) = event.detail
        else { throw Unexpected() }
        #expect(change.code == "P0301")
        #expect(change.states == Array(#"["pending"]"#.utf8))
    }

    @Test("A trip has its start and the figures that are known")
    func trip() throws {
        let trip: JSON = [
            "start": [:], "end": [:], "duration": 600.5, "moving": 500, "idling": 100, "stopped": 0.5, "unobserved": 0,
            "distance": 12.25, "distance_observed": 540,
        ]
        let record = try self.record(try Messages.event(3, "trip", ["trip": trip]))
        guard case .event(let event) = record.content, case .trip(let collected) = event.detail else {
            throw Unexpected()
        }
        #expect(collected.figures == [.distance: 12.25, .distanceObserved: 540])
        let row = record.row(of: collected)
        let names = CollectTable.trips.columns.map(\.name)
        #expect(row.count == names.count)
        #expect(names.firstIndex(of: "distance_observed").map { row[$0] } == .real(540))
        #expect(row[6] == .time(record.time + .milliseconds(-600_500)))
    }

    @Test("A capture leaves its readings to a table of their own")
    func capture() throws {
        let capture: JSON = [
            "rule": "code", "trigger": "code_appeared", "code": "P0301", "ecu": "7E8", "before": 60, "after": 30,
            "ended": "complete",
            "series": ["engine_speed": ["ecu": "7E8", "scale": 0.25, "dt": [-500], "dv": [4000]]],
        ]
        let record = try self.record(try Messages.event(4, "capture", ["capture": capture]))
        guard case .event(let event) = record.content, case .capture(let collected) = event.detail else {
            throw Unexpected()
        }
        #expect(collected.series.map(\.values) == [[1000]])
        #expect(collected.series.map(\.times) == [[record.time.milliseconds - 500]])
        #expect(!String(decoding: event.body, as: UTF8.self).contains("series"))
        #expect(record.row(of: collected).count == CollectTable.captures.columns.count)
    }

    @Test("Dropped records and the answer to a resend tell about other numbers")
    func facts() throws {
        let dropped = try Messages.event(
            5,
            "records_dropped",
            ["stream": "telemetry", "of_epoch": 6, "from": 3, "to": 9]
        )
        let key = StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 6)
        let events = StreamKey(agent: "a1", vehicle: "van", stream: .events, epoch: 6)
        let answer = try Messages.response(
            1,
            [
                "id": "c-1", "command": "resend", "state": "succeeded", "repeat": false, "reason": .null,
                "issuer": .null,
                "result": [
                    "stream": "telemetry", "epoch": 6, "from": 1, "to": 99, "records": 2,
                    "missing": [[1, 2], [40, 99]],
                    "last": 50,
                ],
            ]
        )
        let batch = try Messages.batch([dropped, answer])
        #expect(
            batch.allChanges == [
                StreamChange(key, .lost(NumberSet([3...9]))), StreamChange(key, .exists(0)),
                StreamChange(events, .exists(0)), StreamChange(key, .lost(NumberSet([1...2, 40...50]))),
                StreamChange(key, .ended(50)),
            ]
        )
    }

    @Test("The status tells which agent a vehicle has, and which numbers exist")
    func status() throws {
        let message = try Messages.message(
            "status",
            [
                "v": 1, "time": .string(Messages.time), "agent": "a1",
                "acknowledged": ["epoch": 7, "telemetry": 123, "events": 17],
            ]
        )
        guard case .state(let state, let changes, let presence) = try self.decode(message) else { throw Unexpected() }
        #expect(state.topic == "status")
        #expect(state.time == Timestamp(Messages.time))
        #expect(presence == .agent("van", agent: "a1", since: Messages.now))
        #expect(
            Set(changes) == [
                StreamChange(StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 7), .exists(123)),
                StreamChange(StreamKey(agent: "a1", vehicle: "van", stream: .events, epoch: 7), .exists(17)),
            ]
        )
    }

    @Test(
        "A text in a state that should be a time and is none is left out, because the views of all vehicles need times"
    )
    func damagedTimes() throws {
        func body(_ topic: String, _ members: [String: JSON]) throws -> JSON {
            let json = JSON.object(["v": 1, "agent": "a1", "time": .string(Messages.time)].merging(members) { $1 })
            guard case .state(let state, _, _) = try self.decode(try Messages.message(topic, json)) else {
                throw Unexpected()
            }
            return JSON(payload: state.body)
        }
        for text in ["yesterday", "9999-01-01T00:00:00Z", "2026-02-31T00:00:00Z", 5] as [JSON] {
            #expect(try body("status", ["vehicle_seen": text])["vehicle_seen"] == .null)
            let codes = try body("codes", ["codes": [["code": "P0301", "first_seen": text], 7]])
            #expect(codes["codes"] == [["code": "P0301"], 7])
        }
        let seen = try body("status", ["vehicle_seen": "2026-11-21T12:00:00.5Z"])["vehicle_seen"]
        #expect(seen == "2026-11-21T12:00:00.500Z")
        #expect(try body("codes", ["codes": "none"])["codes"] == "none")
    }

    @Test("The availability is a word, and an empty payload deletes a state")
    func availability() throws {
        let topic = try Topic("obd/van/availability")
        guard
            case .state(let state, _, let presence) = try self.decode(
                Message(topic: topic, payload: Array("online".utf8))
            ), case .state(let gone, _, let absence) = try self.decode(Message(topic: topic, payload: []))
        else { throw Unexpected() }
        #expect(state.body == Array("\"online\"".utf8))
        #expect(presence == .availability("van", isOnline: true))
        #expect(gone.body.isEmpty)
        #expect(absence == .gone("van"))
    }

    @Test("Derived and custom parameters have the units that the vehicle has published last")
    func publishedUnits() throws {
        var decoder = try Messages.decoder()
        func publish(_ members: [String: JSON]) throws {
            let vehicle = JSON.object(["v": 1, "time": .string(Messages.time)].merging(members) { first, _ in first })
            _ = decoder.decode(try Messages.message("vehicle", vehicle), at: Messages.now)
        }
        func unit(_ name: String, of vehicle: String = "van") throws -> String? {
            let series = JSON.object([name: ["ecu": "7EC", "scale": 1, "dt": [0], "dv": [1]]])
            let message = try Messages.telemetry(1, of: vehicle, series)
            guard case .record(let record) = decoder.decode(message, at: Messages.now) else { throw Unexpected() }
            return record.series.first?.key.unit
        }
        let derived: JSON = ["fuel_rate": ["unit": "L/h"], "charge": ["unit": "Ah"]]
        try publish([
            "derived": derived, "units": ["charge": "%", "odd": 7, "long": .string(.init(repeating: "x", count: 33))],
        ])
        #expect(try unit("fuel_rate") == "L/h")
        #expect(try unit("charge") == "%" && unit("charge/7EC") == "%")
        #expect(try unit("vehicle_speed") == "km/h")
        #expect(try unit("odd") == nil && unit("long") == nil)
        #expect(try unit("charge", of: "car") == nil)
        try publish(["units": 7])
        #expect(try unit("charge") == nil)
    }

    @Test(
        "Other topics are no concern",
        arguments: [
            "obd/van/parameters/x", "obd/van/commands", "obd/van/telemetry/x", "other/van/events", "obd/events",
        ]
    )
    func foreign(_ topic: String) throws {
        #expect(try self.decode(Message(topic: try Topic(topic), payload: [])) == .foreign)
    }

    @Test("The answer on a response topic is the same record as that on the stream")
    func responseTopic() throws {
        let message = try Messages.response(9, ["state": "failed", "id": "x"])
        var copy = message
        copy.topic = try Topic("obd/van/responses/collect-1")
        #expect(try self.record(copy).key == self.record(message).key)
    }
}
