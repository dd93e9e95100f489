// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Configuration
import Contract
import EventLoop
import FaultVFS
import JOSE
import MQTT
import OBD2
import TestSupport
import Testing

@testable import Agent
@testable import Simulator

/// A machine in a vehicle, the vehicle, and the broker, in virtual time; and the whole agent on that machine.
final class World: Sendable {
    /// What is polled, every five seconds unless a test says otherwise.
    static let parameters = [
        "engine_speed", "vehicle_speed", "coolant_temperature", "intake_air_temperature", "throttle_position",
    ]

    /// What a story takes place in.
    struct Settings: Sendable {
        /// How often each parameter is polled, in seconds.
        var interval = 5.0
        /// What the configuration says of the broker.
        var mqtt = "url = \"mqtt://127.0.0.1\""
        /// The commands that are allowed; nil: those that always are.
        var commands: [String]?
        /// The key that signs them; nil: none.
        var key: JSONWebKey?
        /// Further lines of `[parameters]`.
        var parameters = ""
        /// The lines of `[parking]`.
        var parking = ""
        /// What stands in `[vehicle]`.
        var identity = ""
        /// After how many seconds with a parked vehicle the machine is switched off; 0: never.
        var shutdownAfter = 0
        var vehicle = SimulatedVehicle.Options()
        /// Whether trips are recorded, for which more is polled.
        var recordsTrips = false

        init() {
            (self.vehicle.ecus, self.vehicle.trip, self.vehicle.pause) = (1, .seconds(3600), .seconds(30))
        }
    }

    /// What a kill may cost: the store's window, and the value that is on its way.
    private static let window = Duration.seconds(12)

    private struct State: Sendable {
        var vehicle: SharedVehicle
        var link: SimulatedLink?
        /// Whether the adapter can be reached.
        var isPlugged = true
        var disk: TemporaryDirectory
        /// Since when nothing can be written.
        var failingSince: MonotonicTime?
        var mode = fault_vfs_works
        var boot = 1
        var bootedAt: MonotonicTime
        var wall = WallClock()
        /// When somebody wanted the machine to be switched off.
        var shutdowns: [MonotonicTime] = []
        var process: AgentProcess?
        /// The lines to the adapter, with their numbers, by the VIN of the vehicle that it was in.
        var lines: [String: [String: Int]] = [:]
    }

    let time: VirtualTime
    let ledger: Ledger
    let broker: ScriptedBroker
    /// Cuts the power at a step, where it is set.
    let fuse: Fuse
    private let settings: Settings
    private let state: Locked<State>

    init(_ time: VirtualTime, _ settings: Settings) throws {
        try #require(fault_vfs_install() == 0)
        self.time = time
        self.settings = settings
        let interval = Duration.milliseconds(Int(settings.interval * 1000))
        let (ledger, fuse) = (Ledger(Set(Self.parameters), interval: interval), Fuse())
        (self.ledger, self.fuse) = (ledger, fuse)
        self.broker = ScriptedBroker(time) { message in
            ledger.received(message)
            if message.qos != .atMostOnce, !message.retain { fuse.count(.brokerHas) }
        }
        self.state = Locked(
            State(
                vehicle: Self.vehicle(settings.vehicle, at: time.now),
                disk: try TemporaryDirectory(),
                bootedAt: time.now - .seconds(20)
            )
        )
    }

    private static func vehicle(_ options: SimulatedVehicle.Options, at time: MonotonicTime) -> SharedVehicle {
        SharedVehicle(SimulatedVehicle(options, startedAt: time))
    }

    /// What stands in `agent.toml`.
    private func configuration(_ directory: String) -> String {
        let keys = self.settings.key.map { _ in "trusted_keys = \"\(directory)/keys.json\"\nraw_writing = true" }
        let commands = self.settings.commands.map { names in
            """
            [commands]
            unsigned_role = "specialist"
            allow = [\(names.map { "\"\($0)\"" }.joined(separator: ", "))]
            \(keys ?? "")
            """
        }
        return """
            [vehicle]
            \(self.settings.identity)
            [power]
            shutdown_after_parked_seconds = \(self.settings.shutdownAfter)
            [parking]
            \(self.settings.parking)
            [trips]
            enabled = \(self.settings.recordsTrips)
            [adapter]
            address = "ble"
            [mqtt]
            \(self.settings.mqtt)
            [parameters]
            \(Self.parameters.map { "\($0) = \(self.settings.interval)" }.joined(separator: "\n"))
            \(self.settings.parameters)
            \(commands ?? "")
            [store]
            directory = "\(directory)"
            """
    }

