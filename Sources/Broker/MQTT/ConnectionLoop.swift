// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import CMosquitto
internal import Dispatch
internal import EventLoop
internal import Synchronization

/// Runs a connection on two threads: one opens it, the other loops until its end.
///
/// Opening blocks for as long as the system tries; TCP alone gives up after two minutes. The looping thread waits for
/// it until the deadline, then reports the failure and ends. The opening thread ends later, and its result is ignored.
final class ConnectionLoop: Sendable {
    private enum Phase {
        case connecting
        case connected
        case closing(deadline: ContinuousClock.Instant, endingSession: Bool, isSent: Bool)
        case ended
    }

    private struct State {
        var phase = Phase.connecting
        /// The session present flag of the CONNACK; `nil` until the CONNACK is received.
        var sessionPresent: Bool?
        /// The reason for the end of the connection, once it is known.
        var ending: MQTTError?
        /// The result of opening the connection; `nil` while it is being opened.
        var openResult: Result<Void, MQTTError>?
        var unacknowledged: Set<UInt16> = []
        /// The number of QoS 0 messages that are not written yet.
        var unwrittenCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The time limit for closing a connection with DISCONNECT.
    private static let closingTime = Duration.seconds(2)
    /// The part of ``closingTime`` during which DISCONNECT waits for acknowledgements.
    private static let drainingTime = Duration.milliseconds(1500)

    private let client: LibraryClient
    private let state = Locked(State())
    private let openedOrEnding = DispatchSemaphore(value: 0)
    /// Ends the wait of the looping thread.
    private let interrupt = PollInterrupt()
    private let events: AsyncStream<MQTTConnection.Event>.Continuation
    private let messages: AsyncStream<Message>.Continuation
    /// The packet identifiers whose acknowledgements may be sent.
    private let releases = Locked<[UInt16]>([])
    private let receivedCount = Atomic<Int>(0)
    private let droppedCount = Atomic<Int>(0)
    private let sentByteCount = Atomic<Int>(0)

    init(
        _ options: ConnectionOptions,
        events: AsyncStream<MQTTConnection.Event>.Continuation,
        messages: AsyncStream<Message>.Continuation
    ) throws(MQTTError) {
        self.client = try LibraryClient(options)
        self.events = events
        self.messages = messages
        // The library calls back only on the two threads, which hold a reference to this object.
        unsafe mosquitto_user_data_set(self.client.pointer, Unmanaged.passUnretained(self).toOpaque())
        unsafe setCallbacks(of: self.client.pointer)
    }

    var droppedMessages: Int { self.droppedCount.load(ordering: .relaxed) }
    var bytesSent: Int { self.sentByteCount.load(ordering: .relaxed) }

    // MARK: - Calls of the connection's owner

    func start() throws(MQTTError) {
        let isStarted = Thread.tryStart(named: "mqtt") { self.run() }
        guard isStarted else { throw self.cannotConnect(.other("no thread could be started")) }
    }

    func publish(_ message: Message) throws(MQTTError) -> PacketID {
        // Without the lock, the acknowledgement could arrive before the id is stored.
        try self.state.withLock { state throws(MQTTError) in
            guard case .connected = state.phase, state.ending == nil else { throw .notConnected }
            let queuedCount = state.unacknowledged.count + state.unwrittenCount
            guard queuedCount < MQTTConnection.queueLimit else { throw .queueFull }
            let id = try self.client.publish(message)
            self.interrupt.signal()
            self.addSentBytes(PacketSize.publish(message, self.client.options.version))
            if message.qos == .atMostOnce {
                state.unwrittenCount += 1
            } else {
                state.unacknowledged.insert(id)
            }
            return PacketID(rawValue: id)
        }
    }

    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
        try self.state.withLock { state throws(MQTTError) in
            guard case .connected = state.phase, state.ending == nil else { throw .notConnected }
            let qos = filters.map(\.1).max { $0.rawValue < $1.rawValue } ?? .atMostOnce
            let id = try self.client.subscribe(filters.map(\.0), qos: qos, retainAsPublished: retainAsPublished)
            self.interrupt.signal()
            self.addSentBytes(PacketSize.subscribe(filters.map(\.0), self.client.options.version))
            return PacketID(rawValue: id)
        }
    }

    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID {
        try self.state.withLock { state throws(MQTTError) in
            guard case .connected = state.phase, state.ending == nil else { throw .notConnected }
            let id = try self.client.unsubscribe(filters)
            self.interrupt.signal()
            self.addSentBytes(PacketSize.unsubscribe(filters, self.client.options.version))
            return PacketID(rawValue: id)
        }
    }

    /// Lets the acknowledgements of received messages be sent.
    func acknowledge(_ packets: [PacketID]) {
        self.releases.withLock { $0 += packets.map(\.rawValue) }
        self.interrupt.signal()
    }

