// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import ELM327
import Logging
import OBD2
import Session
import Simulator
import Synchronization
import Timing

/// A session with a simulated vehicle on a manual clock, and all that it says and writes.
struct Rig: Sendable {
    /// What a test does before a line is written to the adapter.
    typealias Watcher = @Sendable (String, SimulatedLink) async -> Void

    let clock: ManualClock
    let log: EventLog
    let session: Session
    /// Every event, for tests that wait for one; the oldest fall out.
    let events: AsyncStream<SessionEvent>

    init(
        _ intervals: [PID: Duration] = [0x0C: .milliseconds(500), 0x0D: .milliseconds(500), 0x05: .seconds(10)],
        bus: BusProtocol? = nil,
        vehicle options: SimulatedVehicle.Options = SimulatedVehicle.Options(),
        watcher: @escaping Watcher = { _, _ in }
    ) {
        let start = MonotonicTime(sinceBoot: .seconds(100))
        let clock = ManualClock(now: start)
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: start))
        let log = EventLog(vehicle)
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(10_000)
        )
        self.clock = clock
        self.log = log
        self.events = events
        self.session = Session(
            open: { _ throws(LinkError) in
                let link = SimulatedLink(vehicle: vehicle, clock: clock)
                return WatchedLink(link) { line in
                    await watcher(line, link)
                    log.wrote(line, at: clock.now)
                }
            },
            bus: bus,
            selection: Selection(intervals: intervals),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            log.take(event)
            continuation.yield(event)
        }
    }

    /// Runs the session while `body` does, and gives back what was logged.
    @discardableResult
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws -> EventLog.Contents {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.session.run() }
            defer { group.cancelAll() }
            try await body()
        }
        return self.log.contents
    }

    /// Runs the session for so long on its own clock.
    @discardableResult
    func run(for duration: Duration) async throws -> EventLog.Contents {
        let end = self.clock.now + duration
        return try await self.run {
            for await _ in self.events where self.clock.now >= end { return }
        }
    }

    /// Waits for samples, as many as there may be at that time.
    func firstSamples() async {
        for await event in self.events { if case .samples = event { return } }
    }
}

/// What a session says and writes, each sample held against the vehicle.
final class EventLog: Sendable {
    struct Contents: Sendable {
        /// Lines to the adapter, of all links.
        var lines: [String] = []
        var samples: [Sample] = []
        var readings: [CodeReading] = []
        var identities: [VehicleIdentity] = []
        var selections: [Selection] = []
        var monitors: [[ECUAddress: MonitorStatus]] = []
        var states: [LinkState] = []
        var dropped = 0
        /// Samples that the vehicle did not have when it was asked.
        var wrong: [Sample] = []
        var asked: [String: MonotonicTime] = [:]
        /// How long after the request an ECU looked, the last time.
        var latency: [ECUAddress: Duration] = [:]
    }

    let vehicle: SharedVehicle
    private let log = Mutex(Contents())

    init(_ vehicle: SharedVehicle) {
        self.vehicle = vehicle
    }

    var contents: Contents { self.log.withLock { $0 } }

    func wrote(_ line: String, at time: MonotonicTime) {
        self.log.withLock {
            $0.lines.append(line)
            $0.asked[line] = time
        }
    }

    func take(_ event: SessionEvent) {
        self.log.withLock { log in
            switch event {
            case .samples(let samples):
                log.samples += samples
                for sample in samples where !self.isTrue(sample, &log) { log.wrong.append(sample) }
            case .codes(let reading): log.readings.append(reading)
            case .identified(let identity): log.identities.append(identity)
            case .selected(let selection): log.selections.append(selection)
            case .monitors(let monitors): log.monitors.append(monitors)
            case .link(let state): log.states.append(state)
            case .dropped(let count): log.dropped += count
            }
        }
    }

    /// Whether the vehicle had the value at some time between the request and the sample.
    private func isTrue(_ sample: Sample, _ log: inout Contents) -> Bool {
        guard let parameter = Parameter.named(sample.value.field.name),
            let asked = log.asked["01\(parameter.pid)"], asked <= sample.time
        else { return false }
        let vehicle = self.vehicle.withVehicle { $0 }
        func value(at time: MonotonicTime) -> Value? {
            var vehicle = vehicle
            for reply in vehicle.replies(to: [0x01, parameter.pid.rawValue], target: .functional, at: time)
            where sample.ecu.is(reply.ecu) {
                let values = try? parameter.decode(Array(reply.message.dropFirst(2)))
                return values?.first { $0.field == sample.value.field }?.value
            }
            return nil
        }
        if let latency = log.latency[sample.ecu], value(at: asked + latency) == sample.value.value { return true }
        // An answer takes the bus and the adapter some milliseconds, and a repeated request more.
        for step in 0..<400 {
            let latency = Duration.milliseconds(step)
            guard asked + latency <= sample.time else { return false }
            guard value(at: asked + latency) == sample.value.value else { continue }
            log.latency[sample.ecu] = latency
            return true
        }
        return false
    }
}

extension ECUAddress {
    fileprivate func `is`(_ ecu: ECU) -> Bool {
        switch self {
        case .can11(let identifier): UInt32(identifier) == ecu.identifier
        case .can29(let address), .legacy(let address): address == ecu.address
        }
    }
}

/// A link that tells what is written to it.
private final class WatchedLink: AdapterLink {
    private let link: SimulatedLink
    private let watch: @Sendable (String) async -> Void

    init(_ link: SimulatedLink, watch: @escaping @Sendable (String) async -> Void) {
        self.link = link
        self.watch = watch
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        if bytes.last == UInt8(ascii: "\r") { await self.watch(String(decoding: bytes.dropLast(), as: UTF8.self)) }
        try await self.link.write(bytes)
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        try await self.link.read(until: deadline)
    }

    func signalStrength() async -> Int? { -60 }
    func wake() { self.link.wake() }
    func close() { self.link.close() }
}
