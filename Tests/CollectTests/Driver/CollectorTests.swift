// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Logging
import MQTT
import Subscriber
import TestSupport
import Testing

@testable import Collect

@Suite("A collector between a broker and a database")
struct CollectorTests {
    /// A collector with a database, and the connections that it has made.
    private final class Rig: Sendable {
        let database = PlayedDatabase()
        let made = Locked<[PlayedConnection]>([])
        let collector: Collect.Collector

        init(share: String? = nil) throws {
            let (database, made) = (self.database, self.made)
            self.collector = try Collect.Collector(
                Collect.Collector.Options(
                    topics: FleetTopics(prefix: try Topic("obd")),
                    share: share,
                    keep: nil,
                    run: "run",
                    unit: { _ in nil },
                    command: { _ in nil }
                ),
                connection: ConnectionOptions(server: Server(host: "localhost", port: 1), clientID: "one"),
                names: ("broker", "database"),
                clock: BootClock(),
                date: { Messages.now },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                connect: { options throws(MQTTError) in
                    guard options.holdsAcknowledgements, options.sessionExpiry > .zero else {
                        throw MQTTError.invalid("no kept session")
                    }
                    let connection = PlayedConnection()
                    made.withLock { $0.append(connection) }
                    return connection
                },
                open: { database },
                interrupt: {}
            )
        }

        /// Returns a connection once it is subscribed.
        func connection(_ number: Int) async throws -> PlayedConnection {
            try await Self.until("connection \(number)") {
                let all = self.made.withLock { $0 }
                guard all.count >= number, !all[number - 1].filters.withLock(\.isEmpty) else { return nil }
                return all[number - 1]
            }
        }

        /// Waits until `condition` returns a value.
        static func until<Value: Sendable>(
            _ what: String,
            _ condition: @escaping @Sendable () -> Value?
        ) async throws -> Value {
            try await within(what) {
                while true {
                    if let value = condition() { return value }
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }

        func acknowledged(_ packets: [UInt16], on connection: PlayedConnection) async throws {
            try await Self.until("the acknowledgements \(packets)") {
                connection.acknowledged.withLock { $0.sorted() == packets } ? () : nil
            }
        }

        /// Runs the collector beside `body`, and stops it.
        func run(_ body: @escaping @Sendable (Rig) async throws -> Void) async throws -> Collecting.Outcome {
            try await within("the end of the collector") {
                async let outcome = self.collector.run()
                try await body(self)
                self.collector.stop()
                return try await outcome
            }
        }
    }

    @Test("A message is acknowledged after its transaction, and not before")
    func order() async throws {
        let rig = try Rig()
        let early = Locked<[UInt16]>([])
        let outcome = try await rig.run { rig in
            let connection = try await rig.connection(1)
            rig.database.state.withLock { state in
                state.onCommit = { early.withLock { $0 += connection.acknowledged.withLock { $0 } } }
            }
            connection.deliver(try Messages.telemetry(1), as: 11)
            try await rig.acknowledged([11], on: connection)
            #expect(early.withLock(\.isEmpty))
        }
        #expect(outcome == .ended)
        #expect(rig.database.state.withLock(\.samples) == 2)
        #expect(rig.made.withLock { $0.map { $0.endedSession.withLock { $0 } } } == [false])
        let status = rig.collector.status
        #expect(status.total.records == [.telemetry: 1] && status.total.samples == 2 && status.waiting == 0)
    }

    @Test("While the database is lost nothing is acknowledged; then everything is written once")
    func databaseLost() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.error = .unreachable("it stops") }
        _ = try await rig.run { rig in
            let connection = try await rig.connection(1)
            for seq in 1...20 { connection.deliver(try Messages.telemetry(UInt64(seq)), as: UInt16(seq)) }
            try await Rig.until("two attempts") { rig.database.state.withLock { $0.attempts >= 2 } ? () : nil }
            #expect(connection.acknowledged.withLock(\.isEmpty))
            #expect(rig.collector.status.database.since == nil && rig.collector.status.lastError != nil)
            rig.database.state.withLock { $0.error = nil }
            try await rig.acknowledged(Array(1...20), on: connection)
        }
        #expect(rig.database.state.withLock(\.samples) == 40)
        #expect(rig.collector.status.database.since != nil)
    }