    private func takeReleases() -> [UInt16] {
        self.releases.withLock { releases in
            defer { releases = [] }
            return releases
        }
    }

    func disconnect(endingSession: Bool) async {
        await withCheckedContinuation { waiter in
            let isOver = self.state.withLock { state in
                switch state.phase {
                case .connecting:
                    self.end(&state, .closed)
                case .connected:
                    let deadline = ContinuousClock.now + Self.closingTime
                    state.phase = .closing(deadline: deadline, endingSession: endingSession, isSent: false)
                case .closing:
                    break
                case .ended:
                    return true
                }
                state.waiters.append(waiter)
                return false
            }
            if isOver { waiter.resume() } else { self.interrupt.signal() }
        }
    }

    /// Ends the connection without DISCONNECT, so the broker publishes the will.
    func drop() {
        self.state.withLock { self.end(&$0, .closed) }
    }

    // MARK: - The threads

    private func run() {
        let deadline = ContinuousClock.now + self.client.options.connectTimeout
        var relay: PacketRelay?
        if let failure = self.open(until: deadline) { return self.finish(failure, &relay) }

        while true {
            var ended: ConnectionEnd?
            do throws(ConnectionEnd) {
                if relay == nil { relay = try PacketRelay(self.client, interrupt: self.interrupt) }
                self.sendDisconnectWhenDue()
                try relay?.runOnce(milliseconds: self.pollTimeout(before: deadline), releases: self.takeReleases)
            } catch {
                ended = error
            }
            if let ending = self.ending(ended, connectBy: deadline) { return self.finish(ending, &relay) }
        }
    }

    /// Opens the connection on another thread, which may outlive this call; returns the error if that fails.
    private func open(until deadline: ContinuousClock.Instant) -> MQTTError? {
        let isStarted = Thread.tryStart(named: "mqtt-open") {
            let failure = self.client.connect()
            self.state.withLock { $0.openResult = failure.map { .failure($0) } ?? .success(()) }
            self.openedOrEnding.signal()
        }
        guard isStarted else { return self.cannotConnect(.other("no thread could be started")) }

        _ = self.openedOrEnding.wait(timeout: .now() + .milliseconds(milliseconds(until: deadline)))
        return self.state.withLock { state in
            if let ending = state.ending { return ending }
            switch state.openResult {
            case nil:
                return self.cannotConnect(.noAnswer)
            case .failure(let failure):
                return failure
            case .success:
                self.addSentBytes(PacketSize.connect(self.client.options))
                return nil
            }
        }
    }

    /// Returns the longest time that the loop may wait for events, in milliseconds.
    ///
    /// Keep alive needs a check once a second. Everything else ends the wait.
    private func pollTimeout(before deadline: ContinuousClock.Instant) -> Int32 {
        self.state.withLock { state in
            switch state.phase {
            case .connecting: Int32(clamping: min(1000, milliseconds(until: deadline) + 1))
            case .connected: 1000
            case .closing, .ended: 50
            }
        }
    }

    /// Returns the reason why the connection ends now, or `nil` if it goes on.
    ///
    /// It also emits `connected`, after the library has finished handling the CONNACK: a message that is published
    /// earlier would be sent twice.
    private func ending(
        _ ended: ConnectionEnd?,
        connectBy deadline: ContinuousClock.Instant
    ) -> MQTTError? {
        self.state.withLock { state in
            if case .connecting = state.phase, let sessionPresent = state.sessionPresent, state.ending == nil {
                state.phase = .connected
                self.emit(.connected(sessionPresent: sessionPresent), &state)
            }
            if let ending = state.ending { return ending }
            switch (state.phase, ended) {
            case (.connecting, nil):
                return ContinuousClock.now < deadline
                    ? nil : self.cannotConnect(.silentPort)
            case (.connecting, .untrusted(let reason)):
                return .tls(reason)
            case (.connecting, .lost(let reason)):
                return .closedUnanswered(reason)
            case (.closing(let deadline, _, _), nil):
                return ContinuousClock.now < deadline ? nil : .closed
            case (.closing, _):
                return .closed
            case (_, .foreign(let other)):
                return .foreign(other)
            case (_, .malformed(let what)):
                return .malformed(what)
            case (_, .lost(let reason)), (_, .untrusted(let reason)):
                return .connectionLost(reason)
            case (_, nil):
                return nil
            }
        }
    }

    /// Sends DISCONNECT once all messages are acknowledged, or once the time for that is over.
    private func sendDisconnectWhenDue() {
        let endingSession: Bool? = self.state.withLock { state in
            guard case .closing(let deadline, let endingSession, false) = state.phase else { return nil }
            let isLate = ContinuousClock.now > deadline - Self.closingTime + Self.drainingTime
            guard state.unacknowledged.isEmpty || isLate else { return nil }
            state.phase = .closing(deadline: deadline, endingSession: endingSession, isSent: true)
            return endingSession
        }
        guard let endingSession else { return }
        // Counts first: after the call, the owner may already see the end and read the count.
        self.addSentBytes(PacketSize.disconnect(endingSession: endingSession, self.client.options))
        self.client.disconnect(endingSession: endingSession)
        self.interrupt.signal()
    }

