// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Dispatch
internal import EventLoop
internal import Base
internal import Synchronization

/// What runs a connection: two threads in turn, one that opens it and one that loops until its end.
///
/// Opening blocks for as long as the system likes (TCP alone gives up after two minutes). The looping thread waits for
/// it until the deadline, then reports and leaves; the opening thread ends by itself later and nothing comes of it.
final class ConnectionLoop: Sendable {
    private enum Phase {
        case connecting
        case connected
        case closing(deadline: ContinuousClock.Instant, endingSession: Bool, isSent: Bool)
        case ended
    }

    private struct State {
        var phase = Phase.connecting
        /// The CONNACK's session present flag, once it has come.
        var accepted: Bool?
        /// Why the connection ends, once that is known.
        var ending: MQTTError?
        /// What opening the connection came to; nil: still at it.
        var opened: Result<Void, MQTTError>?
        var unacknowledged: Set<UInt16> = []
        /// Messages of QoS 0 that wait to be written.
        var unwritten = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// How long a DISCONNECT may take all in all, and how long of it the acknowledgements before it.
    private static let closingTime = Duration.seconds(2)
    private static let drainingTime = Duration.milliseconds(1500)

    private let client: LibraryClient
    private let state = Locked(State())
    private let openedOrEnding = DispatchSemaphore(value: 0)
    /// Rings when the looping thread has something to do.
    private let wakeEvent = WakeEvent()
    private let events: AsyncStream<MQTTConnection.Event>.Continuation
    private let messages: AsyncStream<Message>.Continuation
    private let dropped = Atomic<Int>(0)
    private let sent = Atomic<Int>(0)

    init(
        _ options: ConnectionOptions,
        events: AsyncStream<MQTTConnection.Event>.Continuation,
        messages: AsyncStream<Message>.Continuation
    ) throws(MQTTError) {
        self.client = try LibraryClient(options)
        self.events = events
        self.messages = messages
        // Callbacks come only from the two threads, which hold a reference to this object.
        unsafe mosquitto_user_data_set(self.client.pointer, Unmanaged.passUnretained(self).toOpaque())
        unsafe setCallbacks(of: self.client.pointer)
    }

    var droppedMessages: Int { self.dropped.load(ordering: .relaxed) }
    var bytesSent: Int { self.sent.load(ordering: .relaxed) }

    // MARK: - From the connection's owner

    func start() throws(MQTTError) {
        guard Thread.tryStart(named: "mqtt", { self.run() }) else { throw self.cannotConnect("no thread to be had") }
    }

