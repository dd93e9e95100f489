// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Simulator
import TestSupport

/// A simulated adapter and vehicle at the end of a link that corrupts replies.
///
/// The link keeps the order of bytes, as every real link does, but guarantees nothing else.
struct ChaoticLink {
    private(set) var vehicle: SimulatedVehicle
    private var adapter = SimulatedAdapter()
    private var numbers: SeededNumbers
    /// The bytes on their way to the client, with their arrival times.
    private var arriving: [(time: MonotonicTime, bytes: [UInt8])] = []
    /// The corruption of the reply that the adapter is printing; `reply` holds the bytes printed so far.
    private var mangling = Mangling.none
    private var reply: [UInt8] = []
    private var command: [UInt8] = []
    private var earlier: [[UInt8]] = []
    /// The number of printed replies.
    private(set) var replies = 0
    /// The number of replies by the corruption that was chosen for them.
    private(set) var manglings: [Mangling: Int] = [:]
    /// The percentage of replies that the link corrupts.
    var chaos = 0

    init(_ options: SimulatedVehicle.Options, seed: UInt64) {
        self.vehicle = SimulatedVehicle(options)
        self.numbers = SeededNumbers(seed)
    }

    /// Writes `bytes` as the client.
    mutating func write(_ bytes: [UInt8], at time: MonotonicTime) {
        self.advance(to: time)
        if bytes.last == UInt8(ascii: "\r") {
            self.command = bytes
            self.mangling = .none
            if Int.random(in: 0..<100, using: &self.numbers) < self.chaos {
                self.mangling = Mangling.allCases.randomElement(using: &self.numbers) ?? .none
            }
            // The adapter's faults affect only answers of the vehicle, so `AT` commands (and `ST` commands) get none.
            let isRequest = bytes.first != UInt8(ascii: "A") && bytes.first != UInt8(ascii: "S")
            if self.mangling == .fault, isRequest, let fault = Mangling.faults.randomElement(using: &self.numbers) {
                self.adapter.inject(fault)
            }
            self.manglings[self.mangling, default: 0] += 1
        }
        self.adapter.bytesReceived(bytes, at: time, in: &self.vehicle)
    }

    /// Returns the next bytes that arrive until `deadline`, and the time of their arrival.
    mutating func read(until deadline: MonotonicTime) -> (time: MonotonicTime, bytes: [UInt8])? {
        while true {
            let next = self.adapter.nextOutput
            if let first = self.arriving.first, first.time <= next ?? first.time {
                return first.time <= deadline ? self.arriving.removeFirst() : nil
            }
            guard let next, next <= deadline else { return nil }
            self.advance(to: next)
        }
    }

    /// Reopens the link, which loses the bytes on their way to the client.
    mutating func reopen() {
        self.arriving = []
    }

    /// Collects the bytes that the adapter prints until `time`.
    private mutating func advance(to time: MonotonicTime) {
        while let next = self.adapter.nextOutput, next <= time {
            let bytes = self.adapter.output(at: next)
            guard !bytes.isEmpty else { continue }
            self.reply += bytes
            guard bytes.contains(UInt8(ascii: ">")) else { continue }
            self.finishReply(at: next)
        }
    }

    private mutating func finishReply(at time: MonotonicTime) {
        self.replies += 1
        let spoiled = self.mangling.spoil(
            self.reply,
            earlier: self.earlier,
            command: self.command,
            using: &self.numbers
        )
        self.earlier += self.reply.split(separator: UInt8(ascii: "\r")).map(Array.init).filter(Mangling.isData)
        self.earlier = self.earlier.suffix(30)
        self.reply = []
        var arrival = time
        if self.mangling == .late { arrival = arrival + .milliseconds(Int.random(in: 10...9000, using: &self.numbers)) }
        self.mangling = .none
        // Radio links and UARTs deliver a reply in pieces, and in order.
        var rest = spoiled[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...40, using: &self.numbers))
            arrival = max(arrival, self.arriving.last?.time ?? arrival)
            self.arriving.append((arrival, Array(piece)))
            rest = rest.dropFirst(piece.count)
            arrival = arrival + .milliseconds(Int.random(in: 0...3, using: &self.numbers))
        }
    }
}
