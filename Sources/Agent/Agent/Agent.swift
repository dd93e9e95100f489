// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
package import Configuration
import Contract
import EventLoop
import HomeAssistant
package import Logging
import MQTT
import OBD2
import Parking
package import ServiceLifecycle
import Session
import Store
import Systemd
package import UnixSignals
import Uplink

/// The whole agent: its parts, and the order in which they start and stop.
package struct Agent: Sendable {
    private let uplink: Uplink
    private let store: Store
    private let executor: CommandExecutor
    private let session: Session
    private let reporter: Reporter
    private let announcer: Announcer
    private let events: AsyncStream<SessionEvent>
    private let finishEvents: @Sendable () -> Void
    private let credentialFiles: CredentialFiles
    private let clock: SystemClock
    private let sessionExecutor: any TaskExecutor
    private let logger: Logger
    private let manager: ServiceManager?
    private let health: Health
    private let reload: ConfigurationReload?
    private let power: PowerService?

    /// How many events of the session may wait for the uplink.
    private static let eventLimit = 4096

    /// Puts the parts together; nothing runs yet.
    ///
    /// - Throws: ``AgentError`` where a file that the configuration names can't be read.
    package init(
        _ configuration: Configuration,
        in surroundings: Surroundings = .real,
        logger: Logger
    ) async throws {
        let machine = surroundings.machine
        let clock = SystemClock(
            trustsSystem: configuration.clock.trust == .system,
            boot: surroundings.clock,
            kernel: surroundings.kernel
        )
        let naming = VehicleNaming(
            configuration.vehicle,
            machine,
            key: try NamingKey.bytes(
                for: configuration.vehicle.identity,
                in: configuration.store.directory ?? surroundings.stateDirectory,
                machine
            )
        )
        let identity = Reporter.Identity(
            agent: machine.agent,
            version: AgentVersion.current,
            adapterAddress: surroundings.simulatedAdapter?.address ?? configuration.adapter.address.description,
            isSimulated: surroundings.simulatedAdapter != nil,
            sysfs: surroundings.sysfs,
            naming: naming
        )
        let firstEpoch = UInt64(max(0, clock.timestamp.milliseconds / 1000))
        let store = Store(
            .init(configuration, surroundings, firstEpoch: firstEpoch),
            executor: surroundings.storeExecutor
        )
        let opening = await store.open(at: clock.now)
        if let name = opening.setAside {
            logger.error("The database was damaged, and a new one is begun", metadata: ["set_aside": "\(name)"])
        }
        if let problem = opening.problem {
            logger.warning("Nothing survives a restart: records are kept in memory only: \(problem)")
        }
        // What is in the file may be anything, and what is expected another vehicle by now.
        let remembered = opening.vehicle.flatMap { name in
            naming.expects(mark: opening.mark)
                ? try? VehicleTopics(prefix: configuration.mqtt.topicPrefix, vehicle: name).vehicle : nil
        }
        if let start = opening.start, start.quality == .synchronised { clock.remember(start.date) }
        self.credentialFiles = CredentialFiles(configuration.mqtt)
        let runMark = surroundings.runtimeDirectory.map { RunMark(directory: $0, boot: machine.boot) }
        var uplinkOptions = try UplinkOptions(configuration, machine, self.credentialFiles)
        uplinkOptions.followsCrash = runMark?.begin() ?? false
        let uplink = try Uplink(
            uplinkOptions,
            vehicle: configuration.vehicle.name ?? remembered ?? naming.own,
            earlier: opening.traffic,
            store: store,
            clock: clock,
            logger: logger,
            connect: surroundings.connect
        )
        let logContext = surroundings.logContext
        logContext.note(adapter: identity.adapterAddress)
        logContext.note(vehicle: await uplink.vehicle)
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        let selections = Selections(
            store: store,
            configured: Locked(configuration.intervals),
            custom: Set(configuration.custom.map(\.name))
        )
        let selection = await selections.selection(of: uplink.vehicle)
        let recorder = surroundings.runtimeDirectory.map {
            FlightRecorder(directory: $0, version: AgentVersion.current, boot: machine.boot)
        }
        let probeFile = surroundings.runtimeDirectory.map { ProbeFile(directory: $0, boot: machine.boot) }
        let health = Health(clock)
        let session = Session(
            open: WatchedLink.opener(
                surroundings.simulatedAdapter?.open
                    ?? AdapterOpener.opener(for: configuration.adapter, clock: clock, logger: logger),
                health.sessionClock
            ),
            vehicle: VehicleSettings(
                bus: configuration.adapter.protocolChoice.bus,
                custom: configuration.custom,
                isExpected: { naming.expects($0) }
            ),
            selection: selection,
            parking: ParkingSettings(
                ParkingPolicy(configuration.parking),
                probes: probeFile?.read(at: clock.now) ?? ProbeRecord(),
                persistProbes: { probeFile?.keep($0) },
                isQuiet: { configuration.parking.quiet?.contain(clock) ?? false }
            ),
            clock: health.sessionClock,
            logger: logger,
            recorder: recorder.map { recorder in TranscriptRecorder(clock: clock) { recorder.record($0) } }
        ) { continuation.yield($0) }
        let announcer = await Announcer(
            Discovery.Options(configuration, machine),
            custom: configuration.custom,
            uplink: uplink,
            store: store,
            clock: clock,
            logger: logger
        )
        await announcer.offersClear(configuration.offersClearButton)
        let reporter = Reporter(
            identity,
            selection: selection,
            isImperial: configuration.mqtt.units == .imperial,
            uplink: uplink,
            store: store,
            announcer: announcer,
            clock: clock,
            unsupported: { await session.unsupported },
            select: { vehicle in
                logContext.note(vehicle: vehicle)
                await session.adopt(await selections.selection(of: vehicle))
            },
            signalStrength: { await session.signalStrength() },
            keep: {
                recorder?.keep($0)
                health.tell($0)
            }
        )
        let journal = StoredJournal(store: store, clock: clock)
        for (response, destination) in await journal.endInterrupted(opening.unfinished) {
            let present = await uplink.vehicle
            // What is in the file may be anything.
            guard
                let topics = try? VehicleTopics(
                    prefix: configuration.mqtt.topicPrefix,
                    vehicle: destination.vehicle.isEmpty ? present : destination.vehicle
                ),
                let topic = try? topics.topic(.commands)
            else { continue }
            var message = Message(topic: topic, payload: [])
            message.properties.responseTopic = destination.responseTopic.flatMap { try? Topic($0) }
            message.properties.correlationData = destination.correlationData
            await uplink.record(response, to: message, vehicle: topics.vehicle)
            logger.notice("A command was interrupted", metadata: ["command_id": "\(response.id ?? "")"])
        }
        let keys = try configuration.commands.trustedKeys.map { path throws(AgentError) in
            try TrustedKeysFile(path, logger: logger)
        }
        let executor = CommandExecutor(
            CommandGuard(configuration.commands),
            access: VehicleBridge(session: session, reporter: reporter, selections: selections, uplink: uplink),
            rules: CommandRules(configuration.commands),
            journal: journal,
            clock: clock,
            logger: logger,
            keys: { keys?.keys ?? .none },
            custom: selections.custom,
            description: ["agent": .string(machine.agent), "version": .string(AgentVersion.current)],
            identify: {
                let vehicle = await reporter.currentVehicle()
                return CommandExecutor.Vehicle(name: vehicle.name, vin: vehicle.vin, isComing: vehicle.isComing)
            },
            complained: { await reporter.commandDropped() },
            mayAnswerStranger: { await uplink.mayAnswerStranger() },
            respond: { response, message, vehicle in await uplink.record(response, to: message, vehicle: vehicle) }
        )
        self.uplink = uplink
        self.store = store
        self.executor = executor
        self.session = session
        self.reporter = reporter
        self.announcer = announcer
        self.events = events
        self.finishEvents = {
            recorder?.flush()
            probeFile?.remove()
            runMark?.end()
            continuation.finish()
        }
        self.clock = clock
        self.sessionExecutor = surroundings.sessionExecutor
        self.logger = logger
        self.manager = surroundings.serviceManager
        self.health = health
        self.power = configuration.power.shutdownAfter.map { after in
            PowerService(
                after: after,
                reporter: reporter,
                executor: executor,
                store: store,
                powerOff: surroundings.powerOff,
                clock: clock,
                logger: logger
            )
        }
        self.reload = surroundings.reload.map {
            ConfigurationReload(
                configuration,
                load: $0,
                selections: selections,
                session: session,
                uplink: uplink,
                executor: executor,
                announcer: announcer,
                logger: logger
            )
        }
    }

    /// How it gets on with its broker: whether that has accepted it, how many records it has numbered, how many of them
    /// wait, and how many had to be dropped.
    package var delivery: (isOnline: Bool, numbered: UInt64, waiting: Int, dropped: Int) {
        get async {
            let status = await self.store.status
            return (await self.uplink.isOnline, status.numbered, status.records, status.dropped)
        }
    }

    /// Runs until SIGTERM or SIGINT, then stops in order: the polling, the commands, the uplink.
    package func run() async throws {
        try await self.services().run()
    }

    /// Last, so that it stops first: what has ended does not count as stuck.
    private var healthService: [ServiceGroupConfiguration.ServiceConfiguration] {
        guard let manager = self.manager else { return [] }
        let health = self.health
        return [
            .init(
                service: HealthService(
                    manager: manager,
                    parts: health.parts(
                        store: self.store,
                        uplink: self.uplink,
                        executor: self.executor,
                        reporter: self.reporter,
                        session: self.session,
                        watchesFiles: !self.credentialFiles.isEmpty
                    ),
                    sentence: { health.sentence },
                    clock: self.clock,
                    logger: self.logger
                )
            )
        ]
    }

    /// What runs: it can be told to stop.
    ///
    /// - Parameters:
    ///   - signals: what stops it in order.
    ///   - renewals: what makes it read files again.
    package func services(
        signals: [UnixSignal] = [.sigterm, .sigint],
        renewals: [UnixSignal] = [.sighup]
    ) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: UplinkService(uplink: self.uplink)),
                    .init(
                        service: CredentialService(
                            files: self.credentialFiles,
                            signals: renewals,
                            uplink: self.uplink,
                            clock: WatchedClock(clock: self.clock, pulse: self.health.credentials),
                            logger: self.logger,
                            reload: { [reload] in await reload?.perform() },
                            manager: self.manager
                        )
                    ),
                    .init(service: AnnouncementService(announcer: self.announcer)),
                    .init(service: CommandService(executor: self.executor, uplink: self.uplink)),
                    .init(
                        service: SessionService(
                            session: self.session,
                            reporter: self.reporter,
                            events: self.events,
                            finishEvents: self.finishEvents,
                            clock: self.clock,
                            executor: self.sessionExecutor,
                            pulse: self.health.reporting
                        )
                    ),
                ] + (self.power.map { [.init(service: $0)] } ?? []) + self.healthService,
                gracefulShutdownSignals: signals,
                logger: self.logger
            )
        )
    }
}
