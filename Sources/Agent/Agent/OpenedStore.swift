// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import EventLoop
import Logging
import Store

/// The store with its database open, and the state that the previous process left in it.
struct OpenedStore: Sendable {
    let store: Store
    /// The vehicle whose topics are used until another one is identified.
    let vehicle: VehicleTopics
    /// The bytes that the previous process sent today.
    let traffic: DayTraffic?
    /// The commands that the previous process accepted and did not end.
    let unfinished: [UnfinishedCommand]
    /// The numbers of captures on the last day of the previous process.
    let captures: DayCaptures?

    /// Opens the database, and sets the clock by the date that the store remembers of this boot.
    ///
    /// - Throws: an error if the first vehicle's name cannot be a topic level.
    static func open(_ context: AgentContext) async throws(TopicError) -> OpenedStore {
        let (configuration, clock, logger) = (context.configuration, context.clock, context.logger)
        let firstEpoch = UInt64(max(0, clock.timestamp.milliseconds / 1000))
        let store = Store(
            .init(configuration, context.surroundings, firstEpoch: firstEpoch),
            executor: context.surroundings.storeExecutor
        )
        let opening = await store.open(at: clock.now)
        if let name = opening.setAside {
            logger.error(
                "The database was damaged, so a new one was created. The old one was renamed. Try: check the disk",
                metadata: [
                    JournalEvent.metadataKey: "\(JournalEvent.databaseDamaged.rawValue)", "set_aside": "\(name)",
                ]
            )
        }
        if let problem = opening.problem {
            logger.warning(
                "Records do not survive a restart, because they are kept in memory only: \(problem)",
                metadata: [JournalEvent.metadataKey: "\(JournalEvent.inMemoryOnly.rawValue)"]
            )
        }
        if let start = opening.start, start.quality == .synchronised { clock.remember(start.date) }
        let withoutVIN = await store.marks(
            startingWith: VehicleNaming.prefixWithoutVIN,
            with: .calibrations,
            limit: VehiclesWithoutVIN.limit
        )
        context.naming.restore(withoutVIN.map { VehiclesWithoutVIN.Vehicle(mark: $0.mark, stored: $0.state) })
        let prefix = configuration.mqtt.topicPrefix
        // The file can contain any bytes, and the configuration may expect another vehicle by now.
        let remembered = opening.vehicle.flatMap { name in
            context.naming.expects(mark: opening.mark) ? try? VehicleTopics(prefix: prefix, vehicle: name) : nil
        }
        let name = configuration.vehicle.name ?? remembered?.vehicle ?? context.naming.own
        return OpenedStore(
            store: store,
            vehicle: try VehicleTopics(prefix: prefix, vehicle: name),
            traffic: opening.traffic,
            unfinished: opening.unfinished,
            captures: opening.captures
        )
    }
}
