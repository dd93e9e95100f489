// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
package import Configuration
import EventLoop
import HomeAssistant
package import Logging
import OBD2
import Session
import Store
import Systemd
package import UnixSignals
import Uplink

/// The whole agent: its parts, and the order in which they start and stop.
package struct Agent: Sendable {
    private let context: AgentContext
    private let store: Store
    private let uplinkParts: UplinkParts
    private let sessionParts: SessionParts
    private let reporting: ReportingParts
    private let executor: CommandExecutor
    /// Detects the models of vehicles; nil unless the configuration says so.
    private let detector: SetDetector?
    private let power: PowerService?
    private let reload: ConfigurationReload?

    /// Opens the database, finishes interrupted commands and puts the parts together.
    ///
    /// Nothing runs yet.
    ///
    /// - Throws: ``AgentError`` if a file that the configuration names cannot be used.
    package static func prepare(
        _ configuration: Configuration,
        in surroundings: Surroundings = .real,
        logger: Logger
    ) async throws -> Agent {
        let context = try AgentContext(configuration, in: surroundings, logger: logger)
        let opened = try await OpenedStore.open(context)
        let uplinkParts = try UplinkParts(context, opened)
        let sessionParts = await SessionParts(context, opened)
        let reporting = await ReportingParts(context, opened, uplinkParts.uplink, sessionParts)
        let journal = StoredJournal(store: opened.store, clock: context.clock)
        await InterruptedCommands(context, opened, journal: journal, uplink: uplinkParts.uplink).finish()
        let access = VehicleBridge(context, uplink: uplinkParts.uplink, sessionParts, reporting)
        let executor = try CommandExecutor.assemble(
            context,
            access: access,
            journal: journal,
            uplink: uplinkParts.uplink,
            reporting
        )
        let detector = sessionParts.sets.map {
            SetDetector($0, reporting.vehicle, access, session: sessionParts.session)
        }
        return Agent(context, opened.store, uplinkParts, sessionParts, reporting, executor, detector)
    }

    private init(
        _ context: AgentContext,
        _ store: Store,
        _ uplinkParts: UplinkParts,
        _ sessionParts: SessionParts,
        _ reporting: ReportingParts,
        _ executor: CommandExecutor,
        _ detector: SetDetector?
    ) {
        self.context = context
        self.store = store
        self.uplinkParts = uplinkParts
        self.sessionParts = sessionParts
        self.reporting = reporting
        self.executor = executor
        self.detector = detector
        self.power = context.configuration.power.shutdownAfter.map { after in
            PowerService(
                after: after,
                reporter: reporting.reporter,
                executor: executor,
                store: store,
                powerOff: context.surroundings.powerOff,
                clock: context.clock,
                logger: context.logger
            )
        }
        self.reload = context.surroundings.reload.map {
            ConfigurationReload(
                context.configuration,
                load: $0,
                selections: sessionParts.selections,
                session: sessionParts.session,
                vehicle: reporting.vehicle,
                executor: executor,
                announcer: reporting.announcer,
                logger: context.logger
            )
        }
    }

    /// The state of delivery to the broker: whether the broker has accepted the connection, and the numbers of records
    /// that were numbered, that wait, and that were dropped.
    package var delivery: (isOnline: Bool, numbered: UInt64, waiting: Int, dropped: Int) {
        get async {
            let status = await self.store.status
            return (await self.uplinkParts.uplink.isOnline, status.numbered, status.records, status.dropped)
        }
    }

    /// Runs until SIGTERM or SIGINT, then stops the polling, the commands and the uplink, in this order.
    package func run() async throws {
        try await self.services().run()
    }

    /// Returns the group of all services, which runs the agent and can be stopped.
    ///
    /// The services start in the order of the list and stop in the reverse order.
    ///
    /// - Parameters:
    ///   - signals: the signals that stop the agent in order.
    ///   - renewals: the signals that reload the configuration and reconnect to the broker.
    package func services(
        signals: [UnixSignal] = [.sigterm, .sigint],
        renewals: [UnixSignal] = [.sighup]
    ) -> ServiceGroup {
        let (context, uplink) = (self.context, self.uplinkParts.uplink)
        let credentials = CredentialService(
            files: self.uplinkParts.credentialFiles,
            signals: renewals,
            uplink: uplink,
            clock: WatchedClock(clock: context.clock, pulse: self.sessionParts.health.credentials),
            logger: context.logger,
            reload: { [reload] in await reload?.perform() },
            manager: context.surroundings.serviceManager
        )
        let services: [(any Service)?] = [
            UplinkService(uplink: uplink),
            self.feedService,
            credentials,
            AnnouncementService(announcer: self.reporting.announcer),
            CommandService(executor: self.executor, uplink: uplink),
            self.sessionService,
            self.detector.map { DetectionService(detector: $0) },
            self.positionService,
            self.power,
            self.healthService,
        ]
        return ServiceGroup(services.compactMap { $0 }, stoppingAt: signals)
    }

    private var sessionService: SessionService {
        SessionService(
            session: self.sessionParts.session,
            reporter: self.reporting.reporter,
            commands: self.executor,
            detector: self.detector,
            events: self.sessionParts.events,
            finishEvents: { [sessionParts] in
                sessionParts.flushFiles()
                sessionParts.finishEvents()
            },
            clock: self.context.clock,
            executor: self.context.surroundings.sessionExecutor,
            pulse: self.sessionParts.health.reporting,
            rollback: RollbackReport(self.context, self.reporting.vehicle, self.uplinkParts.uplink, self.store)
        )
    }

    /// The service for programs on this machine, near the end of the order of stops, so that they see the last values.
    private var feedService: FeedService? {
        self.context.surroundings.feedSocket.map {
            FeedService(path: $0, uplink: self.uplinkParts.uplink, logger: self.context.logger)
        }
    }

    private var positionService: PositionService? {
        self.context.configuration.position.gpsd.map { gpsd in
            PositionService(
                gpsd: gpsd,
                reporter: self.reporting.reporter,
                confirmable: self.context.configuration.clock.trust == .gps ? self.context.clock : nil,
                clock: self.sessionParts.health.positionClock,
                executor: self.context.surroundings.sessionExecutor,
                logger: self.context.logger
            )
        }
    }

    /// The watchdog service, last in the list so that it stops first: a part that has ended does not count as stuck.
    private var healthService: HealthService? {
        guard let manager = self.context.surroundings.serviceManager else { return nil }
        let health = self.sessionParts.health
        let files = HealthFiles(self.context)
        return HealthService(
            manager: manager,
            parts: health.parts(
                store: self.store,
                uplink: self.uplinkParts.uplink,
                executor: self.executor,
                reporter: self.reporting.reporter,
                session: self.sessionParts.session,
                vehicle: self.reporting.vehicle,
                watchesFiles: !self.uplinkParts.credentialFiles.isEmpty,
                readsPositions: self.context.configuration.position.gpsd != nil
            ),
            sentence: { health.sentence },
            writeHealth: { files?.update(health.parts.status, isOnline: health.parts.isOnline) },
            clock: self.context.clock,
            logger: self.context.logger
        )
    }
}
