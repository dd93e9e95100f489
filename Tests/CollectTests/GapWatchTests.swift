// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Collect

@Suite("Asking for gaps")
struct GapWatchTests {
    private static let key = StreamKey(agent: "a1", vehicle: "van-a1", stream: .telemetry, epoch: 7)
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)

    /// A watch with an agent that is online, and its clock.
    private struct Bench {
        var watch: GapWatch
        var seconds: Int64 = 100

        init(_ limits: GapWatch.Limits = GapWatch.Limits(), agents: [String] = ["a1"]) {
            self.watch = GapWatch(run: "run", limits)
            for agent in agents {
                _ = self.watch.presenceChanged(.availability("van-\(agent)", isOnline: true))
                _ = self.watch.presenceChanged(.agent("van-\(agent)", agent: agent, since: GapWatchTests.start))
            }
        }

        var now: MonotonicTime { MonotonicTime(sinceBoot: .seconds(self.seconds)) }
        var date: Timestamp { GapWatchTests.start + .seconds(self.seconds) }

        mutating func pass(_ seconds: Int64) -> [GapWatch.Action] {
            self.seconds += seconds
            return self.watch.timePassed(at: self.now, self.date)
        }

        /// Claims streams, and reads them again after half a minute.
        mutating func ask(_ first: [StreamKey: Received], then second: [StreamKey: Received]) -> [GapWatch.Action] {
            self.watch.streamsClaimed(first, at: self.now)
            _ = self.pass(30)
            return self.watch.streamsRead(second, at: self.now, self.date)
        }

        mutating func answer(
            _ request: ResendRequest,
            _ state: CommandResponse.State,
            _ reason: CommandResponse.Reason? = nil,
            retryAfter: Int? = nil,
            records: Int = 0,
            to: UInt64? = nil
        ) -> [GapWatch.Action] {
            var response = CommandResponse(id: request.id, command: "resend", state: state, reason: reason)
            response.retryAfter = retryAfter
            let range = request.range
            let report = ResendReport(
                range.stream,
                epoch: range.epoch,
                from: range.from,
                to: to ?? range.to ?? range.from,
                records: records,
                missing: [],
                last: 0
            )
            return self.watch.responseReceived(
                response,
                state == .succeeded ? report : nil,
                from: request.vehicle,
                at: self.now,
                self.date
            )
        }
    }

    private static func received(_ numbers: String, last: UInt64, asks: Int = 0) throws -> Received {
        var received = Received()
        received.numbers = try #require(NumberSet(numbers))
        (received.last, received.asks) = (last, asks)
        return received
    }

    private static func requests(_ actions: [GapWatch.Action]) -> [ResendRequest] {
        actions.compactMap { if case .publish(let request) = $0 { request } else { nil } }
    }

    /// Returns the seconds until the stream is looked at again.
    private static func releases(_ actions: [GapWatch.Action], _ bench: Bench) -> [Double] {
        actions.compactMap { action in
            guard case .change(let change) = action, case .released(let next) = change.fact else { return nil }
            return (next - bench.date).seconds
        }
    }

    @Test("Streams are claimed every ten seconds while an agent is online")
    func claims() {
        var bench = Bench()
        let first = bench.pass(0)
        #expect(first == [.claim(limit: 1000, until: bench.date + .seconds(120))])
        let soon = bench.pass(9)
        #expect(soon.isEmpty)
        let next = bench.pass(1)
        #expect(next.count == 1)
        var lonely = Bench(agents: [])
        let none = lonely.pass(100)
        #expect(none.isEmpty)
    }

    @Test("Only numbers that are missing half a minute later are asked for")
    func settling() throws {
        var bench = Bench()
        _ = bench.pass(0)
        bench.watch.streamsClaimed([Self.key: try Self.received("1-5,9-20,25", last: 30)], at: bench.now)
        let early = bench.pass(29)
        #expect(!early.contains(.read([Self.key])))
        let read = bench.pass(1)
        #expect(read.contains(.read([Self.key])))
        // 6 and 26-30 have come, and 40 is a new hole.
        let actions = bench.watch.streamsRead(
            [Self.key: try Self.received("1-6,9-20,25-39", last: 40)],
            at: bench.now,
            bench.date
        )
        #expect(Self.requests(actions).map(\.range.from) == [7])
        #expect(Self.requests(actions).map(\.range.to) == [8])
        #expect(Self.requests(actions).map(\.vehicle) == ["van-a1"])
    }

    @Test("A stream whose holes have closed is released")
    func closed() throws {
        var bench = Bench()
        let actions = bench.ask(
            [Self.key: try Self.received("1-5", last: 9)],
            then: [Self.key: try Self.received("1-9", last: 9)]
        )
        #expect(actions == [.change(StreamChange(Self.key, .released(next: bench.date)))])
    }

    @Test("An agent that is offline is not asked")
    func offline() throws {
        var bench = Bench()
        _ = bench.watch.presenceChanged(.availability("van-a1", isOnline: false))
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        let actions = bench.ask(holes, then: holes)
        #expect(actions.isEmpty)
    }

    @Test("The command goes to the vehicle that the agent has now")
    func moved() throws {
        var bench = Bench()
        _ = bench.watch.presenceChanged(.agent("truck", agent: "a1", since: bench.date))
        _ = bench.watch.presenceChanged(.availability("truck", isOnline: true))
        _ = bench.watch.presenceChanged(.availability("van-a1", isOnline: false))
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        let actions = bench.ask(holes, then: holes)
        #expect(Self.requests(actions).map(\.vehicle) == ["truck"])
    }

    @Test("Requests have at most 1000 numbers, and near holes share one")
    func ranges() throws {
        let holes = try #require(NumberSet("1-2500,2503,2600,2605"))
        #expect(holes.requests(atMost: 10) == [1...1000, 1001...2000, 2001...2503, 2600...2605])
        #expect(holes.requests(atMost: 2) == [1...1000, 1001...2000])
        var sparse = NumberSet()
        for number: UInt64 in 1...600 { sparse.insert(number * 2) }
        #expect(sparse.requests(atMost: 10) == [2...1000, 1002...1200])
        #expect(NumberSet([1...UInt64.max]).requests(atMost: 3).count == 3)
        #expect(NumberSet([(.max - 5)...UInt64.max]).requests(atMost: 3) == [(.max - 5)...UInt64.max])
    }

    @Test("An agent has one command at a time, the next one after the records of the first")
    func oneAtATime() throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-5,2000-2001,4001-4002", last: 4002)]
        let first = Self.requests(bench.ask(holes, then: holes))
        #expect(first.map(\.range.from) == [6])
        let meanwhile = Self.requests(bench.pass(5))
        #expect(meanwhile.isEmpty)
        let answered = bench.answer(first[0], .succeeded, records: 1000)
        #expect(Self.requests(answered).isEmpty)
        // A claim lasts at least as long as its records take.
        #expect(Self.releases(answered, bench).allSatisfy { $0 >= 420 })
        let early = Self.requests(bench.pass(301))
        let later = Self.requests(bench.pass(1))
        #expect(early.isEmpty)
        #expect(later.map(\.range.from) == [1006])
    }

    @Test("The stream of another agent does not wait")
    func others() throws {
        var bench = Bench(agents: ["a1", "b2"])
        let other = StreamKey(agent: "b2", vehicle: "van-b2", stream: .events, epoch: 1)
        let holes = [Self.key: try Self.received("1", last: 2), other: try Self.received("1", last: 2)]
        let actions = bench.ask(holes, then: holes)
        #expect(Self.requests(actions).map(\.vehicle) == ["van-a1", "van-b2"])
        #expect(Set(Self.requests(actions).map(\.id)).count == 2)
    }

    @Test("Where a later epoch has begun, the agent is asked for the end of the earlier one")
    func end() throws {
        var bench = Bench()
        let whole = [Self.key: try Self.received("1-9", last: 9)]
        let actions = bench.ask(whole, then: whole)
        #expect(Self.requests(actions).map(\.range.from) == [10])
        #expect(Self.requests(actions).first?.range.to == nil)
    }

    @Test("An agent that gets no answer out is left alone, longer each time")
    func noAnswer() throws {
        var bench = Bench()
        var last = 0.0
        for asks in 0..<12 {
            let holes = [Self.key: try Self.received("1-5", last: 9, asks: asks)]
            let requests = Self.requests(bench.ask(holes, then: holes))
            #expect(requests.count == 1)
            let waiting = bench.pass(89)
            #expect(Self.releases(waiting, bench).isEmpty)
            let given = Self.releases(bench.pass(1), bench)
            #expect(given.count == 1)
            let pause = given.first ?? 0
            #expect(pause >= min(30 * Double(1 << asks), 3 * 3600) - 1)
            #expect(pause <= 6 * 3600)
            last = pause
            bench.seconds += Int64(pause) + 1
        }
        #expect(last >= 3 * 3600)
    }

    @Test("The pause that an agent asks for is kept, within a day", arguments: [5, 3600, Int.max])
    func retryAfter(seconds: Int) throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        let request = Self.requests(bench.ask(holes, then: holes))[0]
        let actions = bench.answer(request, .refused, .rateLimited, retryAfter: seconds)
        let pause = Self.releases(actions, bench).first ?? 0
        #expect(pause >= Double(min(seconds, 24 * 3600)))
        #expect(pause <= 24 * 3600 + 60)
        // Another stream of the agent waits too.
        let other = StreamKey(agent: "a1", vehicle: "van-a1", stream: .events, epoch: 7)
        let more = [other: try Self.received("1", last: 2)]
        bench.watch.streamsClaimed(more, at: bench.now)
        let soon = Self.requests(bench.pass(4))
        #expect(soon.isEmpty)
    }

    @Test(
        "An agent that does not know the command is asked rarely",
        arguments: [CommandResponse.Reason.unknownCommand, .notAllowed]
    )
    func refused(reason: CommandResponse.Reason) throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        let request = Self.requests(bench.ask(holes, then: holes))[0]
        let pause = Self.releases(bench.answer(request, .refused, reason), bench)
        #expect(pause.allSatisfy { $0 >= 3 * 3600 } && pause.count == 1)
    }

    @Test("Responses to other commands, and steps of the own one, change nothing")
    func foreign() throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        var request = Self.requests(bench.ask(holes, then: holes))[0]
        let step = bench.answer(request, .running)
        #expect(step.isEmpty)
        let id = request.id
        request.id = "other"
        let other = bench.answer(request, .failed, .interrupted)
        #expect(other.isEmpty)
        #expect(bench.watch.requestsInFlight == 1)
        request.id = id
        _ = bench.answer(request, .failed, .interrupted)
        #expect(bench.watch.requestsInFlight == 0)
    }

    @Test("An agent that has nothing from a number on is not asked for the rest of the claim")
    func nothingAbove() throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-249", last: 1_000_000_000_000_000)]
        let request = Self.requests(bench.ask(holes, then: holes))[0]
        let actions = bench.answer(request, .succeeded, to: request.range.from - 1) + bench.pass(100)
        #expect(Self.requests(actions).isEmpty && bench.watch.claims.isEmpty)
    }

    @Test("Promised records end the wait, which otherwise grows")
    func promised() throws {
        var bench = Bench()
        let holes = [Self.key: try Self.received("1-5", last: 9, asks: 8)]
        let request = Self.requests(bench.ask(holes, then: holes))[0]
        let actions = bench.answer(request, .succeeded, records: 4)
        #expect(actions.contains(.change(StreamChange(Self.key, .promised))))
        #expect(Self.releases(actions, bench).allSatisfy { $0 <= 60 })
        bench.seconds += 1000
        let again = Self.requests(bench.ask(holes, then: holes))[0]
        let none = bench.answer(again, .succeeded)
        #expect(!none.contains(.change(StreamChange(Self.key, .promised))))
        #expect(Self.releases(none, bench).allSatisfy { $0 >= 60 * 128 })
    }

    @Test("An agent is asked a bounded number of times in a day, and goes on the day after")
    func day() throws {
        var limits = GapWatch.Limits()
        limits.requestsOfDay = 3
        var bench = Bench(limits)
        let holes = [Self.key: try Self.received("1-5", last: 9)]
        var requests = 0
        for _ in 0..<100 {
            for request in Self.requests(bench.ask(holes, then: holes)) {
                requests += 1
                _ = bench.answer(request, .succeeded, records: 4)
            }
            bench.seconds += 300
        }
        #expect(requests == 3)
        bench.seconds += 24 * 3600
        let next = Self.requests(bench.ask(holes, then: holes))
        #expect(next.count == 1)
    }

    @Test("Missing responses are lost after half a minute, because no agent sends them again")
    func responses() throws {
        var bench = Bench(agents: [])
        let key = StreamKey(agent: "a1", vehicle: "van-a1", stream: .responses, epoch: 7)
        let (first, second) = (try Self.received("1-5", last: 9), try Self.received("1-6", last: 12))
        let changes = bench.ask([key: first], then: [key: second])
        let facts: [StreamChange.Fact] = [.lost(NumberSet([7...9])), .released(next: bench.date)]
        #expect(changes == facts.map { .change(StreamChange(key, $0)) })
    }

    @Test("A vehicle whose agent is elsewhere now waits, if the row there has its holes or is of another agent")
    func elsewhere() throws {
        var truck = Self.key
        truck.vehicle = "truck"
        for (numbers, last, isAsked) in [("10-12", 12, false), ("2", 4, false), ("10", 3, true)]
            as [(String, UInt64, Bool)]
        {
            var bench = Bench()
            _ = bench.watch.presenceChanged(.availability("van-a1", isOnline: false))
            _ = bench.watch.presenceChanged(.agent("truck", agent: "a1", since: bench.date))
            _ = bench.watch.presenceChanged(.availability("truck", isOnline: true))
            let own = [Self.key: try Self.received("1-5,7-9", last: 9)]
            var rows = own
            rows[truck] = try Self.received(numbers, last: last)
            let actions = bench.ask(own, then: rows)
            #expect(Self.requests(actions).map(\.vehicle) == (isAsked ? ["truck"] : []), "\(numbers)")
            #expect(isAsked || Self.releases(actions, bench).allSatisfy { $0 >= 3 * 3600 })
        }
    }

    @Test("A forger who takes the agent's name gets the requests for his own vehicle, and only these")
    func forger() throws {
        var bench = Bench()
        var thief = Self.key
        thief.vehicle = "thief"
        _ = bench.watch.presenceChanged(.availability("thief", isOnline: true))
        _ = bench.watch.presenceChanged(.agent("thief", agent: "a1", since: bench.date + .seconds(9)))
        let rows = [Self.key: try Self.received("1-5", last: 9), thief: try Self.received("5", last: 1 << 50)]
        let requests = Self.requests(bench.ask(rows, then: rows))
        #expect(requests.map(\.vehicle).sorted() == ["thief", "van-a1"])
        // His answer to the request of the other, and his silence, change nothing for it.
        var stolen = requests[requests[0].vehicle == "van-a1" ? 0 : 1]
        stolen.vehicle = "thief"
        let answer = bench.answer(stolen, .succeeded)
        #expect(answer.isEmpty && bench.watch.requestsInFlight == 2)
    }

    @Test("Memory is bounded, however many vehicles and streams there are")
    func bounded() throws {
        var limits = GapWatch.Limits()
        limits.claims = 50
        limits.requests = 10
        var bench = Bench(limits, agents: (0..<30_000).map { "a\($0)" })
        var holes: [StreamKey: Received] = [:]
        for index in 0..<200 {
            let key = StreamKey(agent: "a\(index)", vehicle: "van-a\(index)", stream: .telemetry, epoch: 1)
            holes[key] = try Self.received("1", last: 1 << 40)
        }
        let actions = bench.ask(holes, then: holes)
        #expect(Self.requests(actions).count == 10)
        #expect(bench.watch.claims.count == 50)
        #expect(bench.watch.directory.vehicle(of: "a29999") == nil)
        // Claims that no answer ends are forgotten.
        bench.seconds += 10_000
        _ = bench.pass(0)
        #expect(bench.watch.claims.isEmpty)
        bench.seconds += 100_000
        _ = bench.pass(0)
        #expect(bench.watch.agents.isEmpty)
    }

    @Test("A vehicle whose topics were emptied takes no commands")
    func gone() {
        var directory = AgentDirectory()
        _ = directory.presenceChanged(.availability("van", isOnline: true))
        _ = directory.presenceChanged(.agent("van", agent: "a1", since: Self.start))
        #expect(directory.vehicle(of: "a1") == "van")
        _ = directory.presenceChanged(.gone("van"))
        #expect(directory.vehicle(of: "a1") == nil)
        #expect(!directory.isAnyoneOnline)
    }
}
