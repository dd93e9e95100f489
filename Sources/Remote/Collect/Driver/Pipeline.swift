// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// The way of the messages from the connection to the decoder, and of the batches from there to the writer.
///
/// While the writer is busy, the batch grows; while the batch is full, messages wait. The broker sends no more of them
/// than its receive maximum before the first is acknowledged, so a lost database fills no memory: the broker keeps the
/// rest.
final class Pipeline: Sendable {
    /// The largest total size of waiting messages, in bytes.
    ///
    /// Messages of a lost connection, and those of QoS 0, which no receive maximum limits, make room then.
    static let memoryLimit = 64 << 20

    private struct State {
        var arrivals = ArrivalQueue(limit: Pipeline.memoryLimit)
        var open = OpenBatch()
        /// The number of the present connection.
        var connectionNumber = 0
        weak var connection: (any BrokerConnection)?
        /// The messages to publish.
        var outgoing: [Message] = []
        var isDecoding = false
        /// The date at which the first message of the batch in writing was received; nil without one.
        var writingSince: MonotonicTime?
        var isStopping = false
        /// The error since which the database does not work.
        var databaseError: CollectError?
        var failure: CollectError?
        var tickedAt: MonotonicTime
        var writerSeenAt: MonotonicTime
        var status: CollectorStatus
        var rate = RecentRate()
        var policy = BatchPolicy()
    }

    private let state: Locked<State>
    let clock: any MonotonicClock
    /// Returns the present date.
    let date: @Sendable () -> Timestamp
    /// Wakes the decoder.
    let arrivals: AsyncStream<Void>
    private let arrivalSignal: AsyncStream<Void>.Continuation
    /// Wakes the writer.
    let batches: AsyncStream<Void>
    private let batchSignal: AsyncStream<Void>.Continuation
    /// Ends once the database has been opened, or a first attempt has failed.
    let firstOpening: AsyncStream<Never>
    private let opening: AsyncStream<Never>.Continuation

    init(_ status: CollectorStatus, clock: any MonotonicClock, date: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
        self.date = date
        self.state = Locked(State(tickedAt: clock.now, writerSeenAt: clock.now, status: status))
        (self.arrivals, self.arrivalSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.batches, self.batchSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.firstOpening, self.opening) = AsyncStream.makeStream()
    }

    // MARK: - The connection

    /// A connection is being made; messages of earlier ones can no longer be acknowledged.
    func connectionOpened(_ connection: any BrokerConnection) {
        self.state.withLock { state in
            state.connectionNumber += 1
            state.connection = connection
        }
    }

    /// The broker has granted the subscriptions.
    func subscribed() {
        let now = self.date()
        self.state.withLock { $0.status.broker.since = $0.status.broker.since ?? now }
    }

    func connectionLost(_ reason: String) {
        self.state.withLock { $0.status.broker.since = nil }
        self.failed(reason)
    }

    /// A message arrived on the present connection.
    func received(_ message: Message) {
        let (now, date) = (self.clock.now, self.date())
        self.state.withLock { state in
            // The broker keeps what is not acknowledged.
            guard !state.isStopping else { return }
            state.status.lastMessage = date
            state.arrivals.append(.init(message: message, connection: state.connectionNumber, time: now, date: date))
        }
        self.arrivalSignal.yield()
    }

    /// Time has passed: wakes the writer about once a second.
    ///
    /// - Returns: the messages to publish.
    func timePassed(at now: MonotonicTime) -> [Message] {
        let (outgoing, isDue) = self.state.withLock { state in
            let isDue = now - state.tickedAt >= .seconds(1)
            if isDue || state.tickedAt > now { state.tickedAt = now }
            defer { state.outgoing = [] }
            return (state.outgoing, isDue)
        }
        if isDue { self.batchSignal.yield() }
        return outgoing
    }

    // MARK: - The decoder

    /// Returns the next message to decode; nil if none waits, or if the batch is full.
    func nextArrival() -> ArrivalQueue.Arrival? {
        self.state.withLock { state in
            guard !state.open.isFull, let arrival = state.arrivals.next() else { return nil }
            state.isDecoding = true
            return arrival
        }
    }

    /// Adds a decoded message to the batch.
    func decoded(_ decoded: MessageDecoder.Decoded, _ arrival: ArrivalQueue.Arrival) {
        let now = self.clock.now
        let isDue = self.state.withLock { state in
            state.isDecoding = false
            state.open.add(decoded, arrival)
            guard state.policy.messageReceived(bytes: arrival.message.payload.count, at: now) else { return false }
            state.open.isDue = true
            return true
        }
        if isDue { self.batchSignal.yield() }
    }

