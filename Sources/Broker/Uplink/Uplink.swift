// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Logging
package import MQTT
package import Base
package import Store

/// One broker: what is published to it and when, and the commands that come from it.
///
/// Two planes that never mix: the newest of everything, retained and conflated (``LivePlane``), and numbered records
/// that are kept until the broker has acknowledged them (``Store``).
package actor Uplink {
    /// How many records may be on their way without an acknowledgement.
    static let window = 20
    /// How long the broker keeps the session, and so commands for a vehicle out of reach: as long as commands live.
    static let sessionExpiry = Duration.seconds(24 * 3600)
    /// How long records wait after the broker has rejected one.
    static let rejectionPause = Duration.seconds(60)
    /// How long records of another vehicle than the present one wait for the right to go out.
    static let forbiddenPatience = Duration.seconds(600)
    /// How many such vehicles are told apart.
    static let forbiddenLimit = 16
    /// How long a connection is kept whose records the broker does not acknowledge, none of them.
    static let acknowledgementPatience = Duration.seconds(60)
    /// The time to record before the first connection of a process that follows a crash.
    static let recordingTime = Duration.seconds(60)
    /// The largest packet that is received, in bytes: a command of 64 KiB with its topic and properties.
    static let packetLimit = 69_632
    /// How many commands may wait to be read.
    static let commandLimit = 256
    /// How often what may not be published yet, or is due again, is looked at.
    static let tick = Duration.seconds(1)

    /// What arrives on the command topic; to be read by one task.
    package nonisolated let commands: AsyncStream<Message>

    /// Begins to connect, and returns at once.
    package typealias Connect = @Sendable (ConnectionOptions) throws(MQTTError) -> any BrokerConnection

    let options: UplinkOptions
    private let connect: Connect
    let store: Store
    let clock: any CalendarClock
    let logger: Logger
    private let commandContinuation: AsyncStream<Message>.Continuation
    /// What happens to announcements; to be read by one task.
    package nonisolated let announcementEvents: AsyncStream<AnnouncementEvent>
    let announcementContinuation: AsyncStream<AnnouncementEvent>.Continuation
    var announcements = Announcements()
    /// Rings when records may go; whoever brings one does not wait for those before it.
    let bell: AsyncStream<Void>
    let bellContinuation: AsyncStream<Void>.Continuation

    var topics: VehicleTopics
    var live: LivePlane
    var batcher: TelemetryBatcher
    var thinner = SampleThinner()
    /// The newest values that the store does not know yet.
    var values: [TopicPath: LastValue] = [:]
    /// What went out today.
    package internal(set) var traffic: DailyBudget
    var strangers: StrangerAccount
    /// The bytes of the present connection that ``traffic`` knows of.
    private var counted = 0
    private var fallback = VersionFallback()
    private var schedule = ReconnectSchedule()
    /// The time at which the broker accepted the present connection; nil while there is none.
    private var acceptedAt: MonotonicTime?
    /// How often somebody wanted a new connection.
    private var renewals = 0
    /// Rings when the next try need not wait.
    private let timer = InterruptibleTimer()
    var connection: (any BrokerConnection)?
    var isConnected = false
    var pumpingResumes = MonotonicTime.zero
    /// When the log may tell of rejected messages again.
    var complainsAgain = MonotonicTime.zero
    var inFlight: [PacketID: (stream: RecordStream, id: RecordID, vehicle: String)] = [:]
    /// Since when the broker forbids to speak for vehicles that are not the present one.
    var forbidden: [String: MonotonicTime] = [:]
    /// When the broker acknowledged a record last, or was sent one while it owed none.
    var acknowledgedLast = MonotonicTime.zero
    /// How often it is told that commands are dropped.
    private var drops: TokenBucket
    /// When the disk was written last.
    var saved: MonotonicTime
    /// When what is due was looked at last, which happens every second while the uplink runs.
    package private(set) var ticked: MonotonicTime
    /// Why what had to be on the disk is not there, a full disk, say; nil where all of it is.
    package internal(set) var storeProblem: String?

    /// - Parameters:
    ///   - vehicle: the vehicle to begin with.
    ///   - earlier: what the process before this one has sent.
    /// - Throws: where `vehicle` can't be a level of a topic.
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
        self.connect = connect
        self.store = store
        self.clock = clock
        self.logger = logger
        self.saved = clock.now
        self.ticked = clock.now
        self.drops = TokenBucket(capacity: 1, interval: .seconds(60), at: clock.now)
        self.topics = try VehicleTopics(prefix: options.topicPrefix, vehicle: vehicle)
        self.batcher = TelemetryBatcher(interval: options.batchInterval)
        self.live = LivePlane(mode: options.live)
        self.traffic = DailyBudget(limit: options.dailyBudget, earlier: earlier, at: clock.now)
        self.strangers = StrangerAccount(dailyBudget: options.dailyBudget, at: clock.now)
        (self.commands, self.commandContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.commandLimit)
        )
        (self.announcementEvents, self.announcementContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.commandLimit)
        )
        (self.bell, self.bellContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether the broker has accepted us.
    package var isOnline: Bool { self.isConnected }

    // MARK: - Running

    /// Connects, publishes, and begins again after every loss, until the task is cancelled; ``finish()`` comes then.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.connectForever() }
            group.addTask { await self.tickForever() }
            group.addTask { await self.pumpForever() }
        }
    }

    /// Sends what there is, says goodbye, and ends the connection; within 2 seconds or so.
    package func finish() async {
        if let batch = self.batcher.take() { await self.record(batch) }
        await self.save()
        if let connection = self.connection, self.isConnected {
            while self.inFlight.count < 2 * Self.window, let record = await self.store.next(except: self.held),
                await self.publish(record, over: connection)
            {}
            self.publishAvailability(.offline, over: connection)
            await connection.disconnect(endingSession: false)
        }
        self.connection = nil
        await self.save(isLast: true)
        self.commandContinuation.finish()
        self.announcementContinuation.finish()
    }

    private func connectForever() async {
        if self.options.followsCrash {
            self.logger.warning(
                "The agent died before this start, and records before it connects to the broker",
                metadata: ["connects_in": "\(Self.recordingTime.milliseconds) ms"]
            )
            await self.timer.wait(until: self.clock.now + Self.recordingTime, on: self.clock)
        }
        var server = 0
        while !Task.isCancelled {
            let (topics, renewals) = (self.topics, self.renewals)
            let failure = await self.runConnection(to: self.options.servers[server])
            let stood = self.acceptedAt.take().map { self.clock.now - $0 }
            guard !Task.isCancelled else { return }
            // Another vehicle: its own connection, at once. The same where the files of the connection are others.
            if topics != self.topics || renewals != self.renewals { continue }
            if stood == nil { server = (server + 1) % self.options.servers.count }
            let version = self.fallback.version
            self.fallback.ended(failure)
            // The older version is tried at once; a broker that refuses both waits like any other.
            if version == .v5, failure == .refused(.unsupportedVersion) { continue }
            let wait = self.schedule.wait(after: failure, stood: stood)
            if let rivalry = self.rivalry { self.logger.error("\(rivalry)") }
            self.logger.warning("No broker: \(failure)", metadata: ["retry_in": "\(wait.milliseconds) ms"])
            await self.timer.wait(until: self.clock.now + wait, on: self.clock)
        }
    }

    /// Connects anew, now: what proves who we are and who the broker is has changed, or may have.
    ///
    /// The files are read for each connection. The session stays, and nothing is lost.
    package func reconnect() async {
        self.renewals += 1
        self.timer.interrupt()
        // What was rejected from somebody else may be taken from us.
        self.pumpingResumes = self.clock.now
        guard let connection = self.connection else { return }
        if self.isConnected { self.publishAvailability(.offline, over: connection) }
        self.isConnected = false
        await connection.disconnect(endingSession: false)
    }

    /// Another client that seems to use the same client id, and what a human can do, in words; nil without a sign of one.
    package var rivalry: String? {
        guard let rival = self.schedule.rival,
            self.acceptedAt.map({ self.clock.now - $0 < ReconnectSchedule.settled }) ?? true
        else { return nil }
        let what =
            switch rival {
            case .certain: "Another client uses the client id \(self.clientID): each ends the other's connection"
            case .suspected:
                "Each connection ends right after it is made: another client may use the client id \(self.clientID)"
            }
        return "\(what). Try: end the other obd-agent; a copied card needs an /etc/machine-id of its own"
    }

    private var clientID: String { "obd-\(self.options.agent)-\(self.topics.vehicle)" }

    /// Returns why the connection has ended.
    private func runConnection(to server: Server) async -> MQTTError {
        var failure = MQTTError.closed
        do {
            let connection = try self.connect(self.connectionOptions(server))
            self.connection = connection
            self.counted = 0
            defer { self.count(connection) }
            async let reading: Void = self.readCommands(from: connection)
            for await event in connection.events {
                switch event {
                case .connected(let sessionPresent):
                    self.acceptedAt = self.clock.now
                    self.fallback.connected()
                    self.logger.info(
                        "Connected to the broker",
                        metadata: ["broker": "\(server.host):\(server.port)", "session": "\(sessionPresent)"]
                    )
                    await self.connected(connection, isKnown: sessionPresent)
                case .acknowledged(let packet):
                    await self.acknowledged(packet)
                case .rejected(let packet, let code):
                    await self.rejected(packet, code)
                case .subscribed(let packet, let grants):
                    let isRefused = grants.contains { if case .refused = $0 { true } else { false } }
                    if !self.announcementsSubscribed(packet, isRefused: isRefused), isRefused {
                        self.logger.error("The broker refuses the command topic: no commands will arrive")
                    }
                case .disconnected(let error):
                    failure = error
                }
            }
            // Cancelled: the connection lives on for the last words.
            guard !Task.isCancelled else { return failure }
            self.connection = nil
            await reading
        } catch {
            failure = error
        }
        self.isConnected = false
        self.announcementContinuation.yield(self.announcements.lost())
        self.live.disconnected()
        self.inFlight = [:]
        await self.store.returnInFlight()
        return failure
    }

    private func connectionOptions(_ server: Server) throws(MQTTError) -> ConnectionOptions {
        guard let availability = try? self.topics.topic(.availability) else { throw .invalid("topic") }
        return ConnectionOptions(
            server: server,
            clientID: self.clientID,
            username: self.options.username,
            password: try self.options.password(),
            will: Message(topic: availability, payload: Availability.offline.payload, qos: .atLeastOnce, retain: true),
            sessionExpiry: Self.sessionExpiry,
            version: self.fallback.version,
            packetLimit: Self.packetLimit
        )
    }

    private func readCommands(from connection: any BrokerConnection) async {
        for await message in connection.messages {
            if message.qos == .atLeastOnce { self.traffic.addForStrangers(PacketSize.acknowledgement) }
            if self.options.listensTo?.matches(message.topic) == true {
                self.announcementContinuation.yield(.heard(message))
                continue
            }
            guard case .dropped = self.commandContinuation.yield(message),
                let unreported = self.drops.take(at: self.clock.now)
            else { continue }
            self.logger.warning(
                "More commands than can be read: one is dropped",
                metadata: ["unreported": "\(unreported)"]
            )
        }
    }

    private func connected(_ connection: any BrokerConnection, isKnown: Bool) async {
        // It may have been accepted after the vehicle had changed: then it is on its way out.
        guard self.connection === connection else { return }
        self.isConnected = true
        self.live.connected()
        do {
            let filter = TopicFilter(try self.topics.topic(.commands))
            _ = try connection.subscribe([(filter, .atLeastOnce)], retainAsPublished: true)
        } catch {
            self.logger.error("Cannot subscribe to commands: \(error)")
        }
        self.publishAvailability(.online, over: connection)
        self.publishDue()
        self.listen(over: connection)
        self.announcementContinuation.yield(.connected(isKnown: isKnown))
        await self.announceGaps()
        self.ring()
    }

    private func tickForever() async {
        var next = self.clock.now
        while !Task.isCancelled {
            next = max(self.clock.now, next + Self.tick)
            try? await self.clock.sleep(until: next)
            self.ticked = self.clock.now
            if let connection = self.connection { self.count(connection) }
            self.publishDue()
            if let batch = self.batcher.flush(at: self.clock.now) { await self.record(batch) }
            await self.saveIfDue()
            await self.announceGaps()
            self.ring()
            await self.giveUpIfUnheard()
        }
    }

    // MARK: - The vehicle

    /// The topics of a vehicle of this name, if those are the present ones.
    package func vehicleTopics(_ name: String) -> VehicleTopics? { self.vehicle == name ? self.topics : nil }

    /// The vehicle whose topics these are.
    package var vehicle: String { self.topics.vehicle }

    /// From now on everything is about another vehicle.
    ///
    /// The old tree is said offline and its session is ended, so that commands for the old vehicle never reach the
    /// new one; then a new connection has the new vehicle's will.
    package func setVehicle(_ vehicle: String) async throws(TopicError) {
        guard vehicle != self.topics.vehicle else { return }
        let topics = try VehicleTopics(prefix: self.options.topicPrefix, vehicle: vehicle)
        if let batch = self.batcher.take() { await self.record(batch) }
        await self.save()
        let old = self.connection
        if let old, self.isConnected { self.publishAvailability(.offline, over: old) }
        self.topics = topics
        self.live.removeAll()
        self.isConnected = false
        self.connection = nil
        await old?.disconnect(endingSession: true)
    }

    // MARK: - The budget

    /// Takes what a connection has sent since the last look to the account of the day.
    private func count(_ connection: any BrokerConnection) {
        let isToday = self.clock.quality == .synchronised
        let date = isToday ? self.clock.timestamp.milliseconds / (24 * 3600 * 1000) : nil
        let total = connection.bytesSent
        let before = self.traffic.level
        self.traffic.add(total - self.counted, at: self.clock.now, on: date)
        self.counted = total
        self.live.budget = self.traffic.level
        guard self.traffic.level != before else { return }
        self.logger.notice(
            "The day's data budget",
            metadata: ["level": "\(self.traffic.level.rawValue)", "sent": "\(self.traffic.sent)"]
        )
    }
}
