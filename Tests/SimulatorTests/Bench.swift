// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

@testable import Simulator

/// A simulated adapter in a simulated vehicle, with a client that sends lines and collects all output.
struct Bench {
    var adapter: SimulatedAdapter
    var vehicle: SimulatedVehicle
    var time: MonotonicTime

    /// - Parameter time: the time of the first request; by default one minute after the start of the first trip.
    init(
        _ bus: BusProtocol = .can11at500,
        codes: [String] = [],
        at time: Duration = .seconds(60),
        adapter: SimulatedAdapter.Options = .init(),
        _ change: (inout SimulatedVehicle.Options) -> Void = { _ in }
    ) {
        var options = SimulatedVehicle.Options()
        options.bus = bus
        options.codes = codes.compactMap { DTC($0) }
        change(&options)
        self.vehicle = SimulatedVehicle(options)
        self.adapter = SimulatedAdapter(adapter)
        self.time = MonotonicTime(sinceBoot: time)
    }

    /// Creates a bench whose adapter is set up: without echo, with the bus chosen, and with `commands` performed.
    static func ready(
        _ bus: BusProtocol = .can11at500,
        _ commands: [String] = [],
        codes: [String] = [],
        at time: Duration = .seconds(60),
        _ change: (inout SimulatedVehicle.Options) -> Void = { _ in }
    ) -> Bench {
        var bench = Bench(bus, codes: codes, at: time, change)
        for command in ["ATE0", "ATSP\(bus.number)"] + commands { _ = bench.send("\(command)\r") }
        _ = bench.send("0100\r")
        return bench
    }

    /// Sends `text`, and returns all output until the adapter has no more.
    mutating func send(_ text: String) -> String {
        self.adapter.bytesReceived(Array(text.utf8), at: self.time, in: &self.vehicle)
        return self.rest()
    }

    /// Sends `text`, and returns the output within `duration`.
    mutating func send(_ text: String, for duration: Duration) -> String {
        self.adapter.bytesReceived(Array(text.utf8), at: self.time, in: &self.vehicle)
        self.time = self.time + duration
        return String(decoding: self.adapter.output(at: self.time), as: UTF8.self)
    }

    /// Returns the remaining output.
    mutating func rest() -> String {
        var bytes: [UInt8] = []
        while let next = self.adapter.nextOutput {
            self.time = max(self.time, next)
            bytes += self.adapter.output(at: self.time)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the lines of the reply to `text`, which must end with a prompt.
    mutating func lines(_ text: String) -> [String] {
        let reply = self.send(text + "\r")
        guard reply.hasSuffix("\r\r>") else { return ["no prompt after \(reply.debugDescription)"] }
        return reply.dropLast(3).split(separator: "\r", omittingEmptySubsequences: false).map(String.init)
    }
}

/// A generator of pseudorandom numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (self.state >> 33) | (self.state << 31)
    }
}
