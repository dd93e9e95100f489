// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import ELM327
import Logging
import MQTT
import OBD2
import Session
import Simulator
import Synchronization

@testable import Agent
@testable import Uplink

/// What an agent would send, with one configuration, of what a session tells: the machines of the uplink, its encoder
/// and the connection's own count of bytes, without broker and socket.
struct DayOnTheRoad: Sendable {
    struct Clock: CalendarClock {
        let manual: ManualClock
        let quality = ClockQuality.synchronised
        var now: MonotonicTime { self.manual.now }

        func sleep(until deadline: MonotonicTime) async throws { try await self.manual.sleep(until: deadline) }
        func timestamp(of time: MonotonicTime) -> Timestamp {
            Timestamp(milliseconds: 1_795_255_200_000) + time.sinceBoot
        }
    }

    /// Bytes on the wire, by what they were for.
    private(set) var telemetry = 0
    private(set) var values = 0
    private(set) var others = 0
    private(set) var samples = 0
    private(set) var batches = 0
    /// Batches that wait for the next day.
    private(set) var held = 0
    var total: Int { self.telemetry + self.values + self.others }

    private let options: Configuration.Uplink
    private let topics: VehicleTopics
    private let mapping: ContractMapping
    private let clock: Clock
    private var live: LivePlane
    private var batcher: TelemetryBatcher
    private var thinner = SampleThinner()
    private(set) var budget: DailyBudget
    private var primary: ECUAddress?
    private var nextTick: MonotonicTime
    private var nextStatus: MonotonicTime

    init(_ options: Configuration.Uplink, clock: Clock, vin: String) throws {
        self.options = options
        self.clock = clock
        self.mapping = ContractMapping(clock: clock, isImperial: false)
        self.topics = try VehicleTopics(prefix: try Topic("obd"), vehicle: vin)
        self.live = LivePlane(mode: LivePlane.Mode(options.live))
        self.live.connected()
        self.batcher = TelemetryBatcher(interval: options.batchInterval)
        self.budget = DailyBudget(limit: options.dailyBudget, at: clock.now)
        (self.nextTick, self.nextStatus) = (clock.now, clock.now)
        var connection = ConnectionOptions(server: Server(host: "", port: 0), clientID: "obd-0123456789ab-\(vin)")
        let availability = try self.topics.topic(.availability)
        connection.will = Message(topic: availability, payload: Availability.offline.payload, qos: .atLeastOnce)
        connection.sessionExpiry = .seconds(86_400)
        (connection.username, connection.password) = ("van-0123", "a password of its own")
        self.others += PacketSize.connect(connection)
    }

    mutating func take(_ event: SessionEvent) throws {
        try self.tick()
        switch event {
        case .samples(let samples):
            for sample in samples { try self.take(self.mapping.sample(sample, primary: self.primary)) }
        case .identified(let identity):
            self.primary = identity.primary
            let report = self.mapping.vehicle(identity, Selection(intervals: [:]), unsupported: [])
            try self.update(.vehicle, .vehicle(report))
        case .codes(let reading):
            try self.update(.codes, .codes(self.mapping.codes(reading, CodeHistory())))
        case .monitors(let monitors):
            if let report = self.mapping.monitors(monitors) { try self.update(.monitors, .monitors(report)) }
        default: break
        }
    }

    private mutating func take(_ sample: Uplink.Sample) throws {
        try self.update(sample.path, .parameter(sample.report))
        guard sample.steps != nil, self.thinner.keeps(sample, at: self.budget.level) else { return }
        self.samples += 1
        if let batch = self.batcher.append(sample) { try self.record(batch) }
    }

    /// What the uplink does every second, up to now.
    private mutating func tick() throws {
        while self.nextTick <= self.clock.now {
            if self.nextTick >= self.nextStatus {
                self.nextStatus = self.nextStatus + .seconds(60)
                try self.update(.status, .status(self.status))
                // PINGREQ, in the longest silence that there can be.
                self.others += 4
            }
            for (path, payload) in self.live.due(at: self.nextTick) { try self.publish(payload, on: path) }
            if let batch = self.batcher.flush(at: self.nextTick) { try self.record(batch) }
            let sent = self.total - self.budget.sent
            self.budget.add(sent, at: self.nextTick, on: 20_000)
            self.live.budget = self.budget.level
            self.nextTick = self.nextTick + .seconds(1)
        }
    }

