// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote
import Testing

@testable import Subscriber

@Suite("The log of a watched vehicle")
struct WatchLogTests {
    /// 2026-11-21T10:00:30Z.
    private static let now = Timestamp(milliseconds: 1_795_255_230_000)

    private static func lines(_ messages: [(String, String)], isRetained: Bool = false) throws -> [String] {
        var log = WatchLog(fleetTopics)
        return try messages.compactMap { path, payload in
            var message = try message("van/\(path)", payload)
            message.retain = isRetained
            return log.line(for: message, at: Self.now).map { "\($0.time) \($0.subject): \($0.text)" }
        }
    }

    @Test("Each kind of topic becomes a line")
    func kinds() throws {
        let time = #""time":"2026-11-21T10:00:00.120Z""#
        let lines = try Self.lines([
            ("availability", "online"),
            ("parameters/engine_speed", #"{"value":812.49999,"unit":"rpm",\#(time),"ecu":"7E8","quality":"good"}"#),
            ("parameters/fuel_type/7E9", #"{"value":1,"label":"gasoline",\#(time),"quality":"unsynchronised"}"#),
            (
                "codes",
                #"{"known":true,"mil":true,\#(time),"codes":[{"code":"P0301","ecu":"7E8","states":["stored"]}]}"#
            ),
            ("events", #"{"agent":"a","epoch":1,"seq":1,\#(time),"event":"code_appeared","code":"P0301","ecu":"7E8"}"#),
            ("status", #"{"link":"waiting","problem":"no adapter",\#(time)}"#),
            ("monitors", #"{"monitors":{"catalyst":"incomplete","egr":"complete"},\#(time)}"#),
            ("finding", #"{"severity":"urgent","issuer":"ada","codes":["P0301"],"text":"Coil.\nStop.",\#(time)}"#),
        ])
        #expect(
            lines == [
                " availability: online", "10:00:00.120 engine_speed: 812.5 rpm",
                "10:00:00.120 fuel_type/7E9: gasoline (unsynchronised)",
                "10:00:00.120 codes: P0301 (7E8: stored); lamp on",
                "10:00:00.120 event: code_appeared P0301 (7E8)", "10:00:00.120 status: waiting, no adapter",
                "10:00:00.120 monitors: incomplete: catalyst",
                "10:00:00.120 finding: urgent; by ada; P0301; Coil. Stop.",
            ]
        )
    }

    @Test("A value that the broker had kept tells its age")
    func retained() throws {
        let lines = try Self.lines(
            [
                ("parameters/a", #"{"value":1,"time":"2026-11-21T10:00:18Z","quality":"good"}"#),
                ("parameters/b", #"{"value":2,"time":"2026-11-18T10:00:18Z","quality":"good"}"#),
                ("parameters/c", #"{"value":3,"time":"2026-11-21T10:00:18Z","quality":"unsynchronised"}"#),
                ("status", #"{"link":"connected","time":"2026-11-21T10:00:00Z"}"#),
                ("codes", #"{"known":true,"mil":true,"codes":[],"time":"2026-11-21T10:00:18Z"}"#),
            ],
            isRetained: true
        )
        #expect(
            lines == [
                "10:00:18 a: 1 (last known, 12 s ago)", "10:00:18 b: 2 (last known, 3 d ago)",
                "10:00:18 c: 3 (unsynchronised) (last known, age unknown)",
                "10:00:00 status: connected (last known, 30 s ago)", "10:00:18 codes: none; lamp on",
            ]
        )
    }

    @Test("The loss of the connection and the return have a line each, however many attempts there are")
    func connection() {
        var log = WatchLog(fleetTopics)
        #expect(log.connected() == nil)
        let loss = log.connectionLost("The connection was lost")
        #expect(loss?.subject == "broker")
        #expect(loss?.text == "The connection was lost; reconnecting. All values are last known")
        #expect(log.connectionLost("The connection was lost") == nil)
        #expect(log.connected()?.text == "connected again")
        #expect(log.connected() == nil)
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

    @Test("A trip, the limits and the position become a line, with the times that the line's beginning lacks")
    func drive() throws {
        let heads = #""v":1,"time":"2026-11-21T10:00:00.120Z","clock":"#
        let start = #"{\#(heads)"synchronised","#
        let figures = #""duration":1860,"distance":25.21,"fuel":1.6,"fuel_consumption":6.4"#
        let place = #""latitude":52.51628,"longitude":13.3777,"accuracy":8"#
        let lines = try Self.lines([
            ("trip", #"\#(start)"ongoing":true,"trip":{\#(figures)}}"#),
            ("trip", #"\#(start)"ongoing":false,"trip":{"end":{"time":"2026-11-20T18:00:00Z"},"duration":60}}"#),
            ("limits", #"\#(start)"limits":{"hot":{"when":"a > 1"},"low":{"when":"b < 2"}}}"#),
            ("limits", #"\#(start)"limits":{"hot":{"when":"a > 1"},"low":{"when":"b < 2","exceeded":false}}}"#),
            (
                "limits",
                #"\#(start)"limits":{"low":{"when":"b < 2","exceeded":true,"since":"2026-11-20T18:00:00Z"}}}"#
            ),
            ("position", #"\#(start)"age":0,"quality":"good",\#(place)}"#),
            ("position", #"{\#(heads)"unsynchronised","age":9,"quality":"withheld","zone":"home"}"#),
        ])
        #expect(
            lines == [
                "10:00:00.120 trip: under way, 31 min, 25.21 km, 1.6 L, 6.4 L/100 km",
                "10:00:00.120 trip: finished 2026-11-20T18:00:00.000Z, 1 min",
                "10:00:00.120 limits: unknown: hot, low", "10:00:00.120 limits: none exceeded; unknown: hot",
                "10:00:00.120 limits: exceeded: low since 2026-11-20T18:00:00.000Z (b < 2)",
                "10:00:00.120 position: good, 52.51628, 13.37770, ± 8 m, 2026-11-21T10:00:00.120Z",
                "10:00:00.120 position: withheld, zone home, 2026-11-21T10:00:00.120Z by an unsynchronized clock",
            ]
        )
    }

    @Test("A position has a line when its quality or its zone changes, not each time it moves")
    func positions() throws {
        let places = [
            #""quality":"good","latitude":1,"longitude":1"#, #""quality":"good","latitude":2,"longitude":1"#,
            #""quality":"stale","latitude":2,"longitude":1"#, #""quality":"stale","latitude":2,"longitude":1"#,
            #""quality":"withheld","zone":"home""#, #""quality":"withheld","zone":"home""#,
            #""quality":"withheld","zone":"depot""#, #""quality":"good","latitude":3,"longitude":1"#,
        ]
        let lines = try Self.lines(
            places.enumerated().map { index, place in
                ("position", #"{"time":"2026-11-21T10:00:0\#(index)Z","clock":"synchronised",\#(place)}"#)
            }
        )
        #expect(lines.map { $0.prefix(8) } == ["10:00:00", "10:00:02", "10:00:04", "10:00:06", "10:00:07"])
    }

    @Test(
        "Invalid payloads do not trap",
        arguments: ["", "{", "[]", "null", "1", "\"x\"", "{\"codes\":{},\"time\":7}"]
    )
    func invalid(payload: String) throws {
        let states = ["status", "codes", "monitors", "trip", "limits", "position", "finding"]
        for path in states + ["events", "parameters/a", "parameters", "unheard/of"] {
            _ = try Self.lines([(path, payload)])
        }
    }
}
