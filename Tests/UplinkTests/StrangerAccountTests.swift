// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import MQTT
import Store
import Testing

@testable import Uplink

@Suite("Responses to strangers")
struct StrangerAccountTests {
    private static func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test(
        "In no minute and on no day are more bytes spent than allowed, whatever the responses",
        arguments: [nil, 0, 100_000, 2 << 20, 5 << 20, 1 << 40],
        [100, 700, 5000, 30_000]
    )
    func bounds(budget: Int?, bytes: Int) {
        var account = StrangerAccount(dailyBudget: budget, at: .zero)
        var paid = [Int](repeating: 0, count: 2 * 86_400)
        for second in paid.indices {
            for _ in 0..<20 where account.pay(bytes, isSigned: second.isMultiple(of: 7), at: Self.time(second)) {
                paid[second] += bytes
            }
        }
        func most(in seconds: Int) -> Int {
            var sum = paid[..<seconds].reduce(0, +)
            var most = sum
            for second in seconds..<paid.count {
                sum += paid[second] - paid[second - seconds]
                most = max(most, sum)
            }
            return most
        }
        #expect(most(in: 60) < 160 << 10)
        #expect(most(in: 86_400) <= min(max((budget ?? .max) / 10, 64 << 10), 4 << 20))
        #expect(paid.reduce(0, +) > 40_000)
    }

    @Test("Unsigned commands leave a share to signed ones, and spent bytes grow back")
    func share() {
        var account = StrangerAccount(dailyBudget: nil, at: .zero)
        while account.pay(500, isSigned: false, at: .zero) {}
        var delays = [account.delay(at: .zero)]
        var signed = 0
        while account.pay(500, isSigned: true, at: .zero) { signed += 500 }
        #expect(signed >= 12_000)
        account.owe(2000)
        let paid = [1, 6].map { account.pay(500, isSigned: true, at: Self.time($0)) }
        #expect(paid == [false, true])
        for seconds in [60, 300] { delays.append(account.delay(at: Self.time(seconds))) }
        #expect(delays[0] > 0 && delays[1] > 0 && delays[2] == 0)
    }

    @Test("A person who asks ten times in five minutes, four times of them at once, meets no limit")
    func person() {
        // An answer of 7.5 KB goes to two topics, with what comes before it.
        let bytes = 18_000
        var account = StrangerAccount(dailyBudget: nil, at: .zero)
        for second in [0, 1, 2, 3, 60, 90, 120, 180, 240, 300] {
            let delay = account.delay(at: Self.time(second))
            let isPaid = account.pay(bytes, isSigned: false, at: Self.time(second))
            #expect(delay == 0 && isPaid, "\(second)")
        }
    }

    @Test("The told delay is enough, and of no room ever there is none", arguments: [nil, 0, 5 << 20])
    func delays(budget: Int?) throws {
        var account = StrangerAccount(dailyBudget: budget, at: .zero)
        while account.pay(500, isSigned: false, at: .zero) {}
        let delay = account.delay(at: .zero)
        #expect(delay > 0)
        // The refusal that tells the delay is sent too.
        account.owe(400)
        let delays = [account.delay(at: Self.time(delay / 2)), account.delay(at: Self.time(delay))]
        #expect(delays[0] > 0 && delays[1] == 0)
        let wait = account.delay(of: 15_000, isSigned: false, at: Self.time(delay))
        let response = try #require(wait)
        account.owe(400)
        let isPaid = account.pay(15_000, isSigned: false, at: Self.time(delay + response))
        let never = account.delay(of: 200_000, isSigned: true, at: Self.time(delay + response))
        #expect(isPaid && never == nil)
    }

