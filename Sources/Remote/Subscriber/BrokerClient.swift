// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// Runs a ``BrokerMachine`` on a connection to a broker, and reconnects until the machine has finished.
///
/// ``Endurance`` tells which errors end the run.
package struct BrokerClient: Sendable {
    /// The errors that end a run.
    package enum Endurance: Sendable {
        /// Each error before the first connection, and later those that need a human.
        case command
        /// Errors that need a human before the first connection, and none later.
        case service
    }

    /// The interval at which the machine is informed of the time.
    private static let tickInterval = Duration.milliseconds(100)
    /// The largest number of waiting inputs.
    ///
    /// Further messages wait in the connection.
    private static let inputLimit = 1024
    /// The largest number of messages waiting in the connection.
    ///
    /// All retained messages of a large fleet arrive at once.
    package static let receiveLimit = 16_384
    /// The number of attempts to connect first, if the broker may not support MQTT 5.
    private static let firstAttempts = 5

    /// Opens a connection.
    package typealias Connect = @Sendable (ConnectionOptions) throws(MQTTError) -> any BrokerConnection

    private var options: ConnectionOptions
    private let endurance: Endurance
    private let clock: any MonotonicClock
    private let connect: Connect
    private let onDrop: @Sendable (Int) -> Void

    /// The inputs of a run, over all of its connections.
    private enum Input: Sendable {
        /// An event of a connection, which has this number.
        case event(MQTTConnection.Event, of: Int)
        case message(Message, of: Int)
        case tick
        case stop
    }

    /// The one queue of a run.
    ///
    /// The tasks that fill it with ticks and with the stop outlive each connection.
    private struct Queue: Sendable {
        let inputs: AsyncStream<Input>
        private let continuation: AsyncStream<Input>.Continuation

        init(limit: Int) {
            (self.inputs, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
        }

        /// Adds an input, and waits while the queue is full.
        ///
        /// So memory stays bounded, and no event is dropped.
        func add(_ input: Input) async {
            while case .dropped = self.continuation.yield(input), !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    private enum Ending<Outcome: Sendable>: Sendable {
        case finished(Outcome)
        /// The connection ended after this time, or was not made.
        case lost(MQTTError, lifetime: Duration?)
        /// The broker accepted an older version than it may support.
        case wrongVersion
    }

    /// - Parameters:
    ///   - options: the broker, and how to connect to it.
    ///   - endurance: the errors that end a run.
    ///   - receiveLimit: the largest number of messages waiting in the connection.
    ///   - clock: the clock for intervals and backoff.
    ///   - connect: opens a connection.
    ///   - onDrop: called with the number of dropped messages of a connection, if there were too many at a time.
    package init(
        _ options: ConnectionOptions,
        endurance: Endurance = .command,
        receiveLimit: Int = Self.receiveLimit,
        clock: any MonotonicClock,
        connect: @escaping Connect = { options throws(MQTTError) in try MQTTConnection(options) },
        onDrop: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.options = options
        self.options.receiveLimit = receiveLimit
        self.endurance = endurance
        self.clock = clock
        self.onDrop = onDrop
        self.connect = connect
    }

    /// The error of a broker that does not answer in time.
    package var silence: MQTTError {
        .cannotConnect(host: self.options.server.host, port: self.options.server.port, .silentPort)
    }

    /// Runs a machine until it finishes.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - stop: returns when the machine must stop; nil if it finishes by itself. It is called once, whatever the number
    ///     of connections, and it also counts between two of them. Its task is cancelled at the end of the run.
    ///   - report: called with each report of the machine, in order.
    /// - Returns: the outcome of the machine.
    /// - Throws: ``MQTTError``, and the errors of `report`.
    package func run<Machine: BrokerMachine>(
        _ machine: Machine,
        until stop: (@Sendable () async -> Void)? = nil,
        report: (Machine.Progress) throws -> Void = { _ in }
    ) async throws -> Machine.Outcome {
        let queue = Queue(limit: Self.inputLimit)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [clock] in
                while !Task.isCancelled {
                    try await clock.sleep(until: clock.now + Self.tickInterval)
                    await queue.add(.tick)
                }
            }
            if let stop {
                group.addTask {
                    await stop()
                    await queue.add(.stop)
                }
            }
            return try await self.run(machine, on: queue, report)
        }
    }

    /// Runs a machine on one connection after the other, until it finishes.
    private func run<Machine: BrokerMachine>(
        _ machine: Machine,
        on queue: Queue,
        _ report: (Machine.Progress) throws -> Void
    ) async throws -> Machine.Outcome {
        var machine = machine
        var fallback = VersionFallback()
        var backoff = Backoff(first: .milliseconds(500), limit: .seconds(15))
        var rivals = RivalWatch()
        var (hasBeenConnected, attempts) = (false, 0)
        while true {
            var options = self.options
            options.version = fallback.version
            attempts += 1
            switch try await self.attempt(options, number: attempts, &fallback, &machine, queue, report) {
            case .finished(let outcome):
                return outcome
            case .wrongVersion: continue
            case .lost(let error, let lifetime):
                let wasConnected = lifetime != nil
                if wasConnected {
                    hasBeenConnected = true
                    backoff.reset()
                }
                fallback.ended(error)
                let isService = self.endurance == .service
                guard !error.needsHuman || (isService && hasBeenConnected) else { throw error }
                let mayBeOld = error.mayMeanUnsupportedVersion && attempts < Self.firstAttempts
                guard hasBeenConnected || isService || mayBeOld else { throw error }
                if wasConnected || isService,
                    let outcome = try Self.perform(machine.connectionLost(error), nil, report)
                {
                    return outcome
                }
                guard hasBeenConnected || isService else { continue }
                var wait = backoff.next()
                let rivalWait = rivals.wait(
                    after: error,
                    lifetime: lifetime,
                    version: options.version,
                    suspects: isService
                )
                if let rivalWait {
                    wait = rivalWait
                    let actions = machine.rivalFound(isCertain: rivals.sign == .certain)
                    if let outcome = try Self.perform(actions, nil, report) { return outcome }
                }
                if let outcome = try await self.wait(wait, &machine, queue, report) { return outcome }
            }
        }
    }

    /// Runs the machine on one connection, until the connection is lost or the machine finishes.
    private func attempt<Machine: BrokerMachine>(
        _ options: ConnectionOptions,
        number: Int,
        _ fallback: inout VersionFallback,
        _ machine: inout Machine,
        _ queue: Queue,
        _ report: (Machine.Progress) throws -> Void
    ) async throws -> Ending<Machine.Outcome> {
        let connection: any BrokerConnection
        do throws(MQTTError) {
            connection = try self.connect(options)
        } catch {
            return .lost(error, lifetime: nil)
        }
        let ending = try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await event in connection.events { await queue.add(.event(event, of: number)) } }
            group.addTask {
                for await message in connection.messages { await queue.add(.message(message, of: number)) }
            }
            let ending = try await self.serve(queue, connection, number: number, &fallback, &machine, report)
            // Messages after the machine has finished count as dropped too, so only those until now are reported.
            if connection.droppedMessages > 0 { self.onDrop(connection.droppedMessages) }
            return ending
        }
        switch ending {
        case .finished: await connection.disconnect(endingSession: machine.endsSession)
        case .wrongVersion: await connection.disconnect(endingSession: false)
        case .lost: break
        }
        return ending
    }

    private func serve<Machine: BrokerMachine>(
        _ queue: Queue,
        _ connection: any BrokerConnection,
        number: Int,
        _ fallback: inout VersionFallback,
        _ machine: inout Machine,
        _ report: (Machine.Progress) throws -> Void
    ) async throws -> Ending<Machine.Outcome> {
        var connectedAt: MonotonicTime?
        // Events may overtake messages, which wait in a queue of their own.
        var (received, unsubscribedAfter) = (0, Int?.none)
        for await input in queue.inputs {
            var actions: [Machine.Action] = []
            switch input {
            // What an earlier connection has left in the queue.
            case .event(_, let origin) where origin != number, .message(_, let origin) where origin != number: continue
            case .event(.connected(let sessionPresent), _):
                guard fallback.connected() else { return .wrongVersion }
                connectedAt = self.clock.now
                let filters = machine.filters.map { ($0, machine.qos) }
                try Self.unlessLost { () throws(MQTTError) in
                    try connection.subscribe(filters, retainAsPublished: machine.retainsAsPublished)
                }
                actions = machine.connected(sessionPresent: sessionPresent)
            case .event(.subscribed(_, let grants), _):
                let isGranted = grants.map { if case .granted = $0 { true } else { false } }
                actions = machine.subscriptionAnswered(isGranted, at: self.clock.now)
            case .event(.unsubscribed(_, let count), _): unsubscribedAfter = count
            case .event(.acknowledged, _): actions = machine.publishAcknowledged()
            case .event(.rejected(_, let code), _): actions = machine.publishRejected(code: code)
            case .event(.disconnected(let error), _):
                return .lost(error, lifetime: connectedAt.map { self.clock.now - $0 })
            case .message(let message, _):
                received += 1
                actions = machine.messageReceived(message, at: self.clock.now)
            case .tick: actions = machine.timePassed(at: self.clock.now)
            case .stop: actions = machine.stopRequested()
            }
            if let count = unsubscribedAfter, received >= count {
                unsubscribedAfter = nil
                actions += machine.unsubscribed()
            }
            if let outcome = try Self.perform(actions, connection, report) { return .finished(outcome) }
        }
        // The stream ends only when the task is cancelled.
        throw CancellationError()
    }

    /// Waits before the next connection, while the machine is informed of the time and of the stop.
    private func wait<Machine: BrokerMachine>(
        _ interval: Duration,
        _ machine: inout Machine,
        _ queue: Queue,
        _ report: (Machine.Progress) throws -> Void
    ) async throws -> Machine.Outcome? {
        let end = self.clock.now + interval
        for await input in queue.inputs {
            let actions: [Machine.Action] =
                switch input {
                case .event, .message: []
                case .tick: machine.timePassed(at: self.clock.now)
                case .stop: machine.stopRequested()
                }
            if let outcome = try Self.perform(actions, nil, report) { return outcome }
            if self.clock.now >= end { return nil }
        }
        throw CancellationError()
    }

    /// Sends a packet, unless the connection is lost: its event follows, and the machine does it again on the next one.
    private static func unlessLost(_ send: () throws(MQTTError) -> PacketID?) throws(MQTTError) {
        do throws(MQTTError) {
            _ = try send()
        } catch .notConnected {
        } catch {
            throw error
        }
    }

    private static func perform<Progress, Outcome>(
        _ actions: [BrokerAction<Progress, Outcome>],
        _ connection: (any BrokerConnection)?,
        _ report: (Progress) throws -> Void
    ) throws -> Outcome? {
        for action in actions {
            switch action {
            case .publish(let message): try Self.unlessLost { () throws(MQTTError) in try connection?.publish(message) }
            case .unsubscribe(let filters):
                try Self.unlessLost { () throws(MQTTError) in try connection?.unsubscribe(filters) }
            case .report(let progress): try report(progress)
            case .finish(let outcome): return outcome
            }
        }
        return nil
    }
}

extension MQTTError {
    /// Whether the error may come from a broker that does not support this version of MQTT.
    fileprivate var mayMeanUnsupportedVersion: Bool {
        switch self {
        case .refused(.unsupportedVersion), .closedUnanswered: true
        default: false
        }
    }
}
