// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327
import Logging
import OBD2
import Parking
import Session
import Simulator
import Synchronization

/// What outlives the process of a session: the adapter, and the facts about it.
final class Aftermath: Sendable {
    let link = Mutex<SimulatedLink?>(nil)
    private let known = Mutex<(KnownAdapter?, KnownVehicle?)>((nil, nil))

    /// Another program sends a line to the adapter between two processes.
    func tell(_ line: String, _ rig: Rig) async throws {
        guard let adapter = self.link.withLock({ $0?.adapterAfterLoss }) else { return }
        let link = SimulatedLink(vehicle: rig.log.vehicle, adapter: adapter, clock: rig.clock)
        self.link.withLock { $0 = link }
        try await link.write(Array("\(line)\r".utf8))
        var bytes: [UInt8] = []
        let deadline = rig.clock.now + .seconds(5)
        while bytes.last != UInt8(ascii: ">"), case .bytes(let more) = try await link.read(until: deadline) {
            bytes += more
        }
    }

    var memory: AdapterMemory {
        let (known, vehicle) = self.known.withLock(\.self)
        return AdapterMemory(known, vehicle) { known, vehicle in self.known.withLock { $0 = (known, vehicle) } }
    }
}

/// A session with a simulated vehicle on a manual clock, and a log of its events and written lines.
struct Rig: Sendable {
    /// An action of a test before the session writes a line to the adapter.
    typealias Watcher = @Sendable (String, SimulatedLink) async -> Void

    let clock: ManualClock
    let log: EventLog
    let session: Session
    let aftermath: Aftermath
    /// The events for tests that wait for one; of more than 10,000 unread events the oldest are dropped.
    let events: AsyncStream<SessionEvent>
    /// A stream that yields when a caller has queued for the bus.
    let queued: AsyncStream<Void>
    /// A stream that yields at every event, every line to the adapter, and every attempt to connect.
    private let ticks: AsyncStream<Void>

    init(
        _ intervals: [ParameterKey: Duration] = [
            0x0C: .milliseconds(500), 0x0D: .milliseconds(500), 0x05: .seconds(10),
        ],
        bus: BusProtocol? = nil,
        vehicle options: SimulatedVehicle.Options = SimulatedVehicle.Options(),
        adapter: SimulatedAdapter.Options = SimulatedAdapter.Options(),
        link: LinkTiming? = nil,
        unreachable: ClosedRange<Duration>? = nil,
        // Whether the adapter has power while its link is lost.
        keepsAdapter: Bool = false,
        // The process before, whose adapter and clock this one takes over.
        earlier: Rig? = nil,
        custom: [CustomParameter] = [],
        charging: [ParameterKey] = [],
        // Most tests begin while the starter turns, so the voltage is low.
        parking: ParkingPolicy = ParkingPolicy(minimumVoltage: 0),
        tampering: [String: String] = [:],
        watcher: @escaping Watcher = { _, _ in },
        expects: @escaping @Sendable (VehicleIdentity) -> Bool = { _ in true }
    ) {
        let clock = earlier?.clock ?? ManualClock(now: MonotonicTime(sinceBoot: .seconds(100)))
        let start = clock.now
        let vehicle = earlier?.log.vehicle ?? SharedVehicle(SimulatedVehicle(options, startedAt: start))
        let aftermath = earlier?.aftermath ?? Aftermath()
        self.aftermath = aftermath
        let log = EventLog(vehicle, custom, isTimed: link != nil)
        var adapter = adapter
        adapter.link = link ?? adapter.link
        let adapterOptions = adapter
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(10_000)
        )
        self.clock = clock
        self.log = log
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        self.ticks = ticks
        let (queued, queue) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.queued = queued
        self.session = Session(
            open: { _ throws(LinkError) in
                tick.yield()
                if unreachable?.contains(clock.now - start) == true { throw .lost("the second connection fails") }
                let kept = aftermath.link.withLock { keepsAdapter ? $0?.adapterAfterLoss : nil }
                let adapter = kept ?? SimulatedAdapter(adapterOptions)
                let link = SimulatedLink(vehicle: vehicle, adapter: adapter, clock: clock)
                aftermath.link.withLock { $0 = link }
                return WatchedLink(link, tampering, interrupted: { queue.yield() }) { line in
                    await watcher(line, link)
                    log.wrote(line, at: clock.now)
                    tick.yield()
                }
            },
            memory: aftermath.memory,
            vehicle: VehicleSettings(
                bus: bus,
                custom: custom,
                searched: Set(intervals.keys),
                charging: { charging },
                isExpected: expects
            ),
            selection: Selection(intervals: intervals),
            parking: ParkingSettings(parking),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            log.take(event)
            continuation.yield(event)
            tick.yield()
        }
    }

    /// Runs the session while `body` runs, and returns the log.
    @discardableResult
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws -> EventLog.Contents {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.session.run() }
            defer { group.cancelAll() }
            try await body()
        }
        return self.log.contents
    }

    /// Runs the session for `duration` on its own clock, and returns the log.
    @discardableResult
    func run(for duration: Duration) async throws -> EventLog.Contents {
        let end = self.clock.now + duration
        return try await self.run { await self.wait(until: end) }
    }

    /// Waits for a time of the session's own clock.
    func wait(until end: MonotonicTime) async { for await _ in self.ticks where self.clock.now >= end { return } }

    /// Waits for the next samples.
    func firstSamples() async {
        for await event in self.events { if case .samples = event { return } }
    }

    /// Waits for the codes, and then for the next samples.
    ///
    /// The codes are the last data that a session reads at its start besides the polled parameters.
    func firstCodes() async {
        for await event in self.events { if case .codes = event { break } }
        await self.firstSamples()
    }
}