    /// The time until which the batch waits for more messages; nil if it waits for nothing, or for the writer.
    var deadline: MonotonicTime? { self.state.withLock { $0.open.isDue ? nil : $0.policy.deadline } }

    /// The deadline of the batch may have passed.
    func deadlinePassed() {
        let now = self.clock.now
        let isDue = self.state.withLock { state in
            if state.policy.timePassed(at: now) { state.open.isDue = true }
            return state.open.isDue
        }
        if isDue { self.batchSignal.yield() }
    }

    // MARK: - The writer

    /// Returns the batch to write; nil if none is due.
    func takeBatch() -> OpenBatch? {
        let open = self.state.withLock { state -> OpenBatch? in
            state.writerSeenAt = self.clock.now
            guard state.open.isDue || state.isStopping, state.open.count > 0 else { return nil }
            defer { state.open = OpenBatch() }
            state.writingSince = state.open.oldest ?? self.clock.now
            return state.open
        }
        if open != nil { self.arrivalSignal.yield() }
        return open
    }

    /// A batch is committed: its messages are acknowledged.
    func committed(_ open: OpenBatch, _ result: WriteResult) {
        let (now, date) = (self.clock.now, self.date())
        let connection = self.state.withLock { state in
            state.status.total.add(result)
            state.rate.add(result.samples, at: now)
            state.status.lastCommit = date
            if let oldest = open.oldest { state.status.lag = now - oldest }
            (state.writingSince, state.writerSeenAt) = (nil, now)
            state.open.isDue = state.policy.writerBecameFree(at: now)
            return open.connection == state.connectionNumber ? state.connection : nil
        }
        connection?.acknowledge(open.batch.packets.map(PacketID.init))
        self.databaseFound()
        // The decoder watches the deadline of what has gathered meanwhile.
        self.arrivalSignal.yield()
    }

    func databaseFound() {
        let now = self.date()
        self.state.withLock { state in
            state.databaseError = nil
            state.status.database.since = state.status.database.since ?? now
        }
        self.opening.finish()
    }

    /// The database failed; the writer tries again.
    func databaseLost(_ error: CollectError) {
        self.state.withLock { state in
            state.databaseError = error
            state.status.database.since = nil
        }
        self.failed("\(error)")
        self.opening.finish()
    }

    /// The database can't be used at the start: the collector ends.
    func fail(_ error: CollectError) {
        self.state.withLock { $0.failure = error }
        self.opening.finish()
    }

    /// The reason for which the collector ends.
    var failure: CollectError? { self.state.withLock(\.failure) }

    /// The writer makes progress, although a call may have taken long.
    func writerSeen() { self.state.withLock { $0.writerSeenAt = self.clock.now } }

    /// Publishes a message soon, if the collector is connected.
    func publish(_ message: Message) { self.state.withLock { $0.outgoing.append(message) } }

    // MARK: - State

    /// Notes an error for the user.
    func failed(_ message: String) {
        let now = self.date()
        self.state.withLock { $0.status.lastError = .init(time: now, message: message) }
    }

    func update(_ change: (inout CollectorStatus) -> Void) { self.state.withLock { change(&$0.status) } }

    /// The present state.
    var status: CollectorStatus {
        let now = self.clock.now
        return self.state.withLock { state in
            var status = state.status
            status.samplesPerSecond = state.rate.perSecond(at: now)
            status.waiting = state.arrivals.count + state.open.count
            let oldest = [state.writingSince, state.open.oldest, state.arrivals.oldest].compactMap(\.self).min()
            if let oldest { status.lag = now - oldest }
            return status
        }
    }

    /// Whether nothing waits to be written.
    var isDrained: Bool {
        self.state.withLock { state in
            state.arrivals.count == 0 && !state.isDecoding && state.open.count == 0 && state.writingSince == nil
        }
    }

    var isDatabaseLost: Bool { self.databaseError != nil }
    /// The error since which the database does not work; nil while it works.
    var databaseError: CollectError? { self.state.withLock(\.databaseError) }
    var isStopping: Bool { self.state.withLock(\.isStopping) }

    /// Lets the collector write what it has, and end.
    func stop() {
        self.state.withLock { $0.isStopping = true }
        self.batchSignal.yield()
    }

    /// Whether the connection's task and the writer have made progress within a time.
    func isAlive(within timeout: Duration) -> Bool {
        let now = self.clock.now
        return self.state.withLock { now - $0.tickedAt <= timeout && now - $0.writerSeenAt <= timeout }
    }
}