    private mutating func update(_ path: TopicPath, _ payload: LivePayload) throws {
        if case .publish(let payload) = self.live.update(path, payload, at: self.clock.now) {
            try self.publish(payload, on: path)
        }
    }

    private mutating func publish(_ payload: LivePayload, on path: TopicPath) throws {
        var message = Message(topic: try self.topics.topic(path), payload: try payload.encoded())
        message.qos = payload.isAcknowledged ? .atLeastOnce : .atMostOnce
        let size = PacketSize.publish(message, .v5)
        if case .parameter = path { self.values += size } else { self.others += size }
    }

    private mutating func record(_ batch: TelemetryBatcher.Batch) throws {
        self.batches += 1
        if self.budget.level == .exhausted { return self.held += 1 }
        let header = RecordHeader(
            number: RecordNumber(agent: "0123456789ab", epoch: 17, seq: UInt64(self.batches)),
            time: self.clock.timestamp(of: batch.start),
            clock: .synchronised,
            boot: "0b5d2f4e-6a1c-4d7e-9f83-2c1a7e5b9d40"
        )
        let body = try PayloadEncoder.bytes(of: Telemetry(series: batch.series))
        guard let plain = header.payload(of: .telemetry, body: body) else { return }
        let compressed = self.options.compression == .zlib ? Zlib.compressed(plain) : nil
        let path: TopicPath = compressed == nil ? .stream(.telemetry) : .compressedTelemetry
        let message = Message(topic: try self.topics.topic(path), payload: compressed ?? plain, qos: .atLeastOnce)
        self.telemetry += PacketSize.publish(message, .v5)
    }

    private var status: AgentStatus {
        let capabilities = Capability.allCases.map { ($0.rawValue, AgentStatus.Capability.works) }
        return AgentStatus(
            agent: "0123456789ab",
            version: AgentVersion.current,
            time: self.clock.timestamp,
            simulated: false,
            vehicleConfirmed: true,
            adapter: .init(
                address: "ble:AA:BB:CC:DD:EE:FF",
                identity: "ELM327 v1.5",
                voltage: 14.1,
                rssi: -60,
                capabilities: Dictionary(capabilities) { first, _ in first }
            ),
            link: .connected,
            problem: nil,
            protocol: "ISO 15765-4 (CAN 11/500)",
            dialect: .j1979,
            clock: .synchronised,
            outbox: .init(records: 1, dropped: 0, oldest: self.clock.timestamp),
            store: .init(bytes: 1_000_000, problem: nil),
            sentToday: self.budget.sent,
            budget: self.budget.limit.map { .init(bytes: $0, level: self.budget.level) },
            dropped: .init(replies: 0, commands: 0)
        )
    }

    /// Drives for so long, and tells what agents would send of it, each with its own options.
    static func drive(
        _ parameters: [Configuration.ParameterInterval],
        for duration: Duration,
        _ options: [Configuration.Uplink]
    ) async throws -> [DayOnTheRoad] {
        let start = MonotonicTime(sinceBoot: .seconds(100))
        let clock = ManualClock(now: start)
        var vehicleOptions = SimulatedVehicle.Options()
        vehicleOptions.trip = .seconds(1800)
        let vehicle = SharedVehicle(SimulatedVehicle(vehicleOptions, startedAt: start))
        var adapter = SimulatedAdapter.Options()
        adapter.baudRate = 115_200
        let clocks = Clock(manual: clock)
        let days = try options.map { try DayOnTheRoad($0, clock: clocks, vin: vehicleOptions.vin) }
        let state = Mutex(Result<[DayOnTheRoad], any Error>.success(days))
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let session = Session(
            open: { [adapter] _ in SimulatedLink(vehicle: vehicle, adapter: SimulatedAdapter(adapter), clock: clock) },
            selection: Selection(intervals: Dictionary(parameters.map { ($0.key, $0.interval) }) { first, _ in first }),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            state.withLock { state in
                guard case .success(var days) = state else { return }
                // So that nothing of it is copied.
                state = .success([])
                state = Result {
                    for index in days.indices { try days[index].take(event) }
                    return days
                }
            }
            if clock.now - start >= duration { end.finish() }
        }
        await withTaskGroup { group in
            group.addTask { await session.run() }
            for await _ in ends {}
            group.cancelAll()
        }
        return try state.withLock { try $0.get() }
    }
}
