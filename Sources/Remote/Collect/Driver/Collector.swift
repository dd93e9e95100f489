// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import EventLoop
package import Logging
package import MQTT
package import Subscriber

/// Collects the records of a fleet from a broker into a database.
///
/// The broker gets the acknowledgement of a message once it is committed, and keeps the others for a later connection.
/// Each connection, to the broker and to the database, is made again for ever.
package final class Collector: Sendable {
    /// The settings of a collector.
    package struct Options: Sendable {
        package var topics: FleetTopics
        /// The group with which the records are shared; nil for all records.
        package var share: String?
        /// The time to keep records; nil for ever.
        package var keep: Duration?
        /// The end of the run; nil to collect until stopped.
        package var end: MonotonicTime?
        /// Whether to end once the broker has sent everything that it has.
        package var endsWhenQuiet = false
        /// The longest time without the broker or the database; nil for ever.
        package var absenceLimit: Duration?
        /// Whether a collector with this client id has run before, so that the broker should have its session.
        package var hasPredecessor = false
        /// Returns the next step after an error of the broker; nil if there is none.
        package var nextStep: @Sendable (MQTTError) -> String? = { _ in nil }
        /// The beginning of the ids of commands, which no other process has or had.
        package var run: String
        /// Returns the metric unit of a series; nil if it is not known.
        package var unit: @Sendable (String) -> String?
        /// Returns the message of a request for missing records; nil if it can't be signed.
        package var command: @Sendable (ResendRequest) -> Message?

        package init(
            topics: FleetTopics,
            share: String?,
            keep: Duration?,
            run: String,
            unit: @escaping @Sendable (String) -> String?,
            command: @escaping @Sendable (ResendRequest) -> Message?
        ) {
            self.topics = topics
            self.share = share
            self.keep = keep
            self.run = run
            self.unit = unit
            self.command = command
        }
    }

    /// The time for which the broker keeps the session, and with it the messages, of a collector that is away.
    package static let sessionExpiry = Duration.seconds(7 * 86_400)
    /// The same for a member of a group: as long as its session lasts, Mosquitto keeps a part of the records for it.
    package static let memberExpiry = Duration.seconds(600)
    /// The number of messages that the broker may send before the first is acknowledged.
    static let receiveMaximum: UInt16 = 200

    private let options: Options
    private let pipeline: Pipeline
    private let client: BrokerClient
    private let filters: CollectFilters
    private let open: @Sendable () throws(CollectError) -> any CollectDatabase
    private let interrupt: @Sendable () -> Void
    private let logger: Logger
    private let log: ConnectionLog

    /// - Parameters:
    ///   - connection: the broker; its client id is the level of the topics for responses.
    ///   - names: the addresses of broker and database for people.
    ///   - open: returns the database, which is not open yet; called on the thread of the database.
    ///   - interrupt: ends the calls of the database.
    ///   - connect: opens a connection to the broker.
    package init(
        _ options: Options,
        connection: ConnectionOptions,
        names: (broker: String, database: String),
        clock: any MonotonicClock,
        date: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        connect: @escaping BrokerClient.Connect = { options throws(MQTTError) in try MQTTConnection(options) },
        open: @escaping @Sendable () throws(CollectError) -> any CollectDatabase,
        interrupt: @escaping @Sendable () -> Void
    ) throws(TopicError) {
        let status = CollectorStatus(
            clientID: connection.clientID,
            share: options.share,
            broker: names.broker,
            database: names.database,
            at: date()
        )
        let pipeline = Pipeline(status, clock: clock, date: date)
        var settings = connection
        settings.sessionExpiry = options.share == nil ? Self.sessionExpiry : Self.memberExpiry
        settings.holdsAcknowledgements = true
        settings.receiveMaximum = Self.receiveMaximum
        self.filters = try CollectFilters(options.topics, share: options.share, requester: connection.clientID)
        self.options = options
        self.pipeline = pipeline
        self.open = open
        self.interrupt = interrupt
        self.logger = logger
        self.log = ConnectionLog(pipeline, options, logger: logger)
        self.client = BrokerClient(
            settings,
            endurance: .service,
            // Mosquitto 2.0.11 sends more than the receive maximum; the connection limits their size.
            receiveLimit: Int(UInt16.max),
            clock: clock,
            connect: { options throws(MQTTError) in
                let connection = try connect(options)
                pipeline.connectionOpened(connection)
                return connection
            },
            onDrop: { count in
                logger.warning("\(count) messages of the broker were dropped: too large, or without acknowledgement")
            }
        )
    }

    /// The present state.
    package var status: CollectorStatus { self.pipeline.status }

    /// Whether the connection and the writer have made progress within a time.
    package func isAlive(within timeout: Duration) -> Bool { self.pipeline.isAlive(within: timeout) }

    /// Lets the collector write what it has received, acknowledge that, and end.
    package func stop() { self.pipeline.stop() }

    /// Collects until stopped.
    ///
    /// - Throws: ``MQTTError`` if the broker refuses the first connection.
    package func run() async throws -> Collecting.Outcome {
        let machine = Collecting(
            self.filters,
            self.pipeline,
            until: self.options.end,
            endsWhenQuiet: self.options.endsWhenQuiet,
            absenceLimit: self.options.absenceLimit
        )
        let writer = DatabaseWriter(self.pipeline, self.options, logger: self.logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                group.cancelAll()
                self.interrupt()
            }
            group.addTask { await self.decode() }
            group.addTask { [open] in await writer.run(open) }
            // A collector whose database is in use must not throw that one off the broker before it says so.
            for await _ in self.pipeline.firstOpening {}
            if let failure = self.pipeline.failure { return .databaseFailed(failure) }
            return try await self.client.run(machine, report: self.log.report)
        }
    }

    /// Decodes messages until the task is cancelled.
    private func decode() async {
        var decoder = MessageDecoder(self.options.topics, unit: self.options.unit)
        for await _ in self.pipeline.arrivals {
            self.decodeArrivals(&decoder)
            while let deadline = self.pipeline.deadline {
                try? await self.pipeline.clock.sleep(until: deadline)
                if Task.isCancelled { return }
                self.decodeArrivals(&decoder)
                self.pipeline.deadlinePassed()
            }
        }
    }

    private func decodeArrivals(_ decoder: inout MessageDecoder) {
        while let arrival = self.pipeline.nextArrival() {
            self.pipeline.decoded(decoder.decode(arrival.message, at: arrival.date), arrival)
        }
    }
}
