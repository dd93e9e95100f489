// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
package import Configuration
import Contract
package import Logging
import MQTT
import OBD2
import ServiceLifecycle
import Session
import Store
import UnixSignals
import Uplink

/// The whole agent: its parts, and the order in which they start and stop.
package struct Agent: Sendable {
    private let uplink: Uplink
    private let executor: CommandExecutor
    private let session: Session
    private let reporter: Reporter
    private let events: AsyncStream<SessionEvent>
    private let finishEvents: @Sendable () -> Void
    private let clock: SystemClock
    private let logger: Logger

    /// How many events of the session may wait for the uplink.
    private static let eventLimit = 4096

    /// Puts the parts together; nothing runs yet.
    ///
    /// - Throws: ``AgentError`` where a file that the configuration names can't be read.
    package init(_ configuration: Configuration, logger: Logger) throws {
        let machine = MachineIdentity()
        let clock = SystemClock(trustsSystem: configuration.clock.trust == .system)
        let identity = Reporter.Identity(
            agent: machine.agent,
            version: AgentVersion.current,
            adapterAddress: configuration.adapter.address.description,
            isSimulated: configuration.adapter.address == .simulator,
            vehicleName: configuration.vehicle.name
        )
        // Grows from start to start for as long as the clock does.
        let epoch = UInt64(max(0, clock.timestamp.milliseconds / 1000))
        let store = Store(agent: machine.agent, epoch: epoch)
        let uplink = try Uplink(
            try UplinkOptions(configuration, machine),
            vehicle: identity.provisionalVehicle,
            store: store,
            clock: clock,
            logger: logger
        )
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        let selection = Selection(
            intervals: Dictionary(configuration.parameters.map { ($0.pid, $0.interval) }) { first, _ in first }
        )
        let session = Session(
            open: AdapterOpener.opener(for: configuration.adapter, clock: clock, logger: logger),
            bus: configuration.adapter.protocolChoice.bus,
            selection: selection,
            clock: clock,
            logger: logger
        ) { continuation.yield($0) }
        let reporter = Reporter(
            identity,
            selection: selection,
            isImperial: configuration.mqtt.units == .imperial,
            uplink: uplink,
            store: store,
            clock: clock,
            unsupported: { await session.unsupported },
            signalStrength: { await session.signalStrength() }
        )
        let executor = CommandExecutor(
            CommandGuard(allowed: configuration.commands.allow),
            access: VehicleBridge(session: session, reporter: reporter),
            clock: clock,
            logger: logger,
            description: ["agent": .string(machine.agent), "version": .string(AgentVersion.current)],
            identify: {
                let vehicle = await reporter.currentVehicle()
                return CommandExecutor.Vehicle(name: vehicle.name, vin: vehicle.vin)
            },
            complained: { await reporter.commandDropped() },
            respond: { response, message, vehicle in await uplink.record(response, to: message, vehicle: vehicle) }
        )
        self.uplink = uplink
        self.executor = executor
        self.session = session
        self.reporter = reporter
        self.events = events
        self.finishEvents = { continuation.finish() }
        self.clock = clock
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT, then stops in order: the polling, the commands, the uplink.
    package func run() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: UplinkService(uplink: self.uplink)),
                    .init(service: CommandService(executor: self.executor, uplink: self.uplink)),
                    .init(
                        service: SessionService(
                            session: self.session,
                            reporter: self.reporter,
                            events: self.events,
                            finishEvents: self.finishEvents,
                            clock: self.clock
                        )
                    ),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: self.logger
            )
        )
        try await group.run()
    }
}
