// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The decoding of telemetry")
struct TelemetryReaderTests {
    private static func record(
        seq: Int,
        series: String = #"{"engine_speed":{"ecu":"7E8","scale":0.25,"dt":[0,480],"dv":[3250,12]}}"#
    ) -> String {
        #"{"v":1,"agent":"a","epoch":3,"seq":\#(seq),"boot":"b","clock":"synchronised","t0":"2026-11-21T10:00:00.000Z","series":\#(series)}"#
    }

    @Test("Differences are decoded to values with times, also in a compressed record")
    func samples() throws {
        var reader = TelemetryReader(fleetTopics)
        guard case .record(let record, missing: 0) = reader.receive(try message("van/telemetry", Self.record(seq: 1)))
        else {
            Issue.record("no record")
            return
        }
        #expect(record.vehicle == "van" && record.clock == .synchronised)
        #expect(record.samples.map(\.value) == [812.5, 815.5])
        #expect(record.samples.map(\.time.description) == ["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.480Z"])

        let packed = try #require(Zlib.compressed(Array(Self.record(seq: 2).utf8)))
        let compressed = Message(topic: try Topic("obd/van/telemetry/zlib"), payload: packed)
        guard case .record(let second, missing: 0) = reader.receive(compressed) else {
            Issue.record("no record")
            return
        }
        #expect(second.samples == record.samples)
    }

    @Test("Duplicate and missing records are detected")
    func sequence() throws {
        var reader = TelemetryReader(fleetTopics)
        _ = reader.receive(try message("van/telemetry", Self.record(seq: 7)))
        #expect(reader.receive(try message("van/telemetry", Self.record(seq: 7))) == .duplicate)
        guard case .record(_, missing: 2) = reader.receive(try message("van/telemetry", Self.record(seq: 10))) else {
            Issue.record("the gap is not reported")
            return
        }
    }

    @Test(
        "Invalid records are damaged, and other topics are foreign",
        arguments: [
            "", "{", "[]", #"{"agent":"a","epoch":1,"seq":-1}"#, #"{"agent":"a","epoch":1,"seq":1e300}"#,
            record(seq: 1, series: "[]"), record(seq: 1, series: #"{"x":{"ecu":"7E8","scale":1,"dt":[1],"dv":[]}}"#),
            record(seq: 1, series: #"{"x":{"ecu":"7E8","scale":1,"dt":[9223372036854775807],"dv":[1]}}"#),
            record(seq: 1, series: #"{"x":{"ecu":"7E8","scale":1,"dt":[9223372036854775807,1],"dv":[1,1]}}"#),
        ]
    )
    func invalid(payload: String) throws {
        var reader = TelemetryReader(fleetTopics)
        #expect(reader.receive(try message("van/telemetry", payload)) == .damaged)
        #expect(reader.receive(try message("van/telemetry/zlib", payload)) == .damaged)
        #expect(reader.receive(try message("van/codes", payload)) == .foreign)
    }

    @Test("Extreme values and times do not trap")
    func ends() throws {
        var reader = TelemetryReader(fleetTopics)
        let most = Int64.max
        let series =
            #"{"x":{"ecu":"7E8","scale":1e308,"dt":[1],"dv":[\#(most)]},"y":{"ecu":"","scale":0,"dt":[-5,1],"dv":[\#(most),\#(most)]}}"#
        guard
            case .record(let record, _) = reader.receive(
                try message("van/telemetry", Self.record(seq: 1, series: series))
            )
        else {
            Issue.record("no record")
            return
        }
        #expect(record.samples.count == 3)
    }

    @Test("A record whose expanded size exceeds the limit is damaged")
    func expansionLimit() throws {
        var reader = TelemetryReader(fleetTopics)
        let packed = try #require(Zlib.compressed([UInt8](repeating: 0x20, count: 64 << 20)))
        #expect(reader.receive(Message(topic: try Topic("obd/van/telemetry/zlib"), payload: packed)) == .damaged)
    }
}
