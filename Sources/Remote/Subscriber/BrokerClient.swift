// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// Connects to a broker, and again when the connection is lost, until a ``BrokerMachine`` has what it wants.
///
/// What fails before the first connection stands ends it; from then on only what a human has to mend does.
package struct BrokerClient: Sendable {
    /// How often machines are told that time has passed.
    private static let tick = Duration.milliseconds(100)
    /// How many inputs wait to be read; then messages wait in the connection.
    private static let bound = 1024
    /// How many messages wait in the connection: what a large fleet retains comes all at once.
    private static let receiveLimit = 16_384
    /// How often the first connection is tried, where the broker may not speak MQTT 5.
    private static let firstAttempts = 3

    /// Makes a connection.
    package typealias Connect = @Sendable (ConnectionOptions) throws(MQTTError) -> any BrokerConnection

    private var options: ConnectionOptions
    private let clock: any MonotonicClock
    private let connect: Connect
    private let dropped: @Sendable (Int) -> Void

    private enum Input: Sendable {
        case event(MQTTConnection.Event)
        case message(Message)
        case tick
        case stop
    }

    private enum Ending<Outcome: Sendable>: Sendable {
        case finished(Outcome)
        case lost(MQTTError, wasConnected: Bool)
    }

    /// - Parameter dropped: is told how many messages of a connection were lost, where it was any: too many at a time.
    package init(
        _ options: ConnectionOptions,
        clock: any MonotonicClock,
        connect: @escaping Connect = { options throws(MQTTError) in try MQTTConnection(options) },
        dropped: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.options = options
        self.options.receiveLimit = Self.receiveLimit
        self.clock = clock
        self.dropped = dropped
        self.connect = connect
    }

    /// Lets the machine run to its end.
    ///
    /// - Parameters:
    ///   - stop: returns when the machine is to be stopped; nil: it ends by itself.
    ///   - tell: takes its news, in order.
    /// - Throws: ``MQTTError``, and whatever `tell` throws.
    package func run<Machine: BrokerMachine>(
        _ machine: Machine,
        until stop: (@Sendable () async -> Void)? = nil,
        tell: (Machine.News) throws -> Void = { _ in }
    ) async throws -> Machine.Outcome {
        var machine = machine
        var fallback = VersionFallback()
        var backoff = Backoff(first: .milliseconds(500), limit: .seconds(15))
        var (hasBeenConnected, attempts) = (false, 0)
        while true {
            var options = self.options
            options.version = fallback.version
            attempts += 1
            switch try await self.attempt(self.connect(options), &machine, stop, tell) {
            case .finished(let outcome):
                return outcome
            case .lost(let error, let wasConnected):
                if wasConnected {
                    hasBeenConnected = true
                    fallback.connected()
                    backoff.reset()
                }
                fallback.ended(error)
                guard !error.needsHuman else { throw error }
                guard hasBeenConnected || (error.mayBeVersion && attempts < Self.firstAttempts) else { throw error }
                if wasConnected, let outcome = try Self.perform(machine.lost(error), nil, tell) { return outcome }
                guard hasBeenConnected else { continue }
                if let outcome = try await self.wait(backoff.next(), &machine, tell) { return outcome }
            }
        }
    }

    /// One connection, from its beginning to its end or the machine's.
    private func attempt<Machine: BrokerMachine>(
        _ connection: any BrokerConnection,
        _ machine: inout Machine,
        _ stop: (@Sendable () async -> Void)?,
        _ tell: (Machine.News) throws -> Void
    ) async throws -> Ending<Machine.Outcome> {
        let (inputs, continuation) = AsyncStream.makeStream(
            of: Input.self,
            bufferingPolicy: .bufferingOldest(Self.bound)
        )
        let ending = try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await event in connection.events { await Self.put(.event(event), continuation) } }
            group.addTask {
                for await message in connection.messages { await Self.put(.message(message), continuation) }
            }
            group.addTask { [clock] in
                while !Task.isCancelled {
                    try await clock.sleep(until: clock.now + Self.tick)
                    await Self.put(.tick, continuation)
                }
            }
            if let stop {
                group.addTask {
                    await stop()
                    await Self.put(.stop, continuation)
                }
            }
            let ending = try await self.serve(inputs, connection, &machine, tell)
            // What comes once nobody reads any more counts as dropped too, and is no loss.
            if connection.droppedMessages > 0 { self.dropped(connection.droppedMessages) }
            return ending
        }
        if case .finished = ending { await connection.disconnect(endingSession: true) }
        return ending
    }

    private func serve<Machine: BrokerMachine>(
        _ inputs: AsyncStream<Input>,
        _ connection: any BrokerConnection,
        _ machine: inout Machine,
        _ tell: (Machine.News) throws -> Void
    ) async throws -> Ending<Machine.Outcome> {
        var isConnected = false
        for await input in inputs {
            let actions: [Machine.Action]
            switch input {
            case .event(.connected):
                isConnected = true
                let filters = machine.filters.map { ($0, machine.qos) }
                do throws(MQTTError) {
                    _ = try connection.subscribe(filters, retainAsPublished: true)
                } catch .notConnected {
                    // Its end is on the way.
                } catch {
                    throw error
                }
                continue
            case .event(.subscribed(_, let grants)):
                let isGranted = grants.map { if case .granted = $0 { true } else { false } }
                actions = machine.subscribed(isGranted, at: self.clock.now)
            case .event(.acknowledged): actions = machine.acknowledged()
            case .event(.rejected(_, let code)): actions = machine.rejected(code: code)
            case .event(.disconnected(let error)): return .lost(error, wasConnected: isConnected)
            case .message(let message): actions = machine.received(message, at: self.clock.now)
            case .tick: actions = machine.passed(at: self.clock.now)
            case .stop: actions = machine.stopped()
            }
            if let outcome = try Self.perform(actions, connection, tell) { return .finished(outcome) }
        }
        // The stream ends only with the task.
        throw CancellationError()
    }

    /// Lets time pass without a connection.
    private func wait<Machine: BrokerMachine>(
        _ pause: Duration,
        _ machine: inout Machine,
        _ tell: (Machine.News) throws -> Void
    ) async throws -> Machine.Outcome? {
        let end = self.clock.now + pause
        while self.clock.now < end {
            try await self.clock.sleep(until: min(end, self.clock.now + Self.tick))
            if let outcome = try Self.perform(machine.passed(at: self.clock.now), nil, tell) { return outcome }
        }
        return nil
    }

    private static func perform<News, Outcome>(
        _ actions: [BrokerAction<News, Outcome>],
        _ connection: (any BrokerConnection)?,
        _ tell: (News) throws -> Void
    ) throws -> Outcome? {
        for action in actions {
            switch action {
            case .publish(let message):
                do throws(MQTTError) {
                    _ = try connection?.publish(message)
                } catch .notConnected {
                    // Its end is on the way, and the machine publishes again on the next one.
                } catch {
                    throw error
                }
            case .tell(let news): try tell(news)
            case .finish(let outcome): return outcome
            }
        }
        return nil
    }

    /// Waits while too much is unread, so that neither memory fills nor an end is lost.
    private static func put(_ input: Input, _ inputs: AsyncStream<Input>.Continuation) async {
        while case .dropped = inputs.yield(input), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension MQTTError {
    /// Whether an old broker may have meant that it does not speak this version.
    fileprivate var mayBeVersion: Bool {
        switch self {
        case .refused(.unsupportedVersion), .closedUnanswered: true
        default: false
        }
    }
}
