// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Drive
import EventLoop
import Simulator
import Testing

@testable import Agent

@Suite("A conversation with gpsd")
struct GPSDConversationTests {
    private static let greeting = #"{"class":"VERSION","release":"3.22"}"# + "\r\n"

    private static func fix(_ latitude: Double) -> String {
        #"{"class":"TPV","mode":3,"lat":\#(latitude),"lon":13.4}"# + "\r\n"
    }

    /// A link that says what a test has written down: a text after a time, then nothing.
    private final class ScriptedLink: AdapterLink {
        let address = "tcp:127.0.0.1:2947"
        private let clock: ManualClock
        private let script: Locked<[(after: Duration, text: String)]>
        private let sent = Locked<[String]>([])

        init(_ clock: ManualClock, _ script: [(after: Duration, text: String)]) {
            self.clock = clock
            self.script = Locked(script)
        }

        var written: [String] { self.sent.withLock { $0 } }

        func write(_ bytes: [UInt8]) async throws(LinkError) {
            self.sent.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }

        func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
            guard let next = self.script.withLock({ $0.first }) else {
                self.clock.advance(by: deadline - self.clock.now)
                return .deadline
            }
            let now = self.clock.now
            if now + next.after > deadline {
                self.script.withLock { $0[0].after = next.after - (deadline - now) }
                self.clock.advance(by: deadline - self.clock.now)
                return .deadline
            }
            self.clock.advance(by: next.after)
            self.script.withLock { _ = $0.removeFirst() }
            return .bytes(Array(next.text.utf8))
        }

        func interruptRead() {}
        func close() {}
    }

    /// Returns the reports of a conversation, in their order.
    private func reports(
        _ script: [(after: Duration, text: String)]
    ) async -> (reports: [String], written: [String], failure: String) {
        let clock = ManualClock()
        let link = ScriptedLink(clock, script)
        let reports = Locked<[String]>([])
        let outlets = GPSDConversation.Outlets(
            greeted: { release in reports.withLock { $0.append("greeted \(release)") } },
            fixReceived: { fix in reports.withLock { $0.append("fix \(fix.coordinate.latitude)") } },
            fixMissed: { reports.withLock { $0.append("missed") } },
            failed: { message in reports.withLock { $0.append("error \(message)") } },
            refused: { refusals in reports.withLock { $0.append("refused \(refusals.total)") } }
        )
        do {
            try await GPSDConversation(link: link, clock: clock, outlets: outlets).run()
            return (reports.withLock { $0 }, link.written, "none")
        } catch {
            return (reports.withLock { $0 }, link.written, "\(error)")
        }
    }

    @Test("Fixes are passed on, a tunnel is noticed, and a gpsd that falls silent is given up")
    func course() async {
        let result = await self.reports([
            (.zero, Self.greeting), (.seconds(1), Self.fix(52.5) + Self.fix(52.6)), (.seconds(9), Self.fix(52.7)),
            (.seconds(12), Self.fix(52.8)), (.seconds(1), "{nonsense}\n"),
            (.seconds(1), #"{"class":"ERROR","message":"no"}"# + "\n"),
        ])
        #expect(
            result.reports.prefix(8)
                == [
                    "greeted 3.22", "fix 52.5", "fix 52.6", "fix 52.7", "missed", "fix 52.8", "refused 1", "error no",
                ]
        )
        #expect(result.reports.dropFirst(8).allSatisfy { $0 == "missed" })
        #expect(
            result.written
                == [GPSDDialogue.watchRequest, GPSDDialogue.question].map { String(decoding: $0, as: UTF8.self) }
        )
        #expect(result.failure == "\(GPSDFailure.silent)")
    }

    @Test("A peer that is no gpsd gets nothing but the request")
    func stranger() async {
        let result = await self.reports([(.seconds(1), "220 mail.example ESMTP\r\n")])
        #expect(result.reports == [])
        #expect(result.failure == "\(GPSDFailure.notGPSD)")
        #expect(result.written.count == 1)
    }
}