/// The log of a session's events and written lines, which compares each sample with the vehicle.
final class EventLog: Sendable {
    struct Contents: Sendable {
        /// The lines to the adapter over all links.
        var lines: [String] = []
        var samples: [Sample] = []
        var readings: [CodeReading] = []
        var tests: [MonitorReading] = []
        var identities: [VehicleIdentity] = []
        /// The identified vehicles that the session does not expect, and does not read.
        var unexpected: [VehicleIdentity] = []
        var selections: [Selection] = []
        var monitors: [[ECUAddress: MonitorStatus]] = []
        var states: [LinkState] = []
        var adapters: [AdapterReport] = []
        var dropped = 0
        var parkings: [ParkingReport] = []
        var refusals: [(line: String, parameters: [String])] = []
        var silences: [(destination: Destination, parameters: [String])] = []
        /// The PIDs with maxima that an ECU did not report.
        var unscaled: [PID] = []
        /// The samples with values that the vehicle did not have between the request and the sample.
        var wrong: [Sample] = []
        var asked: [String: MonotonicTime] = [:]
        /// The time from the last request to the moment of the ECU's value.
        var latency: [ECUAddress: Duration] = [:]
    }

    let vehicle: SharedVehicle
    private let log = Mutex(Contents())

    private let custom: [String: CustomParameter]
    /// Whether the link has a timing of its own, so that times are not whole milliseconds.
    private let isTimed: Bool

    init(_ vehicle: SharedVehicle, _ custom: [CustomParameter], isTimed: Bool = false) {
        self.vehicle = vehicle
        self.isTimed = isTimed
        self.custom = Dictionary(custom.map { ($0.name, $0) }) { $1 }
    }

    var contents: Contents { self.log.withLock { $0 } }

    func wrote(_ line: String, at time: MonotonicTime) {
        self.log.withLock {
            $0.lines.append(line)
            $0.asked[line] = time
            guard line.hasPrefix("01"), line.allSatisfy(\.isHexDigit) else { return }
            // The line may request several PIDs, and end with a frame count.
            for start in stride(from: 2, to: line.count - 1, by: 2) {
                $0.asked["01\(line.dropFirst(start).prefix(2))"] = time
            }
        }
    }

