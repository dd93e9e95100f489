// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Agent

@Suite("The health by which an upgrade is judged")
struct HealthLedgerTests {
    private static func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    private static func health(_ version: String = "1.0.0") -> AgentHealth {
        AgentHealth(
            version: version,
            boot: "boot",
            started: 100,
            at: 100,
            rollsBack: true,
            within: 900,
            keep: 7200,
            parts: [:]
        )
    }

    private static func observe(
        _ ledger: inout HealthLedger,
        broker: Bool,
        at seconds: Int
    ) -> (health: AgentHealth, isCopied: Bool)? {
        let states: [AgentHealth.Part: (word: String, isGood: Bool)] = [
            .broker: broker ? ("connected", true) : ("disconnected", false), .store: ("disk", true),
        ]
        let action = ledger.partsObserved(states, at: Self.time(seconds)) {
            Timestamp(milliseconds: $0.sinceBoot.milliseconds)
        }
        guard case .publish(let health, let isCopied) = action else { return nil }
        return (health, isCopied)
    }

    @Test("A part that is in order is 0 s old, and one that was lost has the time since then")
    func ages() {
        var ledger = HealthLedger(Self.health(), former: nil, at: Self.time(100))
        let first = Self.observe(&ledger, broker: false, at: 110)?.health
        #expect(first?.parts[.broker]?.ago == nil && first?.parts[.store]?.ago == 0 && first?.at == 110)
        let found = Self.observe(&ledger, broker: true, at: 120)?.health
        #expect(found?.parts[.broker]?.ago == 0 && found?.parts[.broker]?.since == Timestamp(milliseconds: 120_000))
        let lost = Self.observe(&ledger, broker: false, at: 130)?.health
        #expect(lost?.parts[.broker]?.ago == 10 && lost?.parts[.broker]?.word == "disconnected")
        #expect(Self.observe(&ledger, broker: false, at: 140) == nil)
        #expect(Self.observe(&ledger, broker: false, at: 190)?.health.parts[.broker]?.ago == 70)
    }

    @Test("What was lost just now is not in order, and a copy is written for a first success and each hour only")
    func copies() {
        var ledger = HealthLedger(Self.health(), former: nil, at: Self.time(0))
        #expect(Self.observe(&ledger, broker: true, at: 10)?.isCopied == true)
        var copies = 0
        for second in stride(from: 20, through: 7210, by: 10) {
            guard let seen = Self.observe(&ledger, broker: second / 10 % 2 == 0, at: second) else { continue }
            if seen.isCopied { copies += 1 }
            #expect(seen.health.parts[.broker]?.ago == (second / 10 % 2 == 0 ? 0 : 10))
        }
        #expect(copies == 2)
    }

    @Test("The age goes on over a restart of the same version, and becomes that of the version before with another one")
    func restarts() throws {
        var first = HealthLedger(Self.health(), former: nil, at: Self.time(0))
        _ = Self.observe(&first, broker: true, at: 10)
        let left = try #require(Self.observe(&first, broker: false, at: 40)?.health)
        var same = HealthLedger(Self.health(), former: left, at: Self.time(1000))
        let again = try #require(Self.observe(&same, broker: false, at: 1010)?.health)
        #expect(again.parts[.broker]?.ago == 40 && again.before == nil && again.missing.isEmpty)
        var next = HealthLedger(Self.health("2.0.0"), former: again, at: Self.time(2000))
        let new = try #require(Self.observe(&next, broker: false, at: 2010)?.health)
        #expect(new.parts[.broker]?.ago == nil && new.before == "1.0.0" && new.beforeAgo[.broker] == 40)
        #expect(new.missing == [.broker])
        // Its own restart changes nothing of that.
        var restarted = HealthLedger(Self.health("2.0.0"), former: new, at: Self.time(3000))
        #expect(Self.observe(&restarted, broker: false, at: 3010)?.health.missing == [.broker])
        #expect(Self.observe(&restarted, broker: true, at: 3020)?.health.missing.isEmpty == true)
    }

    @Test("What the version before had not reached for long is not missing")
    func long() {
        var health = Self.health()
        (health.before, health.beforeAgo) = ("0.9.0", [.broker: 900, .vehicle: 901])
        #expect(health.missing == [.broker])
    }

    @Test("The file is read as it was written, and anything else without a trap")
    func text() throws {
        var health = Self.health()
        health.parts = [
            .broker: .init(word: "connected", since: Timestamp(milliseconds: 1_000_000), ago: 0),
            .vehicle: .init(word: "parked", since: nil, ago: nil),
        ]
        (health.before, health.beforeAgo) = ("0.9.0", [.store: 3])
        #expect(AgentHealth(health.text) == health)
        #expect(health.text.contains("\nbroker=0\nbroker_state=connected\nbroker_since=1970-01-01T00:16:40"))
        for text in ["", "=", "version=", "broker=1", String(repeating: "=\n", count: 1000)] {
            #expect(AgentHealth(text) == nil)
        }
        let strange = AgentHealth("version=1\nat=-5\nwithin=99999999999999999999\nbroker_state=x\nbroker=1e3\n\u{0}=")
        #expect(strange?.at == 0 && strange?.within == 900 && strange?.parts[.broker]?.ago == nil)
    }

    @Test("A parked vehicle counts as reached, with its adapter, unless there is a problem with it")
    func parked() {
        var status = AgentStatus.sample
        func states(_ part: AgentHealth.Part) -> [String] {
            let state = part.state(status, isOnline: true)
            return [state.word, "\(state.isGood)"]
        }
        (status.link, status.parked) = (.waiting, true)
        #expect(states(.vehicle) == ["parked", "true"] && states(.adapter) == ["parked", "true"])
        status.problem = "out of reach"
        #expect(states(.vehicle) == ["disconnected", "false"] && states(.adapter) == ["disconnected", "false"])
        (status.link, status.problem) = (.searching, nil)
        #expect(states(.vehicle) == ["disconnected", "false"] && states(.adapter) == ["connected", "true"])
        status.link = .connected
        #expect(states(.vehicle) == ["connected", "true"] && states(.broker) == ["connected", "true"])
        status.store.state = .memory
        #expect(states(.store) == ["memory", "false"])
        #expect(AgentHealth.Part.store.state(nil, isOnline: true).isGood == false)
    }
}

extension AgentStatus {
    fileprivate static var sample: AgentStatus {
        AgentStatus(
            agent: "0123456789ab",
            version: "1.0.0",
            time: Timestamp(milliseconds: 0),
            simulated: false,
            vehicleConfirmed: true,
            adapter: Adapter(address: "tcp:1"),
            link: .connecting,
            problem: nil,
            protocol: nil,
            dialect: nil,
            clock: .synchronised,
            outbox: Outbox(records: 0, dropped: 0),
            store: Store(bytes: 1, problem: nil),
            sentToday: 0,
            budget: nil,
            dropped: Dropped(replies: 0, commands: 0)
        )
    }
}
