// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT
import Subscriber
import Testing

@testable import Collect

@Suite("The collector's side of a connection to a broker")
struct CollectingTests {
    private static func pipeline() -> Pipeline {
        let status = CollectorStatus(clientID: "one", share: nil, broker: "b", database: "d", at: Messages.now)
        return Pipeline(status, clock: BootClock(), date: { Messages.now })
    }

    private static func machine(_ pipeline: Pipeline, once limit: Duration? = nil) throws -> Collecting {
        let filters = try CollectFilters(FleetTopics(prefix: try Topic("obd")), share: nil, requester: "one")
        return Collecting(filters, pipeline, until: nil, endsWhenQuiet: limit != nil, absenceLimit: limit)
    }

    private static func granted(_ machine: Collecting) -> [Bool] { machine.filters.map { _ in true } }

    @Test("A broker that is absent ends a run with a limit after it, and no other run")
    func absentBroker() throws {
        var (once, service) = (try Self.machine(Self.pipeline(), once: .seconds(3)), try Self.machine(Self.pipeline()))
        let error = MQTTError.cannotConnect(host: "h", port: 1, .refused)
        for second in 0...100 {
            let now = MonotonicTime.zero + .seconds(second)
            let (tick, loss) = (service.timePassed(at: now), service.connectionLost(error))
            #expect(!tick.contains { if case .finish = $0 { true } else { false } })
            #expect(loss == [.report(.connectionLost(error))])
            let actions = once.timePassed(at: now)
            if second < 3 { _ = once.connectionLost(error) }
            if second == 3 { #expect(actions == [.finish(.brokerFailed(error))]) }
            if second < 3 { #expect(actions.isEmpty) }
        }
    }

    @Test("A database that is absent ends a run with a limit after it")
    func absentDatabase() throws {
        let pipeline = Self.pipeline()
        var machine = try Self.machine(pipeline, once: .seconds(3))
        _ = machine.subscriptionAnswered(Self.granted(machine), at: .zero)
        pipeline.databaseLost(.unreachable("it stops"))
        let first = machine.timePassed(at: .zero + .seconds(1))
        let end = machine.timePassed(at: .zero + .seconds(4))
        #expect(first != end && end == [.finish(.databaseFailed(.unreachable("it stops")))])
    }

    @Test("Silence is told after a minute, once, and never once a message has come")
    func silence() throws {
        var (silent, heard) = (try Self.machine(Self.pipeline()), try Self.machine(Self.pipeline()))
        _ = silent.subscriptionAnswered(Self.granted(silent), at: .zero)
        _ = heard.subscriptionAnswered(Self.granted(heard), at: .zero)
        _ = heard.messageReceived(try Messages.telemetry(1), at: .zero)
        var told: [Int] = []
        for second in 1...300 {
            let now = MonotonicTime.zero + .seconds(second)
            if silent.timePassed(at: now).contains(.report(.silent)) { told.append(second) }
            let actions = heard.timePassed(at: now)
            #expect(!actions.contains(.report(.silent)))
        }
        #expect(told == [60])
    }
}