    // MARK: - The agent

    /// Starts the agent, as systemd does.
    func start() async throws {
        let state = self.state.withLock { $0 }
        let process = AgentProcess()
        let clock = BootedClock(time: self.time, start: state.bootedAt)
        let text = self.configuration(state.disk.path)
        if let key = self.settings.key {
            let keys: JSON = ["keys": .array([key.publicKey.json])]
            try state.disk.write(Array(keys.text.utf8), to: "keys.json")
        }
        var surroundings = Surroundings(
            machine: MachineIdentity(agent: "0123456789ab", boot: "boot-\(state.boot)"),
            clock: clock,
            kernel: { self.state.withLock { $0.wall }.kernel(at: self.time.now) },
            simulatedAdapter: .init { deadline throws(LinkError) in
                try await self.open(for: process, clock, deadline)
            },
            connect: { options throws(MQTTError) in self.broker.connect(options) { process.isKilled } },
            storeExecutor: self.time.serial,
            sessionExecutor: self.time,
            runtimeDirectory: nil
        )
        surroundings.powerOff = {
            self.state.withLock { $0.shutdowns.append(self.time.now) }
        }
        try await process.start(
            Configuration(toml: Array(text.utf8), file: "agent.toml"),
            in: surroundings,
            on: self.time
        )
        self.state.withLock { $0.process = process }
    }

    /// When somebody wanted the machine to be switched off.
    var shutdowns: [MonotonicTime] { self.state.withLock { $0.shutdowns } }

    /// SIGTERM, and waits for the end.
    func stop() async {
        let process = self.state.withLock { $0.process.take() }
        // The reply that is on its way is not waited for.
        let start = self.time.now
        await self.time.withStrangers { await process?.stop() }
        self.ledger.exempt(start - .milliseconds(500)...self.time.now)
        self.harvest()
    }

    /// SIGKILL: what the kernel has of its files stays, and nothing else.
    func kill() throws { try self.kill(leaving: self.files) }

    /// What the kernel has of the files.
    var files: [String: [UInt8]] {
        let disk = self.state.withLock { $0.disk }
        var files: [String: [UInt8]] = [:]
        for name in ["obd-agent.db", "obd-agent.db-wal", "obd-agent.epoch"] {
            files[name] = TextFile.bytes(of: "\(disk.path)/\(name)", limit: 1 << 30)
        }
        return files
    }

    /// Where the files are.
    var directory: String { self.state.withLock { $0.disk.path } }

    /// Ends the agent at once, with these files for the next one.
    func kill(leaving files: [String: [UInt8]]) throws {
        let (process, link) = self.state.withLock { ($0.process.take(), $0.link.take()) }
        let copy = try TemporaryDirectory()
        let since = self.state.withLock { $0.failingSince } ?? self.time.now
        self.ledger.exempt(since - Self.window...self.time.now + .seconds(1))
        let old = self.state.withLock { $0.disk }
        for (name, bytes) in files { try copy.write(bytes, to: name) }
        process?.kill()
        link?.close()
        self.broker.cut()
        self.harvest()
        let mode = self.state.withLock { state in
            state.disk = copy
            return state.mode
        }
        unsafe fault_vfs_set(old.path, fault_vfs_works)
        unsafe fault_vfs_set(copy.path, mode)
    }

    /// The supply fails, and comes back after so long.
    func cutPower(for duration: Duration) async throws {
        try self.kill()
        await self.powerReturns(after: duration)
    }

    /// The machine starts anew: nothing of the boot before is known.
    func powerReturns(after duration: Duration) async {
        await self.time.sleep(for: duration)
        self.state.withLock { state in
            state.boot += 1
            state.bootedAt = self.time.now
        }
        await self.time.sleep(for: .seconds(20))
    }

    func run(for duration: Duration) async {
        await self.time.sleep(for: duration)
        self.harvest()
    }

    // MARK: - The vehicle and the adapter

