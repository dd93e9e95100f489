// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import MQTT
import Remote
import TestSupport
import Testing

@testable import Subscriber

@Suite("A client whose connections are lost")
struct BrokerClientTests {
    private static let lost = MQTTError.connectionLost("the cable")

    /// Creates a client whose connections follow these scripts, and the lists of its connections and of their versions.
    private static func client(
        _ scripts: [ScriptedConnection.Script],
        endurance: BrokerClient.Endurance = .command,
        clock: any MonotonicClock = BootClock()
    ) -> (BrokerClient, Locked<[ScriptedConnection]>, Locked<[ProtocolVersion]>) {
        let made = Locked<[ScriptedConnection]>([])
        let versions = Locked<[ProtocolVersion]>([])
        let options = ConnectionOptions(server: Server(host: "localhost", port: 1), clientID: "test")
        let client = BrokerClient(options, endurance: endurance, clock: clock) { options throws(MQTTError) in
            versions.withLock { $0.append(options.version) }
            return try made.withLock { made throws(MQTTError) in
                guard made.count < scripts.count else { throw MQTTError.invalid("no script is left") }
                let connection = ScriptedConnection(scripts[made.count])
                made.append(connection)
                return connection
            }
        }
        return (client, made, versions)
    }

    private static func exchange() throws -> CommandExchange {
        let command = OutgoingCommand(
            "describe",
            for: "van",
            at: Timestamp(milliseconds: 0),
            validity: .seconds(60),
            id: "desk-1"
        )
        return try CommandExchange(
            command,
            payload: command.payload(signedBy: nil),
            issuer: nil,
            topics: fleetTopics,
            expiry: BootClock().now + .seconds(60),
            end: nil
        )
    }

