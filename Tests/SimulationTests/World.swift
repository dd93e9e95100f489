// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Configuration
import Contract
import EventLoop
import FaultVFS
import MQTT
import Simulator
import TestSupport
import Testing
import Timing

@testable import Agent

/// A machine in a vehicle, the vehicle, and the broker, in virtual time; and the whole agent on that machine.
final class World: Sendable {
    /// What is polled, every five seconds unless a test says otherwise.
    static let parameters = [
        "engine_speed", "vehicle_speed", "coolant_temperature", "intake_air_temperature", "throttle_position",
    ]

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
        var process: AgentProcess?
    }

    let time: VirtualTime
    let ledger: Ledger
    let broker: ScriptedBroker
    private let configuration: String
    private let state: Locked<State>

    /// - Parameter interval: how often each parameter is polled, in seconds.
    init(_ time: VirtualTime, interval: Double) throws {
        try #require(fault_vfs_install() == 0)
        self.time = time
        let ledger = Ledger(Set(Self.parameters), interval: .milliseconds(Int(interval * 1000)))
        self.ledger = ledger
        self.broker = ScriptedBroker(time) { ledger.received($0) }
        self.configuration = """
            [adapter]
            address = "simulator"
            [mqtt]
            url = "mqtt://127.0.0.1"
            [parameters]
            \(Self.parameters.map { "\($0) = \(interval)" }.joined(separator: "\n"))
            """
        self.state = Locked(
            State(
                vehicle: Self.vehicle("ZZZSMVLATR4700893", at: time.now),
                disk: try TemporaryDirectory(),
                bootedAt: time.now - .seconds(20)
            )
        )
    }

    private static func vehicle(_ vin: String, at time: MonotonicTime) -> SharedVehicle {
        var options = SimulatedVehicle.Options()
        (options.vin, options.ecus, options.trip, options.pause) = (vin, 1, .seconds(3600), .seconds(30))
        return SharedVehicle(SimulatedVehicle(options, startedAt: time))
    }

    // MARK: - The agent

    /// Starts the agent, as systemd does.
    func start() async throws {
        let state = self.state.withLock { $0 }
        let process = AgentProcess()
        let clock = BootedClock(time: self.time, start: state.bootedAt)
        let text = self.configuration + "\n[store]\ndirectory = \"\(state.disk.path)\"\n"
        let surroundings = Surroundings(
            machine: MachineIdentity(agent: "0123456789ab", boot: "boot-\(state.boot)"),
            clock: clock,
            kernel: { self.state.withLock { $0.wall }.kernel(at: self.time.now) },
            openAdapter: { deadline throws(LinkError) in try await self.open(for: process, clock, deadline) },
            connect: { options throws(MQTTError) in self.broker.connect(options) { process.isKilled } },
            storeExecutor: self.time.serial,
            sessionExecutor: self.time,
            runtimeDirectory: nil
        )
        try await process.start(
            Configuration(toml: Array(text.utf8), file: "agent.toml"),
            in: surroundings,
            on: self.time
        )
        self.state.withLock { $0.process = process }
    }

    /// SIGTERM, and waits for the end.
    func stop() async {
        let process = self.state.withLock { $0.process.take() }
        // The reply that is on its way is not waited for.
        let start = self.time.now
        await process?.stop()
        self.ledger.exempt(start - .milliseconds(500)...self.time.now)
        self.harvest()
    }

    /// SIGKILL: what the kernel has of its files stays, and nothing else.
    func kill() throws {
        let (process, link) = self.state.withLock { ($0.process.take(), $0.link.take()) }
        let copy = try TemporaryDirectory()
        let since = self.state.withLock { $0.failingSince } ?? self.time.now
        self.ledger.exempt(since - Self.window...self.time.now + .seconds(1))
        let old = self.state.withLock { $0.disk }
        for name in ["obd-agent.db", "obd-agent.db-wal", "obd-agent.epoch"] {
            guard let bytes = TextFile.bytes(of: "\(old.path)/\(name)", limit: 1 << 30) else { continue }
            try copy.write(bytes, to: name)
        }
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

    /// The supply fails, and comes back after so long: nothing of the boot before is known.
    func cutPower(for duration: Duration) async throws {
        try self.kill()
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
        return TranslatedLink(link, bootedAt: clock.start) { self.harvest() }
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

    /// The adapter goes into another vehicle.
    func swapVehicle() {
        self.harvest()
        self.unplug()
        self.state.withLock { state in
            state.vehicle = Self.vehicle("ZZZSMVLATR4700894", at: self.time.now)
            state.isPlugged = true
        }
    }

    // MARK: - The machine

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