    func take(_ event: SessionEvent) {
        self.log.withLock { log in
            switch event {
            case .samples(let samples):
                log.samples += samples
                for sample in samples where !self.isTrue(sample, &log) { log.wrong.append(sample) }
            case .codes(let reading): log.readings.append(reading)
            case .tests(let reading): log.tests.append(reading)
            case .identified(let identity): log.identities.append(identity)
            case .unexpected(let identity): log.unexpected.append(identity)
            case .selected(let selection): log.selections.append(selection)
            case .monitors(let monitors): log.monitors.append(monitors)
            case .link(let state): log.states.append(state)
            case .dropped(let count): log.dropped += count
            case .parking(let report): log.parkings.append(report)
            case .adapter(let report): log.adapters.append(report)
            case .refused(let line, let parameters): log.refusals.append((line, parameters))
            case .unscaled(let pid, _): log.unscaled.append(pid)
            case .silent(let destination, let parameters): log.silences.append((destination, parameters))
            }
        }
    }

    /// Whether the ECU has sent the value between the request and the sample.
    private func wasSent(_ sample: Sample, _ parameter: Parameter, _ log: Contents) -> Bool {
        guard let asked = log.asked["01\(parameter.pid)"] else { return false }
        return self.vehicle.withVehicle { $0.log }.reversed().prefix { $0.time >= asked }.contains { message in
            guard message.bytes.first == 0x41, message.time <= sample.time, sample.ecu.is(message.ecu) else {
                return false
            }
            let walk = try? CurrentData.walk(Array(message.bytes.dropFirst()), requested: nil)
            return walk?.contains { part in
                part.pid == parameter.pid
                    && (try? parameter.decode(part.data))?.contains { $0 == sample.value } == true
            } ?? true
        }
    }

    /// Whether the vehicle had the value at some time between the request and the sample.
    private func isTrue(_ sample: Sample, _ log: inout Contents) -> Bool {
        if let parameter = self.custom[sample.value.field.name] { return self.isTrue(sample, parameter, &log) }
        if case .j1939(let source) = sample.ecu { return self.wasSaid(sample, by: source, log) }
        guard let parameter = Parameter.named(sample.value.field.name) else { return false }
        if self.isTimed { return self.wasSent(sample, parameter, log) }
        let pid = parameter.pid
        let vehicle = self.vehicle.withVehicle { $0 }
        let isPart2 = vehicle.options.dialect == .j1979Part2
        let request = isPart2 ? [0x22, 0xF4, pid.rawValue] : [0x01, pid.rawValue]
        guard let asked = log.asked[isPart2 ? "22F4\(pid)" : "01\(pid)"], asked <= sample.time else { return false }
        func value(at time: MonotonicTime) -> DecodedValue? {
            var vehicle = vehicle
            for reply in vehicle.replies(to: request, target: .functional, at: time) where sample.ecu.is(reply.ecu) {
                let values = try? parameter.decode(Array(reply.message.dropFirst(request.count)))
                return values?.first { $0.field == sample.value.field }?.value
            }
            return nil
        }
        if let latency = log.latency[sample.ecu], value(at: asked + latency) == sample.value.value { return true }
        // An answer takes the bus and the adapter some milliseconds, and a repeated request more.
        for step in 0..<400 where asked + .milliseconds(step) <= sample.time {
            guard value(at: asked + .milliseconds(step)) == sample.value.value else { continue }
            log.latency[sample.ecu] = .milliseconds(step)
            return true
        }
        // An answer from just before the request may arrive after it, and counts as right.
        return (-30..<0).contains { value(at: asked + .milliseconds($0)) == sample.value.value }
    }
}