    func publish(_ message: Message) throws(MQTTError) -> PacketID {
        // The lock is held across the call, or the acknowledgement could be here before the id is.
        try self.state.withLock { state throws(MQTTError) in
            guard case .connected = state.phase, state.ending == nil else { throw .notConnected }
            guard state.unacknowledged.count + state.unwritten < MQTTConnection.queueLimit else { throw .queueFull }
            let id = try self.client.publish(message)
            self.wakeEvent.signal()
            self.count(PacketSize.publish(message, self.client.options.version))
            if message.qos == .atMostOnce {
                state.unwritten += 1
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
            self.wakeEvent.signal()
            self.count(PacketSize.subscribe(filters.map(\.0), self.client.options.version))
            return PacketID(rawValue: id)
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
            if isOver { waiter.resume() } else { self.wakeEvent.signal() }
        }
    }

    /// Ends the connection as if it had broken.
    func drop() {
        self.state.withLock { self.end(&$0, .closed) }
    }

    // MARK: - The threads

    private func run() {
        let deadline = ContinuousClock.now + self.client.options.connectTimeout
        var passage: Passage?
        if let failure = self.open(until: deadline) { return self.finish(failure, &passage) }

        while true {
            var ended: ConnectionEnd?
            do throws(ConnectionEnd) {
                if passage == nil { passage = try Passage(self.client, wakeEvent: self.wakeEvent) }
                self.sendDisconnectWhenDue()
                try passage?.turn(milliseconds: self.patience(before: deadline))
            } catch {
                ended = error
            }
            if let ending = self.ending(ended, connectBy: deadline) { return self.finish(ending, &passage) }
        }
    }

    /// Opens the connection on a thread that may be left behind; returns why it did not work.
    private func open(until deadline: ContinuousClock.Instant) -> MQTTError? {
        let isStarted = Thread.tryStart(named: "mqtt-open") {
            let failure = self.client.connect()
            self.state.withLock { $0.opened = failure.map { .failure($0) } ?? .success(()) }
            self.openedOrEnding.signal()
        }
        guard isStarted else { return self.cannotConnect("no thread to be had") }

        _ = self.openedOrEnding.wait(timeout: .now() + .milliseconds(milliseconds(until: deadline)))
        return self.state.withLock { state in
            if let ending = state.ending { return ending }
            switch state.opened {
            case nil:
                return self.cannotConnect("no answer in time")
            case .failure(let failure):
                return failure
            case .success:
                self.count(PacketSize.connect(self.client.options))
                return nil
            }
        }
    }

    /// How long the next turn may wait, in milliseconds.
    ///
    /// Keep-alive needs a look every now and then; everything else wakes the loop by itself.
    private func patience(before deadline: ContinuousClock.Instant) -> Int32 {
        self.state.withLock { state in
            switch state.phase {
            case .connecting: Int32(clamping: min(1000, milliseconds(until: deadline) + 1))
            case .connected: 1000
            case .closing, .ended: 50
            }
        }
    }

    /// What a turn has led to: why the connection ends now, or nil if it does not.
    ///
    /// Also says `connected`, but not before the library is done with the CONNACK: what is published in between it
    /// would send twice.
    private func ending(
        _ ended: ConnectionEnd?,
        connectBy deadline: ContinuousClock.Instant
    ) -> MQTTError? {
        self.state.withLock { state in
            if case .connecting = state.phase, let accepted = state.accepted, state.ending == nil {
                state.phase = .connected
                self.emit(.connected(sessionPresent: accepted), &state)
            }
            if let ending = state.ending { return ending }
            switch (state.phase, ended) {
            case (.connecting, nil):
                return ContinuousClock.now < deadline ? nil : self.cannotConnect("no answer in time")
            case (.connecting, .untrusted(let reason)):
                return .tls(reason)
            case (.connecting, .lost(let reason)):
                return .closedUnanswered(reason)
            case (.closing(let deadline, _, _), nil):
                return ContinuousClock.now < deadline ? nil : .closed
            case (.closing, _):
                return .closed
            case (_, .malformed(let what)):
                return .malformed(what)
            case (_, .lost(let reason)), (_, .untrusted(let reason)):
                return .connectionLost(reason)
            case (_, nil):
                return nil
            }
        }
    }

    /// Sends DISCONNECT once everything before it is acknowledged, or cannot be waited for any longer.
    private func sendDisconnectWhenDue() {
        let endingSession: Bool? = self.state.withLock { state in
            guard case .closing(let deadline, let endingSession, false) = state.phase else { return nil }
            let isLate = ContinuousClock.now > deadline - Self.closingTime + Self.drainingTime
            guard state.unacknowledged.isEmpty || isLate else { return nil }
            state.phase = .closing(deadline: deadline, endingSession: endingSession, isSent: true)
            return endingSession
        }
        guard let endingSession else { return }
        // Before it, since the connection's owner is told of the end by the other thread.
        self.count(PacketSize.disconnect(endingSession: endingSession, self.client.options))
        self.client.disconnect(endingSession: endingSession)
        self.wakeEvent.signal()
    }

    /// The last thing that happens.
    private func finish(_ error: MQTTError, _ passage: inout Passage?) {
        let (deadline, waiters) = self.state.withLock { state in
            var closingDeadline: ContinuousClock.Instant?
            if case .closing(let deadline, _, true) = state.phase, error == .closed { closingDeadline = deadline }
            defer {
                state.waiters = []
                state.phase = .ended
            }
            return (closingDeadline, state.waiters)
        }
        // The broker closes its end when it has read the DISCONNECT.
        if let deadline { passage?.linger(until: deadline) }
        passage = nil
        self.events.yield(.disconnected(error))
        self.events.finish()
        self.messages.finish()
        waiters.forEach { $0.resume() }
    }

    /// Makes the threads end the connection.
    private func end(_ state: inout State, _ error: MQTTError) {
        guard state.ending == nil else { return }
        state.ending = error
        self.wakeEvent.signal()
        self.openedOrEnding.signal()
    }

    private func cannotConnect(_ reason: String) -> MQTTError {
        let server = self.client.options.server
        return .cannotConnect(host: server.host, port: server.port, reason: reason)
    }

    // MARK: - From the library

    func connected(code: Int32, sessionPresent: Bool) {
        self.state.withLock { state in
            if code != 0 {
                state.ending = state.ending ?? .refused(Refusal(code: UInt8(clamping: code)))
            } else {
                state.accepted = sessionPresent
            }
        }
    }

    func published(id: UInt16, code: Int32) {
        self.state.withLock { state in
            if state.unacknowledged.remove(id) != nil {
                let id = PacketID(rawValue: id)
                self.emit(code < 0x80 ? .acknowledged(id) : .rejected(id, code: UInt8(clamping: code)), &state)
            } else if state.unwritten > 0 {
                state.unwritten -= 1
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

    /// A message, or nil for one that cannot be used.
    func received(_ message: Message?) {
        // An unusable one is acknowledged too, and so rare that nobody looks how.
        switch message?.qos {
        case .atMostOnce, nil: break
        case .atLeastOnce: self.count(PacketSize.acknowledgement)
        case .exactlyOnce: self.count(2 * PacketSize.acknowledgement)
        }
        if let message, case .enqueued = self.messages.yield(message) { return }
        self.dropped.add(1, ordering: .relaxed)
    }

    /// `code` is a reason code of the broker's DISCONNECT if it is 0x80 or more.
    func disconnected(code: Int32, reason: String) {
        self.state.withLock { state in
            if code >= 0x80, let code = UInt8(exactly: code), state.ending == nil {
                state.ending = .closedByBroker(code: code, reason: reason)
            }
        }
    }

    /// The library has asked the broker whether it is there.
    func pinged() {
        self.count(PacketSize.empty)
    }

    private func count(_ bytes: Int) {
        self.sent.add(bytes, ordering: .relaxed)
    }

    private func emit(_ event: MQTTConnection.Event, _ state: inout State) {
        if case .dropped = self.events.yield(event) { self.end(&state, .connectionLost("its events are not read")) }
    }
}
