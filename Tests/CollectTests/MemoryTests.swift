// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Subscriber
import Testing

@testable import Collect

@Suite("The memory of messages")
struct MemoryTests {
    /// Returns a record with as many series as fit, each with a long name and one sample.
    private static func hostile(_ seq: UInt64, series count: Int) throws -> Message {
        let part: JSON = ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [1]]
        let names = (0..<count).map { index in
            let number = "\(seq)_\(index)_"
            return number + String(repeating: "n", count: 120 - number.utf8.count)
        }
        let series = JSON.object(Dictionary(uniqueKeysWithValues: names.map { ($0, part) }))
        let record = Messages.record(seq, "t0", ["series": series])
        let payload = try #require(Zlib.compressed(Array(record.text.utf8)))
        return Message(topic: try Topic("obd/van/telemetry/zlib"), payload: payload, qos: .atLeastOnce)
    }

    @Test("A batch is full long before small messages with many names fill the memory")
    func names() throws {
        var (decoder, open) = (try Messages.decoder(), OpenBatch())
        var (messages, wire) = (UInt64(0), 0)
        while !open.isFull, messages < 1000 {
            messages += 1
            let message = try Self.hostile(messages, series: 1000)
            wire += message.payload.count
            open.add(
                decoder.decode(message, at: Messages.now),
                .init(message: message, connection: 1, time: .zero, date: Messages.now)
            )
        }
        #expect(open.batch.rejected.isEmpty && messages > 2)
        let size = open.batch.records.reduce(0) { $0 + $1.size }
        // Each series has a name of 120 bytes, a place in its record, and one in the table of known names.
        #expect(size >= Int(messages) * 1000 * 600 && size < 2 * OpenBatch.sizeLimit)
        #expect(wire < size / 20)
    }

    @Test("A record with more series, or more bytes, than one of an agent is rejected")
    func limits() throws {
        var decoder = try Messages.decoder()
        for message in [
            try Self.hostile(1, series: 1001),
            try Messages.event(1, "started", ["reason": .string(String(repeating: "r", count: 256 << 10))]),
        ] {
            guard case .rejected(let rejected) = decoder.decode(message, at: Messages.now) else {
                Issue.record("not rejected")
                continue
            }
            #expect(rejected.reason.contains("more than"))
        }
    }

    @Test("Samples count as what they take until they are written")
    func samples() throws {
        let zeros = JSON.array([JSON](repeating: 0, count: 10_000))
        let series: JSON = ["x": ["ecu": "7E8", "scale": 1, "dt": zeros, "dv": zeros]]
        let record = try #require(try Messages.batch([try Messages.telemetry(1, series)]).records.first)
        #expect(record.size > 10_000 * (16 + 32 + 40))
    }

    @Test("The ids of a fleet's series fit, and any number of names leaves the size bounded")
    func seriesCache() {
        func key(_ vehicle: Int, _ parameter: String) -> SeriesKey {
            SeriesKey(vehicle: "vehicle-of-the-fleet-\(vehicle)", parameter: parameter, ecu: "7E8", unit: "km/h")
        }
        var cache = SeriesCache()
        #expect(cache[key(1, "a")] == nil)
        for vehicle in 0..<2000 {
            let found = (0..<50).map { (key(vehicle, "parameter_with_a_long_name_\($0)"), Int64(vehicle * 50 + $0)) }
            cache.insert(Dictionary(uniqueKeysWithValues: found))
        }
        #expect(cache.size < 6 << 20)
        #expect(cache[key(1999, "parameter_with_a_long_name_49")] == 99_999)
        #expect(cache[key(0, "parameter_with_a_long_name_0")] == 0)
        #expect(cache[key(0, "other")] == nil)
        for number in 0..<200_000 { cache.insert([key(0, "n\(number)"): Int64(number)]) }
        #expect(cache.size <= SeriesCache.sizeLimit + 1000)
        #expect(cache[key(0, "n199999")] == 199_999)
    }
}
