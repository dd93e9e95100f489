// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Subscriber
import Testing

@Suite("Following the feed of the agent on this machine")
struct FeedFollowingTests {
    private static func greeting(_ vehicle: String = "van") throws -> FeedGreeting {
        FeedGreeting(agent: "a1b2", prefix: try Topic("fleet"), vehicle: vehicle)
    }

    private static func line(_ path: String, _ payload: String, isRetained: Bool = false) -> [UInt8] {
        FeedLine.message(path: path, isRetained: isRetained, payload: Array(payload.utf8)).bytes
    }

    private static func message(_ topic: String, _ payload: String, isRetained: Bool = false) throws
        -> FeedFollowing.ReceiveAction
    {
        let topic = try Topic("fleet/\(topic)")
        return .report(.message(Message(topic: topic, payload: Array(payload.utf8), retain: isRetained)))
    }

    private static func connected() -> FeedFollowing {
        var following = FeedFollowing()
        following.connected(at: at(0))
        return following
    }

    @Test("Lines become messages of their topics, however the bytes are split")
    func messages() throws {
        let bytes =
            FeedLine.greeting(try Self.greeting()).bytes + Self.line("availability", "online", isRetained: true)
            + Array(#"{"later": 1}"#.utf8) + [FeedLine.newline]
            + Self.line("parameters/vehicle_speed", #"{"value":81}"#)
            + Self.line("codes", "") + FeedLine.greeting(try Self.greeting("other")).bytes
            + Self.line("status", "{}")
        let expected: [FeedFollowing.ReceiveAction] = [
            .report(.greeted(try Self.greeting())), try Self.message("van/availability", "online", isRetained: true),
            try Self.message("van/parameters/vehicle_speed", #"{"value":81}"#), try Self.message("van/codes", ""),
            .report(.greeted(try Self.greeting("other"))), try Self.message("other/status", "{}"),
        ]
        for size in [1, 2, 7, 64, bytes.count] {
            var following = Self.connected()
            var actions: [FeedFollowing.ReceiveAction] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                actions += following.received(
                    Array(bytes[start..<min(start + size, bytes.count)]),
                    at: at(0)
                )
            }
            #expect(actions == expected)
            #expect(following.retryAt == nil)
        }
    }

    @Test("What comes before the greeting, or has no topic, is no message")
    func strangers() throws {
        var following = Self.connected()
        #expect(following.received(Self.line("status", "{}"), at: at(0)) == [])
        _ = following.received(FeedLine.greeting(try Self.greeting()).bytes, at: at(0))
        let lines = Self.line("a+b", "{}") + Self.line("status\u{0}", "{}")
        #expect(following.received(lines, at: at(0)) == [])
    }

    @Test("A line without an end needs no more memory than the longest one")
    func longLine() throws {
        var following = Self.connected()
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        var count = 0
        while following.received(bytes, at: at(0)) == [] { count += 1 }
        #expect(count == FeedLine.limit / 65_536 - 1)
        #expect(following.closed(at: at(1)) == "the agent has sent a line that is too long")
        following.connected(at: at(0))
        #expect(following.received([FeedLine.newline], at: at(0)) == [])
    }

    @Test("The agent's reason is the reason of the loss", arguments: FeedEnd.allCases)
    func reason(_ end: FeedEnd) throws {
        var following = Self.connected()
        _ = following.received(FeedLine.greeting(try Self.greeting()).bytes, at: at(0))
        let lines = FeedLine.end(end).bytes + Self.line("status", "{}")
        #expect(following.received(lines, at: at(0)) == [.close])
        #expect(following.closed(at: at(1)) == end.description)
        following.connected(at: at(0))
        #expect(following.closed(at: at(1)) == "the connection to the agent was lost")
    }

    @Test("The waits grow to 15 s, and begin anew once an agent has greeted")
    func backoff() throws {
        var following = Self.connected()
        var longest = Duration.zero
        for _ in 0..<200 {
            _ = following.notConnected(because: "no program listens there", at: at(0))
            longest = max(longest, try #require(following.retryAt) - at(0))
        }
        #expect(longest > .seconds(1) && longest <= .seconds(15))
        following.connected(at: at(0))
        #expect(following.retryAt == nil)
        _ = following.received(FeedLine.greeting(try Self.greeting()).bytes, at: at(0))
        _ = following.closed(at: at(0))
        #expect(try #require(following.retryAt) - at(0) <= .milliseconds(500))
    }

    @Test("An agent that says nothing for three heartbeats is lost, and so is one that does not greet")
    func silence() throws {
        var following = Self.connected()
        #expect(following.timePassed(at: at(14.9)) == .none)
        #expect(following.timePassed(at: at(15)) == .close)
        #expect(following.closed(at: at(15)) == "the agent has stopped answering")
        #expect(following.timePassed(at: at(99)) == .none)
        following.connected(at: at(100))
        _ = following.received(FeedLine.greeting(try Self.greeting()).bytes, at: at(101))
        _ = following.received(FeedLine.heartbeat.bytes, at: at(106))
        #expect(following.timePassed(at: at(120.9)) == .none)
        #expect(following.timePassed(at: at(121)) == .close)
    }

    @Test("An agent without a heartbeat may be silent")
    func noHeartbeat() throws {
        var following = Self.connected()
        let greeting = FeedGreeting(agent: "a", prefix: try Topic("obd"), vehicle: "van", heartbeat: nil)
        _ = following.received(FeedLine.greeting(greeting).bytes, at: at(1))
        #expect(following.timePassed(at: at(3600)) == .none)
    }
}