    @Test("A packet of a lost connection is not acknowledged on the next, where its identifier means another message")
    func connectionLost() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.error = .unreachable("it stops") }
        _ = try await rig.run { rig in
            let first = try await rig.connection(1)
            for seq in 1...3 { first.deliver(try Messages.telemetry(UInt64(seq)), as: UInt16(seq)) }
            try await Rig.until("an attempt") { rig.database.state.withLock { $0.attempts >= 1 } ? () : nil }
            first.lose()
            let second = try await rig.connection(2)
            // The broker sends two of them again, in another order.
            second.deliver(try Messages.telemetry(3), as: 1)
            second.deliver(try Messages.telemetry(1), as: 2)
            second.deliver(try Messages.telemetry(4), as: 3)
            rig.database.state.withLock { $0.error = nil }
            try await rig.acknowledged([1, 2, 3], on: second)
            #expect(first.acknowledged.withLock(\.isEmpty))
        }
        let status = rig.collector.status
        #expect(status.total.records == [.telemetry: 4] && status.total.duplicates == 2)
    }

    @Test("A database that refuses the collector at the start ends it")
    func refused() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.openError = .refused("the password is wrong") }
        let outcome = try await within("the end") { try await rig.collector.run() }
        #expect(outcome == .databaseFailed(.refused("the password is wrong")))
    }

    @Test("The broker hears of no collector whose database is in use")
    func refusedBeforeConnection() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.openError = .refused("fleet.db is in use") }
        _ = try await within("the end") { try await rig.collector.run() }
        #expect(rig.made.withLock(\.isEmpty))
    }

    @Test("A broker that has lost the session is told and counted, and a first connection is not")
    func lostSession() async throws {
        let rig = try Rig()
        _ = try await rig.run { rig in
            let first = try await rig.connection(1)
            #expect(rig.collector.status.lostSessions == 0)
            first.lose()
            _ = try await rig.connection(2)
            try await Rig.until("the count") { rig.collector.status.lostSessions == 1 ? () : nil }
        }
    }

    @Test("Another client with the same client id is counted, and the error names the id")
    func rival() async throws {
        let rig = try Rig()
        _ = try await rig.run { rig in
            try await rig.connection(1).end(.closedByBroker(code: 0x8E, reason: "session taken over"))
            let status = try await Rig.until("the count") {
                let status = rig.collector.status
                return status.rivals == 1 ? status : nil
            }
            #expect(status.lastError?.message.contains("has the client id one") == true)
            #expect(status.hasRival(at: Messages.now) && !status.hasRival(at: Messages.now + .seconds(3600)))
        }
    }

    @Test("A database that does not answer at the start is tried again")
    func absent() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.openError = .unreachable("it starts") }
        _ = try await rig.run { rig in
            let connection = try await rig.connection(1)
            connection.deliver(try Messages.telemetry(1), as: 1)
            let error = try await Rig.until("the error") { rig.collector.status.lastError }
            #expect(error.message.contains("it starts"))
            rig.database.state.withLock { $0.openError = nil }
            try await rig.acknowledged([1], on: connection)
        }
    }

    @Test("A stop while the database is lost ends at once, without an acknowledgement")
    func stopWhileLost() async throws {
        let rig = try Rig()
        rig.database.state.withLock { $0.error = .unreachable("it stops") }
        let outcome = try await rig.run { rig in
            let connection = try await rig.connection(1)
            connection.deliver(try Messages.telemetry(1), as: 1)
            try await Rig.until("an attempt") { rig.database.state.withLock { $0.attempts >= 1 } ? () : nil }
        }
        #expect(outcome == .ended)
        #expect(rig.made.withLock { $0.allSatisfy { $0.acknowledged.withLock(\.isEmpty) } })
    }

    @Test("The records are shared with a group; retained states and own responses are not")
    func filters() async throws {
        let rig = try Rig(share: "all")
        _ = try await rig.run { rig in
            let filters = try await rig.connection(1).filters.withLock { $0 }
            let shared = ["telemetry", "telemetry/zlib", "events", "responses"].map { "$share/all/obd/+/\($0)" }
            #expect(filters.prefix(4).elementsEqual(shared))
            #expect(filters.contains("obd/+/status") && filters.contains("obd/+/responses/one"))
            #expect(filters.dropFirst(4).allSatisfy { $0.hasPrefix("obd/") })
        }
    }
}
