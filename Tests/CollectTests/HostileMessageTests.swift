// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Subscriber
import TestSupport
import Testing

@testable import Collect

@Suite("Hostile messages")
struct HostileMessageTests {
    private func rejected(_ message: Message) throws -> RejectedMessage? {
        var decoder = try Messages.decoder()
        guard case .rejected(let rejected) = decoder.decode(message, at: Messages.now) else { return nil }
        return rejected
    }

    private static let series: [JSON] = [
        // Not a series, or one whose parts do not fit together.
        "text", [:], ["ecu": "7E8", "scale": 1, "dt": [1], "dv": []],
        ["ecu": "7E8", "scale": 1, "dt": [0.5], "dv": [1]],
        ["ecu": 7, "scale": 1, "dt": [1], "dv": [1]],
        // Times out of the years 1970 to 2199, and times that overflow.
        ["ecu": "7E8", "scale": 1, "dt": [9_000_000_000_000], "dv": [1]],
        ["ecu": "7E8", "scale": 1, "dt": [-9_000_000_000_000], "dv": [1]],
        ["ecu": "7E8", "scale": 1, "dt": [.integer(.max), .integer(.max)], "dv": [1, 1]],
        // A value that is infinite.
        ["ecu": "7E8", "scale": 1e308, "dt": [0], "dv": [1000]],
        // An ECU that is no name.
        ["ecu": "", "scale": 1, "dt": [0], "dv": [1]], ["ecu": "7\0", "scale": 1, "dt": [0], "dv": [1]],
    ]