    /// Closes the connection, emits the last event, and resumes all callers of ``disconnect(endingSession:)``.
    private func finish(_ error: MQTTError, _ relay: inout PacketRelay?) {
        let (deadline, waiters) = self.state.withLock { state in
            var closingDeadline: ContinuousClock.Instant?
            if case .closing(let deadline, _, true) = state.phase, error == .closed { closingDeadline = deadline }
            defer {
                state.waiters = []
                state.phase = .ended
            }
            return (closingDeadline, state.waiters)
        }
        // The broker closes the connection after it has read the DISCONNECT.
        if let deadline { relay?.linger(until: deadline) }
        relay = nil
        self.events.yield(.disconnected(error))
        self.events.finish()
        self.messages.finish()
        waiters.forEach { $0.resume() }
    }

    /// Tells the threads to end the connection.
    private func end(_ state: inout State, _ error: MQTTError) {
        guard state.ending == nil else { return }
        state.ending = error
        self.interrupt.signal()
        self.openedOrEnding.signal()
    }

    private func cannotConnect(_ failure: ConnectFailure) -> MQTTError {
        let server = self.client.options.server
        return .cannotConnect(host: server.host, port: server.port, failure)
    }

    // MARK: - Callbacks of the library

    func connected(code: Int32, sessionPresent: Bool) {
        self.state.withLock { state in
            if code != 0 {
                state.ending = state.ending ?? .refused(ConnectRefusal(code: UInt8(clamping: code)))
            } else {
                state.sessionPresent = sessionPresent
            }
        }
    }

    func published(id: UInt16, code: Int32) {
        self.state.withLock { state in
            if state.unacknowledged.remove(id) != nil {
                let id = PacketID(rawValue: id)
                self.emit(code < 0x80 ? .acknowledged(id) : .rejected(id, code: UInt8(clamping: code)), &state)
            } else if state.unwrittenCount > 0 {
                state.unwrittenCount -= 1
            }
        }
    }

    func subscribed(id: UInt16, codes: [Int32]) {
        let grants = codes.map { code in
            UInt8(exactly: code).flatMap(QoS.init).map { MQTTConnection.Grant.granted($0) }
                ?? .refused(code: UInt8(clamping: code))
        }
        self.state.withLock { self.emit(.subscribed(PacketID(rawValue: id), grants), &$0) }
    }

    func unsubscribed(id: UInt16) {
        let count = self.receivedCount.load(ordering: .relaxed)
        self.state.withLock { self.emit(.unsubscribed(PacketID(rawValue: id), after: count), &$0) }
    }

    /// Delivers a received message, or counts an invalid one, which is `nil`.
    ///
    /// - Parameter packet: the packet identifier, without meaning for QoS 0.
    func received(_ message: Message?, as packet: PacketID) {
        // The library acknowledges an invalid message too. That is too rare to be counted exactly.
        switch message?.qos {
        case .atMostOnce, nil: break
        case .atLeastOnce: self.addSentBytes(PacketSize.acknowledgement)
        case .exactlyOnce: self.addSentBytes(2 * PacketSize.acknowledgement)
        }
        var message = message
        let isHeld = self.client.options.holdsAcknowledgements && packet.rawValue > 0
        if isHeld { message?.packet = packet }
        if let message, case .enqueued = self.messages.yield(message) {
            self.receivedCount.add(1, ordering: .relaxed)
            return
        }
        // The owner acknowledges only what it receives.
        if isHeld { self.acknowledge([packet]) }
        self.droppedCount.add(1, ordering: .relaxed)
    }

    /// Stores the reason of the broker's DISCONNECT.
    ///
    /// - Parameter code: a reason code of MQTT 5 if it is 0x80 or more, else an error code of the library.
    func disconnected(code: Int32, reason: String) {
        self.state.withLock { state in
            if code >= 0x80, let code = UInt8(exactly: code), state.ending == nil {
                state.ending = .closedByBroker(code: code, reason: reason)
            }
        }
    }

    /// Counts a PINGREQ that the library has sent.
    func pinged() {
        self.addSentBytes(PacketSize.empty)
    }

    private func addSentBytes(_ count: Int) {
        self.sentByteCount.add(count, ordering: .relaxed)
    }

    private func emit(_ event: MQTTConnection.Event, _ state: inout State) {
        if case .dropped = self.events.yield(event) { self.end(&state, .connectionLost("too many unread events")) }
    }
}
