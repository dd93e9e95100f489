// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import Logging
package import MQTT
package import Store

/// The agent's side of one broker: publishes live values and records, and receives commands.
///
/// Two planes never mix: the newest value of each topic, retained and conflated (``LivePlane``), and numbered records,
/// which are kept until the broker has acknowledged them (``RecordPlane``). ``BrokerLink`` decides about the
/// connection; the actor performs what the parts decide.
package actor Uplink {
    /// The time to record before the first connection, if the previous process died while it connected.
    static let recordingTime = Duration.seconds(30)
    /// The largest number of commands that wait to be read.
    static let commandLimit = 256
    /// The interval at which overdue live values, batches and flushes are looked for.
    static let tick = Duration.seconds(1)

    /// Begins to connect, and returns at once.
    package typealias Connect = @Sendable (ConnectionOptions) throws(MQTTError) -> any BrokerConnection

    let options: UplinkOptions
    let clock: any CalendarClock
    let logger: Logger
    private nonisolated let commandInbox: CommandInbox
    /// The events of announcements.
    ///
    /// A single task may read them.
    package nonisolated let announcementEvents: AsyncStream<AnnouncementEvent>
    var announcements: Announcements

    var topics: VehicleTopics { didSet { self.records.vehicle = self.topics.vehicle } }
    var link: BrokerLink
    var live: LivePlane
    var feed: Feed
    let records: RecordPlane
    /// The time of the last tick.
    ///
    /// The ticks come every second while the uplink runs.
    package private(set) var tickedAt: MonotonicTime

    /// - Parameters:
    ///   - vehicle: the first vehicle.
    ///   - earlier: the bytes that the previous process has sent.
    /// - Throws: if `vehicle` can't be a level of a topic.
    package init(
        _ options: UplinkOptions,
        vehicle: String,
        earlier: DayTraffic? = nil,
        store: Store,
        clock: any CalendarClock,
        logger: Logger,
        connect: @escaping Connect
    ) throws(TopicError) {
        self.options = options
        self.clock = clock
        self.logger = logger
        let now = clock.now
        self.tickedAt = now
        self.topics = try VehicleTopics(prefix: options.topicPrefix, vehicle: vehicle)
        self.link = BrokerLink(options, connect: connect)
        self.live = LivePlane(mode: options.live)
        self.feed = Feed(options)
        self.records = RecordPlane(
            options,
            vehicle: vehicle,
            earlier: earlier,
            store: store,
            clock: clock,
            logger: logger
        )
        self.commandInbox = CommandInbox(limit: Self.commandLimit, at: now)
        let (events, continuation) = AsyncStream.makeStream(
            of: AnnouncementEvent.self,
            bufferingPolicy: .bufferingNewest(Self.commandLimit)
        )
        self.announcementEvents = events
        self.announcements = Announcements(filter: options.announcementFilter, continuation)
    }

    /// The messages on the command topic.
    ///
    /// A single task may read them.
    package nonisolated var commands: AsyncStream<Message> { self.commandInbox.messages }

    /// Whether a broker is configured.
    package nonisolated var hasBroker: Bool { !self.options.servers.isEmpty }

    /// Whether the broker has accepted the connection.
    package var isOnline: Bool { self.link.isConnected }

    // MARK: - Running

    /// Connects and publishes, and reconnects after every loss, until the task is cancelled.
    ///
    /// Without a broker it records, and serves the readers on this machine. Call ``finish()`` then.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.tickForever() }
            guard self.hasBroker else {
                return self.logger.notice("No broker is configured, so all data stays on this machine")
            }
            group.addTask { await self.connectForever() }
            group.addTask { await self.pumpForever() }
        }
    }

    /// Publishes the waiting records and `offline`, and ends the connection; takes about 2 seconds at most.
    package func finish() async {
        await self.records.endBatch()
        if let connection = self.link.openConnection {
            while let record = await self.records.next(isEnding: true),
                await self.records.publish(record, over: connection)
            {}
            self.publishAvailability(.offline, over: connection)
            await connection.disconnect(endingSession: false)
        }
        self.link.release()
        await self.records.save(isLast: true)
        self.commandInbox.finish()
        self.announcements.finish()
    }

    private func connectForever() async {
        if self.options.followsCrash {
            self.logger.warning(
                "The previous process died while it connected. This one records before it connects to the broker",
                metadata: ["connects_in": "\(Self.recordingTime.milliseconds) ms"]
            )
            await self.link.retryTimer.wait(until: self.clock.now + Self.recordingTime, on: self.clock)
        }
        while !Task.isCancelled {
            let generation = self.link.generation
            let failure = await self.runConnection()
            guard !Task.isCancelled else { return }
            let next = self.link.ended(failure, generation: generation, at: self.clock.now)
            self.feed.brokerLost(failure, next: self.link.server)
            switch next {
            case .connectNow: continue
            case .wait(let wait):
                if let rivalry = self.rivalry { self.logger.error("\(rivalry)") }
                self.logger.warning(
                    "No broker: \(failure)",
                    metadata: [
                        JournalEvent.metadataKey: "\(JournalEvent.noBroker.rawValue)",
                        "retry_in": "\(wait.milliseconds) ms",
                    ]
                )
                await self.link.retryTimer.wait(until: self.clock.now + wait, on: self.clock)
            }
        }
    }

    /// Replaces the connection now, because a credential file has changed or may have.
    ///
    /// The files are read for each connection. The session at the broker stays, and nothing is lost.
    package func reconnect() async {
        let (current, open) = (self.link.connection, self.link.openConnection)
        self.link.replaceConnection()
        self.link.retryTimer.interrupt()
        self.records.sender.resume(at: self.clock.now)
        guard let current else { return }
        if let open { self.publishAvailability(.offline, over: open) }
        await current.disconnect(endingSession: false)
    }

    /// A warning about another client that seems to use the same client id, with a remedy; nil without a sign of one.
    package var rivalry: String? { self.link.rivalry(over: self.vehicle, at: self.clock.now) }

    /// Returns the reason why the connection has ended.
    private func runConnection() async -> MQTTError {
        var failure = MQTTError.closed
        do {
            let server = self.link.server
            let connection = try self.link.dial(for: self.topics)
            defer { self.countTraffic(of: connection) }
            async let reading: Void = self.readMessages(from: connection)
            for await event in connection.events {
                switch event {
                case .connected(let sessionPresent):
                    guard self.link.accepted(at: self.clock.now) else {
                        await connection.disconnect(endingSession: false)
                        continue
                    }
                    self.logger.info(
                        "Connected to the broker",
                        metadata: [
                            JournalEvent.metadataKey: "\(JournalEvent.brokerConnected.rawValue)",
                            "broker": "\(server.host):\(server.port)", "session": "\(sessionPresent)",
                        ]
                    )
                    await self.connected(connection, isSessionPresent: sessionPresent)
                case .acknowledged(let packet):
                    await self.acknowledged(packet)
                case .rejected(let packet, let code):
                    await self.rejected(packet, code)
                case .subscribed(let packet, let grants):
                    self.subscribed(packet, refusals: grants.map { if case .refused = $0 { true } else { false } })
                case .unsubscribed:
                    break
                case .disconnected(let error):
                    failure = error
                }
            }
            // After a cancellation, finish() sends its last messages over this connection.
            guard !Task.isCancelled else { return failure }
            self.link.release()
            await reading
        } catch {
            failure = error
        }
        self.link.suspend()
        self.announcements.connectionLost()
        self.live.disconnected()
        await self.records.connectionLost()
        return failure
    }

    private func readMessages(from connection: any BrokerConnection) async {
        for await message in connection.messages {
            if message.qos == .atLeastOnce { self.records.addForStrangers(PacketSize.acknowledgement) }
            if self.announcements.received(message) { continue }
            guard let unreported = self.commandInbox.add(message, at: self.clock.now) else { continue }
            self.logger.warning(
                "More commands than can be read: one was dropped. Try: send fewer commands at a time",
                metadata: ["unreported": "\(unreported)"]
            )
        }
    }

    private func connected(_ connection: any BrokerConnection, isSessionPresent: Bool) async {
        guard self.link.opened(connection) else { return }
        self.live.connected()
        self.feed.brokerConnected(self.link.server)
        do {
            let paths = [.commands] + self.options.buttons.map { TopicPath.button($0) }
            let filters = try paths.map { (TopicFilter(try self.topics.topic($0)), QoS.atLeastOnce) }
            _ = try connection.subscribe(filters, retainAsPublished: true)
        } catch {
            self.logger.error("No commands will arrive: the subscription to them failed: \(error)")
        }
        self.publishAvailability(.online, over: connection)
        self.publishDue()
        self.announcements.connected(over: connection, isSessionPresent: isSessionPresent)
        await self.announceGaps()
        self.records.notifyPump()
    }

    /// - Parameter refusals: for each topic, in the order of the subscription, whether the broker refuses it.
    private func subscribed(_ packet: PacketID, refusals: [Bool]) {
        if self.announcements.subscribed(packet) {
            guard refusals.contains(true), let filter = self.options.announcementFilter else { return }
            self.logger.notice(
                """
                The broker refuses the subscription to \(filter). Try: let this user read it in the broker's access \
                list
                """
            )
        } else if refusals.first == true {
            self.logger.error(
                """
                No commands will arrive: the broker refuses the subscription to the command topic. Try: let this user \
                read it in the broker's access list
                """
            )
        } else if refusals.contains(true) {
            self.logger.error(
                """
                No presses will arrive: the broker refuses the subscription to the topics of [commands] buttons. Try: \
                let this user read commands/# in the broker's access list
                """
            )
        }
    }

    private func tickForever() async {
        var next = self.clock.now
        while !Task.isCancelled {
            next = max(self.clock.now, next + Self.tick)
            try? await self.clock.sleep(until: next)
            self.tickedAt = self.clock.now
            self.link.ticked(at: self.tickedAt)
            if let connection = self.link.connection { self.countTraffic(of: connection) }
            self.publishDue()
            await self.records.endDueBatch()
            await self.records.saveIfDue()
            await self.announceGaps()
            self.records.notifyPump()
            await self.endConnectionIfStalled()
        }
    }

    // MARK: - The vehicle

    /// The topic level of the current vehicle.
    package var vehicle: String { self.topics.vehicle }

    /// Changes the vehicle.
    ///
    /// The availability of the old vehicle becomes `offline`, and its session at the broker ends, so that its commands
    /// never reach the new vehicle. A new connection has the new vehicle's will.
    package func setVehicle(_ vehicle: String) async throws(TopicError) {
        guard vehicle != self.topics.vehicle else { return }
        let topics = try VehicleTopics(prefix: self.options.topicPrefix, vehicle: vehicle)
        await self.records.endBatch()
        let old = self.link.connection
        if let open = self.link.openConnection { self.publishAvailability(.offline, over: open) }
        self.topics = topics
        self.live.removeAll()
        self.feed.turned(to: vehicle)
        self.link.replaceConnection()
        self.link.release()
        await old?.disconnect(endingSession: true)
    }

    // MARK: - The budget

    /// The data budget of the day.
    package var traffic: DailyBudget { self.records.traffic }

    /// Adds the bytes that a connection has sent since the last call to the budget of the day.
    private func countTraffic(of connection: any BrokerConnection) {
        self.records.addSent(self.link.takeSentBytes(of: connection))
        self.live.budget = self.traffic.level
    }
}