    @Test("Damaged samples reject the record, whose number is then no gap", arguments: Self.series)
    func damagedSeries(_ series: JSON) throws {
        let rejected = try self.rejected(try Messages.telemetry(5, ["vehicle_speed": series]))
        let key = StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 7)
        #expect(rejected?.number == RejectedMessage.Number(key: key, seq: 5))
        #expect(rejected?.reason.isEmpty == false)
    }

    @Test("A parameter whose name has a control character rejects the record")
    func strangeName() throws {
        let part: JSON = ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [1]]
        #expect(try self.rejected(try Messages.telemetry(5, ["a\0b": part])) != nil)
        #expect(try self.rejected(try Messages.telemetry(5, ["": part])) != nil)
    }

    @Test("A vehicle whose name has a control character is rejected")
    func strangeVehicle() throws {
        #expect(try self.rejected(try Messages.telemetry(5, of: "van\u{1B}[2J")) != nil)
        #expect(try self.rejected(try Messages.telemetry(5, of: "Müllers Van 🚐")) == nil)
    }

    @Test("More samples than a record can have are rejected")
    func manySamples() throws {
        let numbers = JSON.array([JSON](repeating: 0, count: 100_001))
        let series: JSON = ["x": ["ecu": "7E8", "scale": 1, "dt": numbers, "dv": numbers]]
        #expect(try self.rejected(try Messages.telemetry(5, series)) != nil)
    }

    @Test("A small message that expands to a huge one is rejected")
    func bomb() throws {
        let bytes = Zlib.compressed([UInt8](repeating: UInt8(ascii: " "), count: 30 << 20)) ?? []
        #expect(try self.rejected(Message(topic: try Topic("obd/van/telemetry/zlib"), payload: bytes)) != nil)
    }

    @Test(
        "A number that is none of a record rejects the message",
        arguments: [
            ["seq": 0], ["seq": -1], ["seq": 1.5], ["seq": "1"], ["epoch": -1], ["agent": ""], ["agent": "a b"],
            ["agent": "a\u{301}"], ["agent": .string(String(repeating: "a", count: 129))], ["v": 2], ["v": .null],
            ["seq": .number(1e19)],
        ] as [[String: JSON]]
    )
    func damagedNumber(_ members: [String: JSON]) throws {
        let json = Messages.record(1, "time", members.merging(["event": "started"]) { $1 })
        let rejected = try self.rejected(try Messages.message("events", json))
        #expect(rejected != nil)
        #expect(rejected?.number == nil)
    }

    @Test(
        "A date that no database takes rejects the record",
        arguments: ["1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday", ""]
    )
    func damagedTime(_ time: String) throws {
        let json = Messages.record(1, "time", ["event": "started", "time": .string(time)])
        #expect(try self.rejected(try Messages.message("events", json)) != nil)
    }

    @Test(
        "A known event with damaged members is rejected",
        arguments: [
            ["event": "trip"], ["event": "trip", "trip": ["duration": 1e300]],
            [
                "event": "trip",
                "trip": ["duration": 1e300, "moving": 0, "idling": 0, "stopped": 0, "unobserved": 0],
            ],
            ["event": "capture", "capture": [:]], ["event": "records_dropped", "stream": "telemetry"],
            ["event": "records_dropped", "stream": "telemetry", "of_epoch": 1, "from": 9, "to": 3],
            ["event": ""], ["event": 5],
        ] as [[String: JSON]]
    )
    func damagedEvent(_ members: [String: JSON]) throws {
        #expect(try self.rejected(try Messages.message("events", Messages.record(1, "time", members))) != nil)
    }

    @Test("An unknown event is kept, for it may be of a newer agent")
    func unknownEvent() throws {
        #expect(try self.rejected(try Messages.event(1, "self_destruct", ["countdown": 3])) == nil)
    }

    @Test("NUL in a text becomes U+FFFD, because PostgreSQL takes none")
    func nul() throws {
        let batch = try Messages.batch([
            try Messages.event(1, "started", ["reason": "a\0b", "x\0": ["\0"]]),
            try Messages.message("finding", ["v": 1, "time": .string(Messages.time), "text": "\0"]),
        ])
        guard case .event(let event) = batch.records.first?.content else {
            Issue.record("no event")
            return
        }
        for body in [event.body, batch.states.first?.body ?? []] {
            let text = String(decoding: body, as: UTF8.self)
            #expect(!text.isEmpty && !text.contains("\\u0000") && text.contains("\u{FFFD}"))
        }
    }

    @Test(
        "What is no JSON object is rejected",
        arguments: ["", "{", "[]", "null", "1e999", #"{"v":1,"v":1}"#, "{\"v\":1,\"a\":\"\u{FFFF}", "\u{0}"]
    )
    func noObject(_ text: String) throws {
        for path in ["telemetry", "events", "responses"] {
            let topic = try Topic("obd/van/\(path)")
            #expect(try self.rejected(Message(topic: topic, payload: Array(text.utf8))) != nil)
        }
        guard !text.isEmpty else { return }
        #expect(try self.rejected(Message(topic: try Topic("obd/van/codes"), payload: Array(text.utf8))) != nil)
    }

    @Test("Deep nesting is rejected")
    func deep() throws {
        let text = String(repeating: "[", count: 100_000)
        #expect(try self.rejected(Message(topic: try Topic("obd/van/events"), payload: Array(text.utf8))) != nil)
    }

    @Test("Mangled messages become a record, a state or a rejected row, and nothing else", arguments: 0..<50)
    func mangled(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var decoder = try Messages.decoder()
        let originals = [
            try Messages.telemetry(1), try Messages.event(2, "trip", ["trip": ["duration": 5]]),
            try Messages.response(3, ["state": "succeeded", "command": "resend", "result": ["last": 5]]),
            try Messages.message("status", ["v": 1, "time": .string(Messages.time), "agent": "a1"]),
        ]
        for original in originals {
            for _ in 0..<200 {
                var message = original
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    let place = Int.random(in: 0..<message.payload.count, using: &numbers)
                    message.payload[place] = UInt8.random(in: 0...255, using: &numbers)
                }
                #expect(decoder.decode(message, at: Messages.now) != .foreign)
            }
        }
    }
}
