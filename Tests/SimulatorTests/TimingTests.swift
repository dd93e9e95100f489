// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Testing

@testable import Simulator

@Suite("The timing of a simulated link")
struct TimingTests {
    /// Returns the time of each round trip of a client that sends the next line as soon as the prompt arrives.
    private static func cycles(
        _ link: String,
        _ lines: [String],
        _ change: (inout SimulatedVehicle.Options) -> Void = { _ in }
    ) throws -> [Duration] {
        var options = SimulatedVehicle.Options()
        options.ecus = 1
        change(&options)
        var vehicle = SimulatedVehicle(options)
        var adapter = SimulatedAdapter.Options()
        let timing = try #require(LinkTiming.named(link))
        adapter.link = timing
        var linked = LinkedAdapter(adapter)
        var now = MonotonicTime(sinceBoot: .milliseconds(60_011))
        func ask(_ line: String) -> Duration {
            let start = now
            linked.bytesReceived(Array("\(line)\r".utf8), at: now, in: &vehicle)
            var reply: [UInt8] = []
            while reply.last != UInt8(ascii: ">"), let next = linked.nextOutput {
                now = max(now, next)
                reply += linked.output(at: now)
            }
            return now - start
        }
        for line in ["ATE0", "ATS0", "ATH1", "ATSP6", "0100", "0100", "0100"] { _ = ask(line) }
        return lines.map { ask($0) }
    }

    private static let six = "01040506070B0C3"
    private static let seconds: [(String, [String], Double)] = [
        // (ceil(R / CI) + 1) × CI.
        ("ble-30", ["010D1"], 60), ("ble-30", [Self.six], 60), ("ble-30", ["010D"], 90),
        // Three packets, one event each.
        ("ble-30-1", ["010D1"], 60), ("ble-30-1", [Self.six], 120),
        ("ble-15", ["010D1"], 30), ("ble-15", [Self.six], 45), ("ble-15", ["010D"], 75),
        ("ble-7.5", ["010D1"], 22.5), ("ble-7.5", [Self.six], 30), ("ble-7.5", ["010D"], 60),
    ]

    @Test("A round trip takes a whole number of connection events", arguments: Self.seconds)
    func events(link: String, lines: [String], milliseconds: Double) throws {
        for time in try Self.cycles(link, [lines[0], lines[0], lines[0]]) {
            #expect(time == .microseconds(Int(milliseconds * 1000)))
        }
    }

    @Test("A stream adds its latency twice", arguments: [("usb", 2), ("wifi", 6), ("spp", 30)])
    func streams(link: String, added: Int) throws {
        let times = try Self.cycles(link, ["010D1", "010D", Self.six])
        let own = times.map { $0 - .milliseconds(added) }
        // 10 ms for the ECU, 1 ms for the adapter, and the time of 20 bytes over the serial line.
        #expect(.milliseconds(12) ..< .milliseconds(14) ~= own[0])
        #expect(.milliseconds(50) ..< .milliseconds(54) ~= own[1])
        #expect(.milliseconds(15) ..< .milliseconds(20) ~= own[2])
    }

    @Test("The response time of ECUs and the separation time of frames add up independently")
    func vehicle() throws {
        let usual = try Self.cycles("usb", ["010D1", Self.six])
        let slow = try Self.cycles("usb", ["010D1", Self.six]) { $0.responseTime = .milliseconds(30) }
        let spaced = try Self.cycles("usb", ["010D1", Self.six]) { $0.separation = .milliseconds(10) }
        #expect(slow[0] - usual[0] == .milliseconds(20))
        #expect(spaced[0] == usual[0] && spaced[1] - usual[1] > .milliseconds(15))
    }

    @Test("Two equal runs have equal times, to the nanosecond")
    func deterministic() throws {
        let lines = (0..<20).map { _ in Self.six } + ["010C", "0902"]
        #expect(try Self.cycles("ble-7.5", lines) == Self.cycles("ble-7.5", lines))
    }

    @Test("A reply that a count digit cut off arrives with the next request")
    func leftover() throws {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0"])
        _ = bench.lines("0100")
        #expect(bench.lines("01001") == ["7E8064100BE3FB813"])
        // The transmission's answer to the first request comes 8 ms after the engine's.
        #expect(bench.lines("01011").first?.hasPrefix("7E9064100") == true)
    }

    @Test("ECUs with a PID limit stay silent, or answer the first PIDs")
    func limits() {
        var silent = Bench.ready(.can11at500, ["ATS0"]) { ($0.ecus, $0.pidLimit) = (1, .silence(above: 2)) }
        #expect(silent.lines("01040D").count == 1)
        #expect(silent.lines("01040D05") == ["NO DATA"])
        var first = Bench.ready(.can11at500, ["ATS0"]) { ($0.ecus, $0.pidLimit) = (1, .first(2)) }
        // Ten digits: 41, and two PIDs with one data byte each.
        #expect(first.lines("01040D05").map(\.utf8.count) == [10])
    }
}
