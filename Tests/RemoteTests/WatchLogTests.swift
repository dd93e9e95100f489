// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Remote
import Testing

@testable import Subscriber

@Suite("The log of a watched vehicle")
struct WatchLogTests {
    private static func lines(_ messages: [(String, String)]) throws -> [String] {
        var log = WatchLog(fleetTopics)
        return try messages.compactMap { path, payload in
            log.line(for: try message("van/\(path)", payload)).map { "\($0.time) \($0.subject): \($0.text)" }
        }
    }

    @Test("Each kind of topic becomes a line")
    func kinds() throws {
        let time = #""time":"2026-11-21T10:00:00.120Z""#
        let lines = try Self.lines([
            ("availability", "online"),
            ("parameters/engine_speed", #"{"value":812.49999,"unit":"rpm",\#(time),"ecu":"7E8","quality":"good"}"#),
            ("parameters/fuel_type/7E9", #"{"value":1,"label":"gasoline",\#(time),"quality":"stale"}"#),
            (
                "codes",
                #"{"known":true,"mil":true,\#(time),"codes":[{"code":"P0301","ecu":"7E8","states":["stored"]}]}"#
            ),
            ("events", #"{"agent":"a","epoch":1,"seq":1,\#(time),"event":"code_appeared","code":"P0301","ecu":"7E8"}"#),
            ("status", #"{"link":"waiting","problem":"no adapter",\#(time)}"#),
            ("monitors", #"{"monitors":{"catalyst":"incomplete","egr":"complete"},\#(time)}"#),
        ])
        #expect(
            lines == [
                " availability: online", "10:00:00.120 engine_speed: 812.5 rpm",
                "10:00:00.120 fuel_type/7E9: gasoline (stale)", "10:00:00.120 codes: P0301 (7E8: stored); lamp on",
                "10:00:00.120 event: code_appeared P0301 (7E8)", "10:00:00.120 status: waiting, no adapter",
                "10:00:00.120 monitors: incomplete: catalyst",
            ]
        )
    }

    @Test("Repetitions are dropped")
    func repetitions() throws {
        let lines = try Self.lines([
            ("availability", "online"), ("availability", "online"), ("availability", "offline"),
            ("status", #"{"link":"connected","time":"2026-11-21T10:00:00Z"}"#),
            ("status", #"{"link":"connected","time":"2026-11-21T10:01:00Z"}"#),
            ("parameters/a", #"{"value":1,"time":"2026-11-21T10:00:00Z"}"#),
            ("parameters/a", #"{"value":1,"time":"2026-11-21T10:00:00Z"}"#),
            ("parameters/a", #"{"value":1,"time":"2026-11-21T10:01:00Z"}"#),
            ("events", #"{"agent":"a","epoch":1,"seq":1,"event":"connected"}"#),
            ("events", #"{"agent":"a","epoch":1,"seq":1,"event":"connected"}"#),
        ])
        #expect(
            lines == [
                " availability: online", " availability: offline", "10:00:00 status: connected", "10:00:00 a: 1",
                "10:01:00 a: 1", " event: connected",
            ]
        )
    }

    @Test(
        "Invalid payloads do not trap",
        arguments: ["", "{", "[]", "null", "1", "\"x\"", "{\"codes\":{},\"time\":7}"]
    )
    func invalid(payload: String) throws {
        for path in ["status", "codes", "monitors", "events", "parameters/a", "parameters", "unheard/of", "finding"] {
            _ = try Self.lines([(path, payload)])
        }
    }
}
