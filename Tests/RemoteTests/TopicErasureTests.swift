// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The deletion of retained messages")
struct TopicErasureTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    private static func machine(_ known: [String]) throws -> TopicErasure {
        TopicErasure(
            try known.map { topic throws(TopicError) in try Topic(topic) },
            and: [try TopicFilter("obd/van/#")],
            until: Self.time(60_000)
        )
    }

    private static func retained(_ topic: String, _ payload: String = "x", retain: Bool = true) throws -> Message {
        Message(topic: try Topic(topic), payload: Array(payload.utf8), qos: .atMostOnce, retain: retain)
    }

    private static func published(_ actions: [TopicErasure.Action]) -> [String] {
        actions.compactMap { action in
            guard case .publish(let message) = action else { return nil }
            #expect(message.payload.isEmpty && message.retain && message.qos == .atLeastOnce)
            return message.topic.description
        }
    }

    /// Lets the broker answer the end of the subscription at this time, and returns the topics that are published.
    private static func listEnded(_ machine: inout TopicErasure, at milliseconds: Int64) -> [String] {
        #expect(machine.timePassed(at: Self.time(milliseconds)) == [.unsubscribe(machine.filters)])
        return Self.published(machine.unsubscribed())
    }

    private static func outcome(_ actions: [TopicErasure.Action]) -> TopicErasure.Outcome? {
        if case .finish(let outcome)? = actions.last { outcome } else { nil }
    }

    @Test("Known and listed topics are deleted once, and each answer of the broker belongs to the oldest in flight")
    func emptied() throws {
        var machine = try Self.machine(["obd/van/status", "obd/van/codes"])
        #expect(machine.subscriptionAnswered([true], at: Self.time(0)).isEmpty)
        for topic in ["obd/van/status", "obd/van/parameters/odometer"] {
            #expect(machine.messageReceived(try Self.retained(topic), at: Self.time(100)).isEmpty)
        }
        // Neither an empty message nor a new one, which is not retained, lists a topic.
        _ = machine.messageReceived(try Self.retained("obd/van/finding", ""), at: Self.time(100))
        _ = machine.messageReceived(try Self.retained("obd/van/events", retain: false), at: Self.time(100))
        #expect(machine.timePassed(at: Self.time(500)).isEmpty)
        #expect(
            Self.listEnded(&machine, at: 600)
                == ["obd/van/status", "obd/van/codes", "obd/van/parameters/odometer"]
        )
        #expect(machine.publishAcknowledged().isEmpty && machine.publishRejected(code: 0x87).isEmpty)
        let outcome = try #require(Self.outcome(machine.publishAcknowledged()))
        #expect(outcome.emptied.map(\.description) == ["obd/van/status", "obd/van/parameters/odometer"])
        #expect(outcome.refused.map(\.description) == ["obd/van/codes"])
        #expect(outcome.unanswered.isEmpty && outcome.isListComplete)
    }

    @Test("The topics of an earlier filter are emptied before those of a later one, whichever the broker lists first")
    func order() throws {
        let filters = try ["ha/+/config", "obd/van/#"].map { text throws(TopicError) in try TopicFilter(text) }
        var machine = TopicErasure([], and: filters, until: Self.time(60_000))
        _ = machine.subscriptionAnswered([true, true], at: Self.time(0))
        for topic in ["obd/van/status", "ha/a/config", "obd/van/codes", "ha/b/config"] {
            _ = machine.messageReceived(try Self.retained(topic), at: Self.time(0))
        }
        let emptied = Self.listEnded(&machine, at: 600)
        #expect(emptied == ["ha/a/config", "ha/b/config", "obd/van/status", "obd/van/codes"])
    }

    @Test("Messages in flight when the connection was lost are published again on the next one")
    func lost() throws {
        var machine = try Self.machine(["a", "b"])
        _ = machine.subscriptionAnswered([false], at: Self.time(0))
        #expect(Self.listEnded(&machine, at: 500) == ["a", "b"])
        _ = machine.publishAcknowledged()
        #expect(machine.connectionLost(.closed).isEmpty && machine.timePassed(at: Self.time(2000)).isEmpty)
        _ = machine.subscriptionAnswered([false], at: Self.time(3000))
        #expect(Self.listEnded(&machine, at: 3500) == ["b"])
        let outcome = try #require(Self.outcome(machine.publishAcknowledged()))
        #expect(outcome.emptied.map(\.description) == ["a", "b"] && !outcome.isListComplete)
    }

    @Test("At most 64 messages are in flight, and without answers the erasure ends at its deadline")
    func unanswered() throws {
        var machine = try Self.machine((0..<100).map { "t\($0)" })
        _ = machine.subscriptionAnswered([true], at: Self.time(0))
        #expect(Self.listEnded(&machine, at: 500).count == 64)
        #expect(Self.published(machine.publishAcknowledged()) == ["t64"])
        let outcome = try #require(Self.outcome(machine.timePassed(at: Self.time(60_000))))
        #expect(outcome.emptied.count == 1 && outcome.unanswered.count == 99)
    }

    @Test("A broker that does not end its list has nothing emptied, and every topic is told as unanswered")
    func endless() throws {
        var machine = try Self.machine(["t0", "t1"])
        _ = machine.subscriptionAnswered([true], at: Self.time(0))
        #expect(machine.timePassed(at: Self.time(500)) == [.unsubscribe(machine.filters)])
        #expect(machine.timePassed(at: Self.time(59_999)).isEmpty)
        let outcome = try #require(Self.outcome(machine.timePassed(at: Self.time(60_000))))
        #expect(outcome.emptied.isEmpty && outcome.unanswered.map(\.description) == ["t0", "t1"])
    }
}
