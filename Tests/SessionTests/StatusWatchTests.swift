// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import ELM327
@testable import Session

@Suite("The answers to PID 01")
struct StatusWatchTests {
    private static let now = MonotonicTime(sinceBoot: .seconds(10))
    private static let ready: [UInt8] = [0x41, 0x01, 0, 7, 0x65, 0]
    private static let open: [UInt8] = [0x41, 0x01, 0, 7, 0x65, 0x65]

    private static func answer(
        _ messages: [ECUAddress: [UInt8]],
        to watch: inout StatusWatch,
        of vehicle: VehicleIdentity = TwoECUs.vehicle()
    ) throws -> StatusWatch.AnsweredAction {
        let answer = try TwoECUs.answer(.monitorStatus, messages.mapValues { [$0] }, of: vehicle)
        return watch.answered(answer, from: vehicle, at: Self.now)
    }

    private static func status(_ message: [UInt8]) throws -> MonitorStatus {
        try MonitorStatus(data: Array(message.dropFirst(2)))
    }

    @Test("PID 01 is due a while after it was asked, whether or not it was answered")
    func interval() throws {
        var watch = StatusWatch()
        #expect(watch.nextRequest(at: Self.now) > Self.now)
        #expect(try Self.answer([:], to: &watch) == .none)
        #expect(watch.nextRequest(at: Self.now + StatusWatch.interval) == Self.now + StatusWatch.interval)
    }

    @Test("A list without an ECU is requested again, and both answers make one list")
    func lost() throws {
        var watch = StatusWatch()
        #expect(try Self.answer([TwoECUs.engine: Self.ready], to: &watch) == .askAgain)
        #expect(watch.latestComplete == nil)
        let both = [TwoECUs.engine: try Self.status(Self.ready), TwoECUs.gearbox: try Self.status(Self.open)]
        let action = try Self.answer([TwoECUs.gearbox: Self.open], to: &watch)
        #expect(action == .answered(news: both, isChanged: false))
        #expect(watch.latestComplete == both)
    }

    @Test("A list that stays without an ECU is no news, until that ECU answers")
    func missing() throws {
        var watch = StatusWatch()
        #expect(try Self.answer([TwoECUs.engine: Self.ready], to: &watch) == .askAgain)
        let first = try Self.answer([TwoECUs.engine: Self.ready], to: &watch)
        #expect(first == .answered(news: nil, isChanged: false))
        #expect(watch.latestComplete == nil && watch.latest.count == 1)
        let both = [TwoECUs.engine: try Self.status(Self.ready), TwoECUs.gearbox: try Self.status(Self.open)]
        let second = try Self.answer([TwoECUs.engine: Self.ready, TwoECUs.gearbox: Self.open], to: &watch)
        guard case .answered(news: both, _) = second else {
            Issue.record("\(second)")
            return
        }
        // An ECU that has answered before belongs to the list whatever it announces, and its return changes nothing.
        let vehicle = VehicleIdentity(bus: .can11at500, ecus: [TwoECUs.engine: ECUIdentity()])
        #expect(try Self.answer([TwoECUs.engine: Self.ready], to: &watch, of: vehicle) == .askAgain)
        let third = try Self.answer([TwoECUs.engine: Self.ready], to: &watch, of: vehicle)
        #expect(third == .answered(news: nil, isChanged: false))
        let fourth = try Self.answer([TwoECUs.engine: Self.ready, TwoECUs.gearbox: Self.open], to: &watch)
        #expect(fourth == .answered(news: nil, isChanged: false) && watch.latestComplete == both)
    }

    @Test("An ECU that refuses PID 01, or never answers it, is not waited for")
    func absent() throws {
        var refused = StatusWatch()
        let engine = [TwoECUs.engine: try Self.status(Self.ready)]
        let refusal: [ECUAddress: [UInt8]] = [TwoECUs.engine: Self.ready, TwoECUs.gearbox: [0x7F, 0x01, 0x12]]
        #expect(try Self.answer(refusal, to: &refused) == .answered(news: engine, isChanged: false))
        // A busy ECU has an answer.
        var busy = StatusWatch()
        let later: [ECUAddress: [UInt8]] = [TwoECUs.engine: Self.ready, TwoECUs.gearbox: [0x7F, 0x01, 0x21]]
        for _ in 0..<10 { #expect(try Self.answer(later, to: &busy) != .answered(news: engine, isChanged: false)) }
        var silent = StatusWatch()
        for _ in 1..<StatusWatch.silenceLimit {
            _ = try Self.answer([TwoECUs.engine: Self.ready], to: &silent)
            #expect(silent.latestComplete == nil)
        }
        let action = try Self.answer([TwoECUs.engine: Self.ready], to: &silent)
        #expect(action == .answered(news: engine, isChanged: false))
    }
}
