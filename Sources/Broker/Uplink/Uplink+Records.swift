// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import Logging
import MQTT
package import Base
import Store

// The record plane: numbered records that are kept until the broker has acknowledged them.
extension Uplink {
    /// Records an event.
    ///
    /// What is precious, and what the adapter's end may be the end of, is on the disk when this returns, unless that
    /// has failed: ``storeProblem``.
    ///
    /// - Parameter vehicle: the vehicle that it is about; without it, the present one.
    /// - Returns: why it is not recorded; nil where it is.
    @discardableResult
    package func record(
        _ event: AgentEvent,
        of vehicle: String? = nil,
        at time: MonotonicTime? = nil
    ) async -> String? {
        let destination = StoredRecord.Destination(vehicle: vehicle ?? self.topics.vehicle)
        return await self.record(
            event,
            to: .events,
            at: time,
            destination: destination,
            isCritical: event.event.isCritical,
            isUrgent: event.event.isCritical || event.event == .disconnected
        )
    }

    /// The newest finding about a vehicle; where another is connected by now, its own connection will tell it.
    package func update(_ finding: Finding, of vehicle: String) {
        guard vehicle == self.topics.vehicle else { return }
        self.update(.finding, .finding(finding))
    }

    /// Tells consumers that numbers are missing for good; only to a broker, so that this does not push out more.
    func announceGaps() async {
        guard self.isConnected else { return }
        for gap in await self.store.takeGaps() {
            self.logger.warning(
                "Records were given up, for want of room or because the broker forbids them",
                metadata: ["stream": "\(gap.stream)", "epoch": "\(gap.epoch)", "numbers": "\(gap.range)"]
            )
            var event = AgentEvent(.recordsDropped)
            event.stream = gap.stream.rawValue
            (event.ofEpoch, event.from, event.to) = (gap.epoch, gap.range.lowerBound, gap.range.upperBound)
            await self.record(event)
        }
    }

    func record(_ batch: TelemetryBatcher.Batch) async {
        let destination = StoredRecord.Destination(vehicle: self.topics.vehicle)
        await self.record(Telemetry(series: batch.series), to: .telemetry, at: batch.start, destination: destination)
    }

    /// - Returns: why it is not recorded; nil where it is, if only in memory.
    @discardableResult
    func record(
        _ body: some Encodable & Sendable,
        to stream: RecordStream,
        at time: MonotonicTime? = nil,
        destination: StoredRecord.Destination,
        isCritical: Bool = false,
        isUrgent: Bool = false
    ) async -> String? {
        defer { self.ring() }
        let isUrgent = isUrgent || self.options.storeWindow == .zero
        do {
            await self.store.append(
                try PayloadEncoder.bytes(of: body),
                to: stream,
                at: time ?? self.clock.now,
                destination: destination,
                isCritical: isCritical,
                // Before anybody can be told of it.
                flushing: isUrgent ? self.takeFlushContext() : nil
            )
            if isUrgent { await self.reportStore() }
            return nil
        } catch {
            self.logger.error("A record could not be written: \(error)", metadata: ["stream": "\(stream)"])
            return "\(error)"
        }
    }

    // MARK: - The disk

    /// Writes to the disk what is not there yet, if the window has passed.
    func saveIfDue() async {
        // At the nearest tick: no tick comes exactly in time, and the next one may be too late.
        if self.clock.now - self.saved + Self.tick / 2 >= self.options.storeWindow { await self.save() }
    }

    /// Writes to the disk what is not there yet, with the batch that is still open.
    ///
    /// - Parameter isLast: nothing more comes.
    package func save(isLast: Bool = false) async {
        self.saved = self.clock.now
        if let day = self.traffic.dayToRemember(isLast: isLast) { await self.store.remember(day) }
        await self.store.flush(self.takeFlushContext(), isLast: isLast)
        await self.reportStore()
    }

    /// What is written beside the records.
    private func takeFlushContext() -> Store.FlushContext {
        defer { self.values = [:] }
        return Store.FlushContext(
            now: self.clock.now,
            start: BootStart(of: self.clock),
            draft: self.draft,
            values: Array(self.values.values)
        )
    }

    /// The telemetry batch that is still open.
    private var draft: Store.Draft? {
        self.batcher.open.flatMap { batch in
            (try? PayloadEncoder.bytes(of: Telemetry(series: batch.series))).map {
                Store.Draft(body: $0, at: batch.start, destination: .init(vehicle: self.topics.vehicle))
            }
        }
    }

    private func reportStore() async {
        let problem = await self.store.problem
        guard problem != self.storeProblem else { return }
        self.storeProblem = problem
        if let problem {
            self.logger.error("Records are kept in memory only: \(problem)")
        } else {
            self.logger.notice("Records are kept on the disk again")
        }
    }

    // MARK: - The broker

    /// What has to wait for another day.
    var held: Set<RecordStream> { self.traffic.level == .exhausted ? [.telemetry] : [] }

    /// There may be something to publish.
    func ring() { self.bellContinuation.yield() }

    /// Publishes what waits, whenever it rings, until the task is cancelled.
    func pumpForever() async {
        for await _ in self.bell { await self.pump() }
    }

