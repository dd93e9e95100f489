// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import FoundationEssentials
import TestSupport
import Testing

@testable import obd_agent

@Suite("What is written to the journal")
struct JournalTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    @Test("Each event has its own id, is in the metadata of a message, and stands in the manual")
    func events() throws {
        let manual = try #require(TextFile.read(Self.root + "/docs/obd-agent.service.8"))
        let folder = "\(Self.root)/Sources"
        let sources = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/JournalEvent.swift") }
            .map { try #require(TextFile.read("\(folder)/\($0)")) }.joined()
        for event in JournalEvent.allCases {
            #expect(event.rawValue.utf8.count == 32)
            #expect(manual.contains(".It \(event.rawValue) Ta "))
            #expect(sources.contains("\\(JournalEvent.\(event).rawValue)"), "no message has the event \(event)")
        }
        #expect(Set(JournalEvent.allCases.map(\.rawValue)).count == JournalEvent.allCases.count)
    }

    @Test("What repeats itself has a burst, then one a minute, which tells how many were left out")
    func limits() {
        var limiter = LogLimiter()
        var now = MonotonicTime.zero
        let first = (0..<100).map { limiter.take("No broker: reason \($0)", at: now) }
        #expect(first == Array(repeating: 0, count: 20) + Array(repeating: nil, count: 80))
        #expect(limiter.take("No vehicle: reason", at: now) == 0)
        now = now + .seconds(60)
        #expect(limiter.take("No broker: again", at: now) == 80)
        #expect(limiter.take("No broker: again", at: now) == nil)
    }

    @Test("However many kinds of messages there are, they are bounded")
    func kinds() {
        var limiter = LogLimiter()
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let written = letters.flatMap { first in letters.map { "\(first)\($0)" } }
            .count { limiter.take($0, at: .zero) != nil }
        #expect(written == LogLimiter.kinds + LogLimiter.burst)
    }
}
