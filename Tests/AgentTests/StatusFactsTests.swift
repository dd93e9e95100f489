// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Contract
import ELM327
import OBD2
import Parking
import Session
import SocketCAN
import Testing

@testable import Agent
@testable import Store
@testable import Uplink

@Suite("The facts of the status")
struct StatusFactsTests {
    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func status(_ facts: StatusFacts) throws -> AgentStatus {
        var facts = facts
        return facts.payload(
            AgentIdentity(agent: "0123456789ab", version: "1.0.0", adapterAddress: "tcp:1", isSimulated: false),
            VehiclePresence(try VehicleTopics(prefix: try Topic("obd"), vehicle: "van")),
            store: StoreStatus(
                numbered: 0,
                epoch: 1,
                acknowledged: [:],
                records: 0,
                dropped: 0,
                oldest: nil,
                bytes: nil,
                problem: nil
            ),
            traffic: DailyBudget(limit: nil, at: .zero),
            clock: StandingClock()
        )
    }

    @Test("Without a broker in the configuration the sentence for systemd tells so, and not that one is missing")
    func sentence() throws {
        let status = try Self.status(StatusFacts())
        let text = StatusSentence.text(status, vehicle: "van", isOnline: false, hasBroker: false)
        #expect(text.hasSuffix("; no broker configured"))
        #expect(StatusSentence.text(status, vehicle: "van", isOnline: false).hasSuffix("; no broker"))
    }

    @Test("The state of a CAN controller and its errors are in the status; an adapter has none")
    func controller() throws {
        var facts = StatusFacts()
        #expect(try Self.status(facts).adapter.can == nil)
        var report = ControllerReport()
        report.detailsRead(CANDetails(bitRate: 500_000, state: .passive, transmitErrors: 128, receiveErrors: 3))
        report.errorReported(CANErrorReport(kinds: [.controller, .counters], transmitErrors: 140, receiveErrors: 4))
        facts.controller = report
        #expect(
            try Self.status(facts).adapter.can
                == .init(bitRate: 500_000, state: .passive, transmitErrors: 128, receiveErrors: 3, errorFrames: 1)
        )
        report.errorReported(CANErrorReport(kinds: .busOff))
        facts.controller = report
        let controller = try Self.status(facts).adapter.can
        #expect(controller?.state == .busOff && controller?.busOffs == 1 && controller?.errorFrames == 2)
    }

    @Test("The last problem outlasts the rest of the agent, with the time of the last failure, until a vehicle answers")
    func lastProblem() throws {
        var facts = StatusFacts()
        #expect(try Self.status(facts).lastProblem == nil)
        facts.linkChanged(.waiting(.startUp(.headersIgnored), .seconds(1)), at: Self.time(10))
        facts.linkChanged(.connecting, at: Self.time(11))
        facts.linkChanged(.waiting(.startUp(.headersIgnored), .seconds(2)), at: Self.time(12))
        let text = SessionError.startUp(.headersIgnored).description
        #expect(try Self.status(facts).problem == text)
        facts.linkChanged(.parked, at: Self.time(900))
        let resting = try Self.status(facts)
        #expect(resting.problem == nil)
        #expect(resting.lastProblem == AgentStatus.Problem(text: text, time: Timestamp(milliseconds: 12_000)))
        facts.linkChanged(.connected(AdapterReport()), at: Self.time(1000))
        #expect(try Self.status(facts).lastProblem == nil)
    }

    @Test("A silence of the vehicle is over once it is parked, and the loss of the adapter once that answers")
    func endedProblem() throws {
        for error in [SessionError.vehicleSilent, .link(.closed), .adapterSilent] {
            var facts = StatusFacts()
            facts.linkChanged(.waiting(error, .seconds(1)), at: Self.time(10))
            #expect(try Self.status(facts).lastProblem?.text == error.description)
            facts.linkChanged(.parked, at: Self.time(60))
            #expect(try Self.status(facts).lastProblem == nil)
        }
    }

    @Test("The battery's voltage has the time of its measurement, and an adapter that has measured none has no voltage")
    func voltageTime() throws {
        var facts = StatusFacts()
        var report = AdapterReport()
        report.voltage = 12.4
        facts.linkChanged(.connected(report), at: Self.time(1))
        #expect(try Self.status(facts).adapter.voltage == nil)
        facts.parking = ParkingReport(ignition: .running, isParked: false, voltage: 14.2, voltageTime: Self.time(40))
        let status = try Self.status(facts)
        #expect(status.battery?.voltage == 14.2 && status.battery?.time == Timestamp(milliseconds: 40_000))
        #expect(status.adapter.voltage == 14.2)
    }

    @Test("A voltage measured again, and a problem met again, are no reason for a message of their own")
    func news() throws {
        var facts = StatusFacts()
        facts.linkChanged(.waiting(.adapterSilent, .seconds(1)), at: Self.time(10))
        facts.parking = ParkingReport(ignition: .off, isParked: true, voltage: 12.6, voltageTime: Self.time(10))
        let earlier = LivePayload.status(try Self.status(facts))
        facts.linkChanged(.waiting(.adapterSilent, .seconds(2)), at: Self.time(20))
        facts.parking = ParkingReport(ignition: .off, isParked: true, voltage: 12.6, voltageTime: Self.time(20))
        #expect(!LivePayload.status(try Self.status(facts)).isNews(after: earlier))
        facts.linkChanged(.waiting(.vehicleUnexpected, .seconds(2)), at: Self.time(30))
        #expect(LivePayload.status(try Self.status(facts)).isNews(after: earlier))
    }
}