    @Test("After a lost connection the same command is sent on a new one, and the final response ends the run")
    func reconnects() async throws {
        let answer = #"{"id":"desk-1","state":"succeeded","repeat":true}"#
        let (client, made, _) = Self.client([
            .init(onPublish: [.disconnected(Self.lost)]), .init(onStart: [.disconnected(Self.lost)]),
            .init(answers: [#"{"id":"desk-1","state":"accepted"}"#, answer]),
        ])
        let exchange = try Self.exchange()
        let (outcome, progress) = try await within("the answer") {
            var progress: [CommandExchange.Progress] = []
            let outcome = try await client.run(exchange, report: { progress.append($0) })
            return (outcome, progress)
        }
        guard case .answered(let last) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(last.isRepeat && last.state == .succeeded)
        #expect(progress.contains(.connectionLost(Self.lost)))
        let connections = made.withLock { $0 }
        let published = connections.map { $0.published.withLock { $0 } }
        #expect(published.map(\.count) == [1, 0, 1] && published[0] == published[2])
        #expect(connections.map { $0.isDisconnected.withLock { $0 } } == [false, false, true])
    }

    @Test("A failure of the first connection is thrown without a retry")
    func fails() async throws {
        let error = MQTTError.cannotConnect(host: "localhost", port: 1, .refused)
        let (client, made, _) = Self.client([.init(onStart: [.disconnected(error)]), .init()])
        let exchange = try Self.exchange()
        await #expect(throws: error) { try await within("the failure") { try await client.run(exchange) } }
        #expect(made.withLock { $0.count } == 1)
    }

    @Test("A refusal for lack of authorization is thrown, also after earlier connections")
    func forbidden() async throws {
        let error = MQTTError.refused(.notAuthorized)
        let (client, _, _) = Self.client([
            .init(onPublish: [.disconnected(Self.lost)]), .init(onStart: [.disconnected(error)]), .init(),
        ])
        let exchange = try Self.exchange()
        await #expect(throws: error) { try await within("the refusal") { try await client.run(exchange) } }
    }

    @Test("A service connects again after every failure, also after a refusal once it was connected")
    func service() async throws {
        let absent = MQTTError.cannotConnect(host: "localhost", port: 1, .refused)
        let answer = #"{"id":"desk-1","state":"succeeded"}"#
        let (client, made, _) = Self.client(
            [
                .init(onStart: [.disconnected(absent)]), .init(onPublish: [.disconnected(Self.lost)]),
                .init(onStart: [.disconnected(.refused(.notAuthorized))]), .init(answers: [answer]),
            ],
            endurance: .service
        )
        let exchange = try Self.exchange()
        let progress = Locked<[CommandExchange.Progress]>([])
        _ = try await within("the answer") {
            try await client.run(exchange, report: { report in progress.withLock { $0.append(report) } })
        }
        #expect(made.withLock { $0.count } == 4)
        #expect(progress.withLock { $0.contains(.connectionLost(absent)) })
    }

    @Test("A service ends at a refusal of its first connection")
    func refusedService() async throws {
        let error = MQTTError.refused(.badCredentials)
        let (client, _, _) = Self.client([.init(onStart: [.disconnected(error)]), .init()], endurance: .service)
        let exchange = try Self.exchange()
        await #expect(throws: error) { try await within("the refusal") { try await client.run(exchange) } }
    }

    @Test("With an old broker the client falls back to MQTT 3.1.1, and asks for 5 once more; a restarted one keeps 5")
    func version() async throws {
        let silence = ScriptedConnection.Script(onStart: [.disconnected(.closedUnanswered("no answer"))])
        let answer = ScriptedConnection.Script(answers: [#"{"id":"desk-1","state":"succeeded"}"#])
        for (scripts, expected) in [
            ([silence, silence, answer, silence, answer], [ProtocolVersion.v5, .v5, .v311, .v5, .v311]),
            ([silence, silence, answer, answer], [.v5, .v5, .v311, .v5]),
        ] {
            let (client, _, versions) = Self.client(scripts)
            let exchange = try Self.exchange()
            _ = try await within("the answer") { try await client.run(exchange) }
            #expect(versions.withLock { $0 } == expected)
        }
    }

    @Test("A stopped machine finishes, and the client disconnects")
    func stopped() async throws {
        let (client, made, _) = Self.client([.init()])
        let following = Following([try fleetTopics.filter("events")], until: nil)
        let outcome = try await within("the end") { try await client.run(following, until: {}) }
        #expect(outcome == .ended)
        #expect(made.withLock { $0.first?.isDisconnected.withLock { $0 } } == true)
    }

    @Test("One wait for the stop serves all connections, however many are lost before it")
    func stoppedAfterLosses() async throws {
        let (client, made, _) = Self.client(
            [.init(onStart: [.disconnected(Self.lost)])]
                + Array(
                    repeating: .init(onStart: [.connected(sessionPresent: false), .disconnected(Self.lost)]),
                    count: 3
                )
                + [.init()],
            endurance: .service
        )
        let waits = Locked(0)
        // As the signals of a process: only one task may ever wait for them.
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let following = Following([try fleetTopics.filter("events")], until: nil)
        let losses = Locked(0)
        let outcome = try await within("the end") {
            try await client.run(
                following,
                until: {
                    waits.withLock { $0 += 1 }
                    for await _ in stops { return }
                },
                report: { progress in
                    switch progress {
                    case .connectionLost: losses.withLock { $0 += 1 }
                    // The stop comes on the fifth connection.
                    case .subscribed where made.withLock { $0.count } == 5: stop.yield()
                    default: break
                    }
                }
            )
        }
        #expect(outcome == .ended)
        #expect(losses.withLock { $0 } == 4 && waits.withLock { $0 } == 1)
        #expect(made.withLock { $0.map { $0.isDisconnected.withLock { $0 } } } == [false, false, false, false, true])
    }

    @Test("A stop between two connections ends the run without a further one")
    func stoppedWhileWaiting() async throws {
        // The wait between the connections lasts until the stop.
        let (client, made, _) = Self.client(
            [.init(onStart: [.connected(sessionPresent: false), .disconnected(Self.lost)])],
            clock: StoppedClock()
        )
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let following = Following([try fleetTopics.filter("events")], until: nil)
        // A second connection would find no script, and throw.
        let outcome = try await within("the end") {
            try await client.run(
                following,
                until: { for await _ in stops { return } },
                report: { if case .connectionLost = $0 { stop.yield() } }
            )
        }
        #expect(outcome == .ended && made.withLock { $0.count } == 1)
    }

    @Test("The end of the run cancels the wait for the stop")
    func stopCancelled() async throws {
        let answer = #"{"id":"desk-1","state":"succeeded"}"#
        let (client, _, _) = Self.client([.init(answers: [answer])])
        let exchange = try Self.exchange()
        let isCancelled = Locked(false)
        let (stops, _) = AsyncStream.makeStream(of: Void.self)
        _ = try await within("the answer") {
            try await client.run(
                exchange,
                until: {
                    for await _ in stops { return }
                    isCancelled.withLock { $0 = Task.isCancelled }
                }
            )
        }
        #expect(isCancelled.withLock { $0 })
    }

    @Test("A message of a lost connection does not reach the machine on the next one")
    func leftovers() async throws {
        // The answer and the loss arrive together; what is left of the first connection is not of the second.
        let answer = #"{"id":"desk-1","state":"accepted"}"#
        let (client, made, _) = Self.client([
            .init(onPublish: [.disconnected(Self.lost)], answers: Array(repeating: answer, count: 50)),
            .init(answers: [#"{"id":"desk-1","state":"succeeded"}"#]),
        ])
        let exchange = try Self.exchange()
        let outcome = try await within("the answer") { try await client.run(exchange) }
        guard case .answered(let last) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(last.state == .succeeded && made.withLock { $0.count } == 2)
    }

    @Test("Followed topics are subscribed to so that the retain flag tells kept messages from new ones")
    func retainFlag() async throws {
        let (client, made, _) = Self.client([.init()])
        let following = Following([try fleetTopics.filter("events")], until: nil)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        _ = try await within("the end") {
            try await client.run(
                following,
                until: { for await _ in stops { return } },
                report: { if case .subscribed = $0 { stop.yield() } }
            )
        }
        #expect(made.withLock { $0.first?.retainsAsPublished.withLock { $0 } } == false)
    }

    @Test("An error of the caller's closure ends the run")
    func thrown() async throws {
        struct Full: Error {}
        let (client, _, _) = Self.client([.init()])
        let exchange = try Self.exchange()
        await #expect(throws: Full.self) {
            try await within("the end") { try await client.run(exchange, report: { _ in throw Full() }) }
        }
    }

    @Test("Messages that the answer to the end of the subscription overtakes are collected too")
    func overtaken() async throws {
        let payloads = (0..<2000).map(String.init)
        let (client, _, _) = Self.client([.init(overtaken: payloads)])
        let machine = RetainedMessages([try fleetTopics.filter("status")], until: BootClock().now + .seconds(60))
        let outcome = try await within("the messages") { try await client.run(machine) }
        guard case .collected(let messages, isComplete: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(messages.map { String(decoding: $0.payload, as: UTF8.self) } == payloads)
    }

    @Test("All vehicles of a large fleet are collected, although all retained messages arrive at once")
    func fleet() async throws {
        let broker = try await Broker()
        let options = ConnectionOptions(server: Server(host: "127.0.0.1", port: broker.port), clientID: "fleet")
        let publisher = try MQTTConnection(options)
        _ = try await publisher.events.next("the connection") { $0 == .connected(sessionPresent: false) }
        let count = 3000
        var acknowledgedCount = 0
        let padding = String(repeating: "x", count: 600)
        for number in 0..<count {
            var message = try message("van-\(number)/status", "{\"agent\":\"\(number)\",\"padding\":\"\(padding)\"}")
            message.retain = true
            while true {
                do throws(MQTTError) {
                    _ = try publisher.publish(message)
                    break
                } catch .queueFull {
                    // Acknowledgments make room in the queue.
                    _ = try await publisher.events.next("an acknowledgment")
                    acknowledgedCount += 1
                }
            }
        }
        // DISCONNECT waits 2 seconds for the broker, which is not enough where everything runs at once.
        while acknowledgedCount < count {
            _ = try await publisher.events.next("an acknowledgment")
            acknowledgedCount += 1
        }
        await publisher.disconnect()

        let lost = Locked(0)
        let client = BrokerClient(options, clock: BootClock(), onDrop: { count in lost.withLock { $0 += count } })
        let retainedMessages = RetainedMessages(
            [try fleetTopics.filter("status")],
            until: BootClock().now + .seconds(100)
        )
        guard case .collected(let messages, isComplete: true) = try await client.run(retainedMessages) else {
            Issue.record("the collection did not complete")
            return
        }
        var fleet = Fleet(fleetTopics)
        for message in messages { fleet.receive(message) }
        #expect(fleet.vehicles.count == count && lost.withLock { $0 } == 0)
    }
}

/// A clock that stands still, so that waiting for it takes until the end of the task.
private struct StoppedClock: MonotonicClock {
    let now = MonotonicTime.zero

    func sleep(until deadline: MonotonicTime) async throws {
        let (ends, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in ends {}
        throw CancellationError()
    }
}
