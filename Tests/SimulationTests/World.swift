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

/// A vehicle, a machine in it with the whole agent, and the broker, in virtual time.
final class World: Sendable {
    /// The polled parameters; their interval is in ``Settings``.
    static let parameters = [
        "engine_speed", "vehicle_speed", "coolant_temperature", "intake_air_temperature", "throttle_position",
    ]

    /// The settings of a simulation.
    struct Settings: Sendable {
        /// The polling interval of each parameter, in seconds.
        var interval = 5.0
        /// The lines of `[mqtt]`, after which further sections may follow.
        var mqtt = "url = \"mqtt://127.0.0.1\""
        /// The commands that `allow` lists; nil if there is no section `[commands]`.
        var commands: [String]?
        /// The trusted key that signs commands; nil if there is none.
        var key: JSONWebKey?
        /// Further lines of `[parameters]`.
        var parameters = ""
        /// The lines of `[parking]`.
        var parking = ""
        /// The lines of `[vehicle]`.
        var identity = ""
        /// The time with a parked vehicle after which the agent switches the machine off, in seconds; 0: never.
        var shutdownAfter = 0
        var vehicle = SimulatedVehicle.Options()
        /// Whether the agent records trips, and polls further parameters for them.
        var recordsTrips = false
        /// The directory in which the package tells of a rollback; nil if none is looked for.
        var upgradeDirectory: String?

        init() {
            (self.vehicle.ecus, self.vehicle.trip, self.vehicle.pause) = (1, .seconds(3600), .seconds(30))
        }
    }

    /// The time before a kill whose values may be lost: the store's window, and the value on its way.
    private static let window = Duration.seconds(12)

    private struct State: Sendable {
        var vehicle: SharedVehicle
        var link: SimulatedLink?
        /// Whether the adapter can be reached.
        var isPlugged = true
        var disk: TemporaryDirectory
        /// The time since which no write to the disk succeeds; nil if writes succeed.
        var failingSince: MonotonicTime?
        var mode = fault_vfs_works
        var boot = 1
        var bootedAt: MonotonicTime
        var wall = WallClock()
        /// The times at which the agent has asked to switch the machine off.
        var shutdowns: [MonotonicTime] = []
        var process: AgentProcess?
        /// The number of times of each line to the adapter, by the VIN of the adapter's vehicle.
        var lines: [String: [String: Int]] = [:]
    }

    let time: VirtualTime
    let ledger: Ledger
    let broker: ScriptedBroker
    /// The fuse that cuts the power at a step, if a test sets it.
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

    /// Returns the text of `agent.toml`.
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

    /// Starts the agent as systemd would start it.
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
        surroundings.upgradeDirectory = self.settings.upgradeDirectory
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

    /// The times at which the agent has asked to switch the machine off.
    var shutdowns: [MonotonicTime] { self.state.withLock { $0.shutdowns } }

    /// Stops the agent with SIGTERM, and waits for its end.
    func stop() async {
        let process = self.state.withLock { $0.process.take() }
        // A reply for which the agent does not wait is lost.
        let start = self.time.now
        await self.time.withStrangers { await process?.stop() }
        self.ledger.exempt(start - .milliseconds(500)...self.time.now)
        self.harvest()
    }

    /// Ends the agent with SIGKILL; the next process finds the files as the kernel has them.
    func kill() throws { try self.kill(leaving: self.files) }

    /// The contents of the agent's files in the kernel, by name.
    var files: [String: [UInt8]] {
        let disk = self.state.withLock { $0.disk }
        var files: [String: [UInt8]] = [:]
        for name in ["obd-agent.db", "obd-agent.db-wal", "obd-agent.epoch", "obd-agent.adapter"] {
            files[name] = TextFile.bytes(of: "\(disk.path)/\(name)", limit: 1 << 30)
        }
        return files
    }

    /// The directory of the files.
    var directory: String { self.state.withLock { $0.disk.path } }

    /// Ends the agent at once, and leaves `files` for the next process.
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

    /// Cuts the power, and restores it after `duration`.
    func cutPower(for duration: Duration) async throws {
        try self.kill()
        await self.powerReturns(after: duration)
    }

    /// Restores the power after `duration`: the machine boots, and waits until the agent may start.
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
            // A search without a result takes until its deadline.
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

    /// Returns the number of lines that begin with `start` and reached the adapter in the vehicle with this VIN.
    func lines(_ start: String, to vin: String) -> Int {
        let lines = self.state.withLock { $0.lines[vin] } ?? [:]
        return lines.reduce(0) { $0 + ($1.key.hasPrefix(start) ? $1.value : 0) }
    }

    /// Moves the vehicle's messages since the last call into the ledger.
    func harvest() {
        let vehicle = self.state.withLock { $0.vehicle }
        let (messages, vin) = vehicle.withVehicle { ($0.takeLog(), $0.options.vin) }
        self.ledger.served(messages, by: vin)
    }

    /// The present link, into which tests inject faults.
    var link: SimulatedLink? { self.state.withLock { $0.link } }

    func unplug() {
        let link = self.state.withLock { state in
            state.isPlugged = false
            return state.link.take()
        }
        link?.inject(.disconnect)
        // The reply on its way is lost with the link.
        self.ledger.exempt(self.time.now...self.time.now + .seconds(8))
    }

    func plug() { self.state.withLock { $0.isPlugged = true } }

    func park(_ isParked: Bool) {
        self.state.withLock { $0.vehicle }.withVehicle { $0.isParked = isParked }
    }

    /// Reads or changes the vehicle that has the adapter.
    func withVehicle<Result: Sendable>(_ body: (inout SimulatedVehicle) -> Result) -> Result {
        self.state.withLock { $0.vehicle }.withVehicle(body)
    }

    /// Moves the adapter into another vehicle.
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

    /// The first two levels of the vehicle's topics.
    var prefix: String { "obd/\(self.state.withLock { $0.vehicle }.withVehicle { $0.options.vin })" }

    /// Sets the date that the machine has from now on.
    func set(_ wall: WallClock) { self.state.withLock { $0.wall = wall } }

    /// Sets the fate of writes to the disk from now on.
    func disk(_ mode: fault_vfs_mode) {
        let path = self.state.withLock { state in
            state.failingSince = mode == fault_vfs_works ? nil : state.failingSince ?? self.time.now
            state.mode = mode
            return state.disk.path
        }
        unsafe fault_vfs_set(path, mode)
    }

    /// Overwrites the database with a constant byte while no agent runs, so that its unsent records are lost.
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