    private func open(
        for process: AgentProcess,
        _ clock: BootedClock,
        _ deadline: MonotonicTime
    ) async throws(LinkError) -> any AdapterLink {
        await self.time.sleep(for: .milliseconds(300))
        let (vehicle, isPlugged) = self.state.withLock { ($0.vehicle, $0.isPlugged) }
        guard isPlugged, !process.isKilled else {
            // As a search that finds nobody.
            try? await clock.sleep(until: deadline)
            throw .cannotOpen(address: "simulator", reason: "no OBD-II adapter in reach")
        }
        let link = SimulatedLink(vehicle: vehicle, clock: self.time)
        self.state.withLock { $0.link = link }
        return TranslatedLink(link, bootedAt: clock.start) { bytes, isDone in
            if isDone { self.harvest() } else { self.note(bytes) }
            self.fuse.count(isDone ? .adapterWasAsked : .adapterIsAsked)
        }
    }

    /// Counts a line to the adapter.
    private func note(_ bytes: [UInt8]) {
        let line = String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self)
        self.state.withLock { state in
            let vin = state.vehicle.withVehicle { $0.options.vin }
            state.lines[vin, default: [:]][line, default: 0] += 1
        }
    }

    /// The number of lines to the adapter that begin so, while it was in the vehicle with this VIN.
    func lines(_ start: String, to vin: String) -> Int {
        let lines = self.state.withLock { $0.lines[vin] } ?? [:]
        return lines.reduce(0) { $0 + ($1.key.hasPrefix(start) ? $1.value : 0) }
    }

    /// Takes what the vehicle has said since the last time into the ledger.
    func harvest() {
        let vehicle = self.state.withLock { $0.vehicle }
        let (messages, vin) = vehicle.withVehicle { ($0.takeLog(), $0.options.vin) }
        self.ledger.served(messages, by: vin)
    }

    /// The present link, to do it harm.
    var link: SimulatedLink? { self.state.withLock { $0.link } }

    func unplug() {
        let link = self.state.withLock { state in
            state.isPlugged = false
            return state.link.take()
        }
        link?.inject(.disconnect)
        // The reply that it dies in is lost.
        self.ledger.exempt(self.time.now...self.time.now + .seconds(8))
    }

    func plug() { self.state.withLock { $0.isPlugged = true } }

    func park(_ isParked: Bool) {
        self.state.withLock { $0.vehicle }.withVehicle { $0.isParked = isParked }
    }

    /// Looks at the vehicle in which the adapter is, or changes it.
    func withVehicle<Result: Sendable>(_ body: (inout SimulatedVehicle) -> Result) -> Result {
        self.state.withLock { $0.vehicle }.withVehicle(body)
    }

    /// The adapter goes into another vehicle.
    func swapVehicle(vin: String = "ZZZSMVLATR4700894") {
        self.harvest()
        self.unplug()
        self.state.withLock { state in
            var options = self.settings.vehicle
            options.vin = vin
            state.vehicle = Self.vehicle(options, at: self.time.now)
            state.isPlugged = true
        }
    }

    // MARK: - The machine

    /// The codes that the vehicle has stored.
    var codes: [DTC] { self.state.withLock { $0.vehicle }.withVehicle { $0.memory.confirmed } }

    /// The topics of the vehicle begin so.
    var prefix: String { "obd/\(self.state.withLock { $0.vehicle }.withVehicle { $0.options.vin })" }

    /// What the machine believes of the date from now on.
    func set(_ wall: WallClock) { self.state.withLock { $0.wall = wall } }

    /// What happens from now on to what is written.
    func disk(_ mode: fault_vfs_mode) {
        let path = self.state.withLock { state in
            state.failingSince = mode == fault_vfs_works ? nil : state.failingSince ?? self.time.now
            state.mode = mode
            return state.disk.path
        }
        unsafe fault_vfs_set(path, mode)
    }

    /// Overwrites the database with nonsense, while no agent runs: what only it had is lost.
    func corrupt() throws {
        self.harvest()
        self.ledger.exemptWhatIsMissing()
        let disk = self.state.withLock { $0.disk }
        for name in ["obd-agent.db", "obd-agent.db-wal"] {
            guard var bytes = TextFile.bytes(of: "\(disk.path)/\(name)", limit: 1 << 30) else { continue }
            for index in bytes.indices.dropFirst(100) { bytes[index] = 0xA5 }
            try disk.write(bytes, to: name)
        }
    }
}
