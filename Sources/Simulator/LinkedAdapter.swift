// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A ``SimulatedAdapter`` behind a link whose delays are those of its ``LinkTiming``.
///
/// The interface is that of the adapter. Times and bytes are those at the client's end of the link.
package struct LinkedAdapter: Sendable {
    private var adapter: SimulatedAdapter
    private let timing: LinkTiming?
    /// The bytes that have left the adapter and wait for a connection event.
    private var queuedBytes: [UInt8] = []
    /// The bytes that the client can read.
    private var arrivedBytes: [UInt8] = []
    /// The last connection events that carried bytes from the client (`lastWriteEvent`) and to it (`lastReadEvent`).
    private var lastWriteEvent = MonotonicTime.zero
    private var lastReadEvent = MonotonicTime.zero

    package init(_ adapter: SimulatedAdapter) {
        self.adapter = adapter
        self.timing = adapter.options.link
    }

    package init(_ options: SimulatedAdapter.Options) {
        self.init(SimulatedAdapter(options))
    }

    /// Whether the link to the client is broken.
    package var isDisconnected: Bool { self.adapter.isDisconnected }

    /// Returns the adapter as the next link finds it, if it has power until then.
    var adapterAfterLoss: SimulatedAdapter {
        var adapter = self.adapter
        adapter.linkReturned()
        return adapter
    }

    /// Injects a fault, as ``SimulatedAdapter/inject(_:requests:)`` does.
    package mutating func inject(_ fault: InjectedFault, requests count: Int = 1) {
        self.adapter.inject(fault, requests: count)
    }

    /// Drops the pending faults, as ``SimulatedAdapter/clearFaults()`` does.
    package mutating func clearFaults() { self.adapter.clearFaults() }

    // MARK: - To the adapter

    /// Takes `bytes` that the client sent at `time`.
    package mutating func bytesReceived(_ bytes: [UInt8], at time: MonotonicTime, in vehicle: inout SimulatedVehicle) {
        switch self.timing?.carrier {
        case nil:
            self.adapter.bytesReceived(bytes, at: time, in: &vehicle)
        case .stream(let latency):
            self.deliver(bytes[...], at: time + latency, &vehicle)
        case .events(let interval, let packets, let payload):
            // Bytes that are written at the time of an event wait for the next one.
            self.advance(to: time)
            var event = max(Self.event(after: time, interval), self.lastWriteEvent)
            var rest = bytes[...]
            var sent = event == self.lastWriteEvent ? packets : 0
            while !rest.isEmpty {
                if sent == packets { (event, sent) = (event + interval, 0) }
                self.deliver(rest.prefix(payload), at: event, &vehicle)
                rest = rest.dropFirst(payload)
                sent += 1
            }
            self.lastWriteEvent = event
        }
    }

    /// Sends bytes over the serial line.
    ///
    /// The adapter receives them when the last one has gone through.
    private mutating func deliver(
        _ bytes: ArraySlice<UInt8>,
        at time: MonotonicTime,
        _ vehicle: inout SimulatedVehicle
    ) {
        let byteTime = self.timing.map { Duration.nanoseconds(10_000_000_000 / Int64($0.baudRate)) } ?? .zero
        self.adapter.bytesReceived(Array(bytes), at: time + byteTime * bytes.count, in: &vehicle)
    }

    // MARK: - From the adapter

    /// The time at which ``output(at:)`` has bytes next, provided that the client sends nothing before.
    package var nextOutput: MonotonicTime? {
        switch self.timing?.carrier {
        case nil: self.adapter.nextOutput
        case .stream(let latency): self.adapter.nextOutput.map { $0 + latency }
        case .events: self.arrivedBytes.isEmpty ? self.nextReadEvent : self.lastReadEvent
        }
    }

    /// Returns the bytes that have arrived at the client until `time`.
    package mutating func output(at time: MonotonicTime) -> [UInt8] {
        switch self.timing?.carrier {
        case nil: return self.adapter.output(at: time)
        case .stream(let latency): return self.adapter.output(at: time - latency)
        case .events:
            self.advance(to: time)
            defer { self.arrivedBytes = [] }
            return self.arrivedBytes
        }
    }

    /// The time of the next connection event that carries bytes to the client.
    private var nextReadEvent: MonotonicTime? {
        guard case .events(let interval, _, _) = self.timing?.carrier else { return nil }
        guard self.queuedBytes.isEmpty else { return self.lastReadEvent + interval }
        // Bytes that are ready at the time of an event are carried by that event.
        return self.adapter.nextOutput.map { ready in
            max(Self.event(after: ready - .nanoseconds(1), interval), self.lastReadEvent + interval)
        }
    }

    private mutating func advance(to time: MonotonicTime) {
        guard case .events(_, let packets, let payload) = self.timing?.carrier else { return }
        while let event = self.nextReadEvent, event <= time {
            self.queuedBytes += self.adapter.output(at: event)
            let carried = self.queuedBytes.prefix(packets * payload)
            self.arrivedBytes += carried
            self.queuedBytes.removeFirst(carried.count)
            self.lastReadEvent = event
        }
    }

    /// Returns the time of the first connection event after `time`.
    ///
    /// Events are counted from the machine's start.
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