extension EventLog {
    /// Whether an ECU on J1939 has sent the value between the request and the sample.
    private func wasSaid(_ sample: Sample, by source: UInt8, _ log: Contents) -> Bool {
        guard let group = ParameterGroup.named(sample.value.field.name) else { return false }
        let digits = group.pgn.description
        let lines = ["ATMP\(digits.dropFirst(2))1", digits]
        guard let asked = lines.compactMap({ log.asked[$0] }).max(), asked <= sample.time else { return false }
        return self.vehicle.withVehicle { vehicle in
            // A message from just before the request may arrive after it, and counts as right.
            let said =
                vehicle.broadcasts(
                    of: group.pgn,
                    from: asked - .milliseconds(30),
                    until: sample.time + .milliseconds(1)
                )
                + (-30...5).flatMap { vehicle.answers(to: group.pgn, at: asked + .milliseconds($0)) }
            return said.contains { message in
                message.source == source && group.decode(message.data).contains { $0 == sample.value }
            }
        }
    }

    /// Whether the ECU of a custom parameter had the value at some time between the request and the sample.
    private func isTrue(_ sample: Sample, _ parameter: CustomParameter, _ log: inout Contents) -> Bool {
        // What is sent without a request, a test itself compares with what was sent.
        guard let payload = parameter.request?.payload else { return true }
        let line = payload.map { String(UInt16($0) + 0x100, radix: 16, uppercase: true).suffix(2) }.joined()
        let vehicle = self.vehicle.withVehicle { $0 }
        guard let asked = log.asked[line], asked <= sample.time,
            let ecu = vehicle.sideECUs.first(where: { sample.ecu.is($0) })
        else { return false }
        func isValue(after latency: Duration) -> Bool {
            vehicle.reply(of: ecu, to: payload, at: asked + latency).flatMap(parameter.decode)?.value
                == sample.value.value
        }
        if let latency = log.latency[sample.ecu], isValue(after: latency) { return true }
        // An answer takes the bus and the adapter some milliseconds, and a repeated request more.
        for step in 0..<400 where asked + .milliseconds(step) <= sample.time {
            guard isValue(after: .milliseconds(step)) else { continue }
            log.latency[sample.ecu] = .milliseconds(step)
            return true
        }
        return false
    }
}

extension ECUAddress {
    fileprivate func `is`(_ ecu: SideECU) -> Bool {
        switch self {
        case .can11(let identifier): UInt32(identifier) == ecu.identifier(extended: false)
        case .can29(let address): 0x18DA_F100 | UInt32(address) == ecu.identifier(extended: true)
        case .can29Identifier(let identifier): identifier == ecu.identifier(extended: true)
        case .legacy, .j1939: false
        }
    }

    fileprivate func `is`(_ ecu: ECU) -> Bool {
        switch self {
        case .can11(let identifier): UInt32(identifier) == ecu.identifier
        case .can29(let address), .legacy(let address): address == ecu.address
        case .can29Identifier, .j1939: false
        }
    }
}

/// A link that reports the lines that are written to it.
private final class WatchedLink: AdapterLink {
    private let link: SimulatedLink
    /// The replies to lines that the link withholds from the adapter, by line.
    private let tampering: [String: String]
    private let watch: @Sendable (String) async -> Void
    private let interrupted: @Sendable () -> Void
    /// The unread bytes of the replies that the link gave in place of the adapter.
    private let said = Mutex<[UInt8]>([])

    init(
        _ link: SimulatedLink,
        _ tampering: [String: String],
        interrupted: @escaping @Sendable () -> Void,
        watch: @escaping @Sendable (String) async -> Void
    ) {
        self.link = link
        self.tampering = tampering
        self.watch = watch
        self.interrupted = interrupted
    }

    var address: String { self.link.address }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        if bytes.last == UInt8(ascii: "\r") {
            let line = String(decoding: bytes.dropLast(), as: UTF8.self)
            await self.watch(line)
            if let text = self.tampering[line] { return self.said.withLock { $0 += text.utf8 } }
        }
        try await self.link.write(bytes)
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        let said = self.said.withLock { said in (said, said = []).0 }
        if !said.isEmpty { return .bytes(said) }
        return try await self.link.read(until: deadline)
    }

    func signalStrength() async -> Int? { -60 }
    func interruptRead() {
        self.interrupted()
        self.link.interruptRead()
    }
    func close() { self.link.close() }
}
