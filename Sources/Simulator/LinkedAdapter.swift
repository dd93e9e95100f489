// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A ``SimulatedAdapter`` at the end of a link that takes its time, as ``LinkTiming`` has it.
///
/// It is used as the adapter itself is: times and bytes are those of the client's end.
package struct LinkedAdapter: Sendable {
    private var adapter: SimulatedAdapter
    private let timing: LinkTiming?
    /// What has left the adapter and waits for its turn on the air.
    private var waiting: [UInt8] = []
    /// What the client can read.
    private var arrived: [UInt8] = []
    /// The last events that carried something from and to the client.
    private var lastWrite = MonotonicTime.zero
    private var lastEvent = MonotonicTime.zero

    package init(_ adapter: SimulatedAdapter) {
        self.adapter = adapter
        self.timing = adapter.options.link
    }

    package init(_ options: SimulatedAdapter.Options) {
        self.init(SimulatedAdapter(options))
    }

    /// Whether the link is broken.
    package var isDisconnected: Bool { self.adapter.isDisconnected }

    /// As ``SimulatedAdapter/inject(_:requests:)``.
    package mutating func inject(_ fault: Fault, requests count: Int = 1) {
        self.adapter.inject(fault, requests: count)
    }

    /// As ``SimulatedAdapter/clearFaults()``.
    package mutating func clearFaults() { self.adapter.clearFaults() }

    // MARK: - To the adapter

    /// The client sent `bytes`.
    package mutating func received(_ bytes: [UInt8], at time: MonotonicTime, by vehicle: inout SimulatedVehicle) {
        switch self.timing?.carrier {
        case nil:
            self.adapter.received(bytes, at: time, by: &vehicle)
        case .stream(let latency):
            self.pass(bytes[...], at: time + latency, &vehicle)
        case .events(let interval, let packets, let payload):
            // What is written at an event has missed it.
            self.advance(to: time)
            var event = max(Self.event(after: time, interval), self.lastWrite)
            var rest = bytes[...]
            var sent = event == self.lastWrite ? packets : 0
            while !rest.isEmpty {
                if sent == packets { (event, sent) = (event + interval, 0) }
                self.pass(rest.prefix(payload), at: event, &vehicle)
                rest = rest.dropFirst(payload)
                sent += 1
            }
            self.lastWrite = event
        }
    }

    /// Bytes reach the serial line; the adapter acts on them when the last has gone through.
    private mutating func pass(
        _ bytes: ArraySlice<UInt8>,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        let byteTime = self.timing.map { Duration.nanoseconds(10_000_000_000 / Int64($0.baudRate)) } ?? .zero
        self.adapter.received(Array(bytes), at: time + byteTime * bytes.count, by: &vehicle)
    }

    // MARK: - From the adapter

    /// When ``output(at:)`` will have something next, if nothing comes in before.
    package var nextOutput: MonotonicTime? {
        switch self.timing?.carrier {
        case nil: self.adapter.nextOutput
        case .stream(let latency): self.adapter.nextOutput.map { $0 + latency }
        case .events: self.arrived.isEmpty ? self.nextEvent : self.lastEvent
        }
    }

    /// What has arrived at `time`, empty if nothing.
    package mutating func output(at time: MonotonicTime) -> [UInt8] {
        switch self.timing?.carrier {
        case nil: return self.adapter.output(at: time)
        case .stream(let latency): return self.adapter.output(at: time - latency)
        case .events:
            self.advance(to: time)
            defer { self.arrived = [] }
            return self.arrived
        }
    }

    /// The next event that has something to carry to the client.
    private var nextEvent: MonotonicTime? {
        guard case .events(let interval, _, _) = self.timing?.carrier else { return nil }
        guard self.waiting.isEmpty else { return self.lastEvent + interval }
        // What is ready at an event still goes with it.
        return self.adapter.nextOutput.map { ready in
            max(Self.event(after: ready - .nanoseconds(1), interval), self.lastEvent + interval)
        }
    }

    private mutating func advance(to time: MonotonicTime) {
        guard case .events(_, let packets, let payload) = self.timing?.carrier else { return }
        while let event = self.nextEvent, event <= time {
            self.waiting += self.adapter.output(at: event)
            let carried = self.waiting.prefix(packets * payload)
            self.arrived += carried
            self.waiting.removeFirst(carried.count)
            self.lastEvent = event
        }
    }

    /// The first event after `time`; they are counted from the machine's start.
    private static func event(after time: MonotonicTime, _ interval: Duration) -> MonotonicTime {
        let step = interval.nanoseconds
        return MonotonicTime(sinceBoot: .nanoseconds((time.sinceBoot.nanoseconds / step + 1) * step))
    }
}

extension Duration {
    /// Whole nanoseconds.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