    private let store = Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1))

    private func uplink() throws -> Uplink {
        var options = UplinkOptions(
            servers: [],
            username: nil,
            topicPrefix: try Topic("obd"),
            agent: "a1b2",
            boot: "b",
            batchInterval: .seconds(10),
            compressesTelemetry: false,
            storeWindow: .seconds(10)
        )
        options.dailyBudget = 100_000
        return try Uplink(
            options,
            vehicle: "van",
            store: self.store,
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in throw .notConnected }
        )
    }

    private static func response(_ id: String, signed: Bool = false, result: Int = 0) -> CommandResponse {
        let date = Timestamp(milliseconds: 0)
        return CommandResponse(
            id: id,
            command: "read_codes",
            state: .succeeded,
            issuer: signed ? "ada" : nil,
            issuedAt: date,
            expiresAt: date,
            result: result == 0 ? nil : .string(String(repeating: "x", count: result))
        )
    }

    @Test("A result without room is left out, and the response says so; a trusted signer gets all of it")
    func stripped() async throws {
        let uplink = try self.uplink()
        var request = Message(topic: try Topic("obd/van/commands"), payload: [])
        request.properties.responseTopic = try Topic("obd/van/responses/desk")
        request.properties.correlationData = [1]
        for id in ["first", "second"] {
            await uplink.record(Self.response(id, result: 8000), to: request, vehicle: "van")
        }
        await uplink.record(Self.response("vast", result: 20_000), to: request, vehicle: "van")
        var failure = Self.response("failed", result: 20_000)
        (failure.state, failure.reason, failure.message) = (.failed, .noAnswer, "Nobody answers.")
        await uplink.record(failure, to: request, vehicle: "van")
        await uplink.record(Self.response("third", signed: true, result: 60_000), to: request, vehicle: "van")
        var bodies: [[UInt8]] = []
        while let record = await self.store.next() { bodies.append(record.body) }
        let texts = bodies.map { String(decoding: $0, as: UTF8.self) }
        try #require(texts.count == 5)
        #expect(texts[0].contains("xxx") && texts[4].contains("xxx"))
        #expect(texts[1].contains("result was left out") && texts[1].contains(#""state":"succeeded""#))
        #expect(texts[1].contains("senders without a signature") && texts[1].utf8.count < 600)
        let json = bodies.map { JSON(payload: $0) }
        #expect(json[1]["reason"] == "result_left_out" && json[1]["result"] == .null)
        let seconds = try #require(json[1]["retry_after"].count)
        #expect(json[1]["message"].string?.hasSuffix("again in \(seconds) s, under the same id.") == true)
        // There is never room for this one.
        #expect(
            json[2]["retry_after"] == .null && json[2]["message"].string?.hasSuffix("Try: sign the command.") == true
        )
        #expect(json[3]["reason"] == "no_answer")
        #expect(json[3]["message"] == "Nobody answers. The result was left out.")
    }

    @Test("Malformed commands are answered while there is room; decided commands are always recorded")
    func dry() async throws {
        let uplink = try self.uplink()
        let request = Message(topic: try Topic("obd/van/commands"), payload: [])
        let complaint = CommandResponse(id: nil, command: nil, state: .refused, reason: .malformed, message: "no JSON")
        for _ in 0..<1000 { await uplink.record(complaint, to: request, vehicle: "van") }
        var count = 0
        while await self.store.next() != nil { count += 1 }
        #expect(count > 20 && count < 80)
        #expect(await uplink.delayOfStranger() > 0)
        await uplink.record(Self.response("judged"), to: request, vehicle: "van")
        #expect(await self.store.next() != nil)
    }

    @Test("Responses to strangers count as sent, but not towards the budget, also after a restart")
    func budget() {
        var budget = DailyBudget(limit: 1000, at: .zero)
        budget.addForStrangers(5000)
        budget.add(5700, at: .zero, on: 20_000)
        #expect(budget.sent == 5700 && budget.level == .normal)
        let day = budget.dayToRemember(isLast: true)
        #expect(day?.bytes == 700)
        var next = DailyBudget(limit: 1000, earlier: day, at: .zero)
        next.add(50, at: .zero, on: 20_000)
        #expect(next.level == .slowed)
        budget.add(0, at: Self.time(86_400), on: 20_001)
        budget.add(800, at: Self.time(86_400), on: 20_001)
        #expect(budget.level == .slowed)
    }
}