    /// Publishes what waits, as far as the window allows.
    private func pump() async {
        guard self.clock.now >= self.pumpingResumes else { return }
        while !Task.isCancelled, let connection = self.connection, self.isConnected, self.inFlight.count < Self.window,
            let record = await self.store.next(except: self.held)
        {
            // Another connection may have taken its place meanwhile.
            guard self.connection === connection, self.isConnected, await self.publish(record, over: connection) else {
                return await self.store.returnInFlight()
            }
        }
    }

    func publish(_ record: StoredRecord, over connection: any BrokerConnection) async -> Bool {
        guard let messages = self.messages(of: record) else {
            self.logger.error(
                "A record is damaged, and is left out",
                metadata: ["stream": "\(record.stream)", "number": "\(record.id.seq)"]
            )
            await self.store.acknowledge(record.stream, record.id)
            return true
        }
        do {
            for copy in messages.dropFirst() { _ = try connection.publish(copy) }
            let packet = try connection.publish(messages[0])
            if self.inFlight.isEmpty { self.acknowledgedLast = self.clock.now }
            self.inFlight[packet] = (record.stream, record.id, record.destination.vehicle)
            return true
        } catch {
            self.logger.debug("Not published: \(error)", metadata: ["stream": "\(record.stream)"])
            return false
        }
    }

    /// What is sent of a record: to its stream, and to where a requester wants it; nil where there is nothing to send.
    private func messages(of record: StoredRecord) -> [Message]? {
        let start = record.birth.start ?? BootStart(of: self.clock)
        let header = RecordHeader(
            number: self.store.number(of: record),
            time: start.date + record.birth.at.sinceBoot,
            clock: start.quality,
            boot: record.birth.boot
        )
        guard let payload = header.payload(of: record.stream, body: record.body),
            let topics = try? VehicleTopics(prefix: self.options.topicPrefix, vehicle: record.destination.vehicle)
        else { return nil }
        let (path, packed) = self.packed(payload, of: record.stream)
        guard let topic = try? topics.topic(path) else { return nil }
        var message = Message(topic: topic, payload: packed, qos: .atLeastOnce, retain: false)
        message.properties.correlationData = record.destination.correlationData
        guard let other = record.destination.responseTopic, let other = try? Topic(other) else { return [message] }
        var copy = message
        copy.topic = other
        return [message, copy]
    }

    /// What goes out of a record, and where: records are kept as they are, and compressed on their way only.
    private func packed(_ payload: [UInt8], of stream: RecordStream) -> (path: TopicPath, payload: [UInt8]) {
        if self.options.compressesTelemetry, stream == .telemetry, let packed = Zlib.compressed(payload) {
            (.compressedTelemetry, packed)
        } else {
            (.stream(stream), payload)
        }
    }

    /// The broker does not want a record, for want of right or room: it is kept, and all wait before the next try.
    ///
    /// What is about another vehicle than the present one, and is not allowed for long, must not hold up the others: it
    /// is given up, and that is told.
    func rejected(_ packet: PacketID, _ code: UInt8) async {
        if self.announcementSettled(packet, code) { return }
        // One rejection seldom comes alone.
        if self.clock.now >= self.complainsAgain {
            self.complainsAgain = self.clock.now + Self.rejectionPause
            let name = self.inFlight[packet]?.vehicle ?? self.topics.vehicle
            let why = code == Self.notAuthorised ? ": its access list does not let us be \(name)" : ""
            self.logger.error("The broker rejects messages\(why)", metadata: ["reason_code": "\(code)"])
        }
        guard let record = self.inFlight.removeValue(forKey: packet) else { return }
        if code == Self.notAuthorised, self.isForbiddenForLong(record.vehicle) {
            await self.store.giveUp(record.stream, record.id)
            return self.ring()
        }
        self.pumpingResumes = self.clock.now + Self.rejectionPause
        self.inFlight = [:]
        await self.store.returnInFlight()
    }

    /// Not authorised (MQTT 5, section 3.4.2.1).
    private static let notAuthorised: UInt8 = 0x87

    private func isForbiddenForLong(_ vehicle: String) -> Bool {
        guard vehicle != self.topics.vehicle else { return false }
        if self.forbidden[vehicle] == nil, self.forbidden.count < Self.forbiddenLimit {
            self.forbidden[vehicle] = self.clock.now
        }
        return self.forbidden[vehicle].map { self.clock.now - $0 >= Self.forbiddenPatience } ?? false
    }

    /// Ends a connection over which nothing is acknowledged, though it lives: the next one begins where this one did.
    func giveUpIfUnheard() async {
        guard let connection = self.connection, self.isConnected, !self.inFlight.isEmpty,
            self.clock.now - self.acknowledgedLast >= Self.acknowledgementPatience
        else { return }
        self.logger.warning("The broker acknowledges nothing: the connection is ended")
        self.isConnected = false
        await connection.disconnect(endingSession: false)
    }

    func acknowledged(_ packet: PacketID) async {
        if self.announcementSettled(packet) { return }
        guard let record = self.inFlight.removeValue(forKey: packet) else { return }
        self.acknowledgedLast = self.clock.now
        self.forbidden[record.vehicle] = nil
        await self.store.acknowledge(record.stream, record.id)
        self.ring()
    }
}
