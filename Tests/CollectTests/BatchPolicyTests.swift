// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Collect

@Suite("When a batch is written")
struct BatchPolicyTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(sinceBoot: .milliseconds(milliseconds)) }

    @Test("A batch is written once no more messages come")
    func quiet() {
        var policy = BatchPolicy()
        #expect(policy.deadline == nil)
        let first = policy.messageReceived(bytes: 100, at: self.time(0))
        let second = policy.messageReceived(bytes: 100, at: self.time(2))
        #expect(!first && !second)
        #expect(policy.deadline == self.time(5))
        let early = policy.timePassed(at: self.time(4))
        let late = policy.timePassed(at: self.time(5))
        #expect(!early && late)
        #expect(policy.deadline == nil)
    }

    @Test("Messages that keep coming hold a batch for 20 ms at most")
    func longest() {
        var policy = BatchPolicy()
        let due = (0...40).map { policy.messageReceived(bytes: 1, at: self.time($0 / 2)) }
        #expect(due.firstIndex(of: true) == 40)
        #expect(due.count { $0 } == 1)
    }

    @Test("A full batch does not wait")
    func full() {
        var limits = BatchPolicy.Limits()
        limits.messages = 3
        limits.bytes = 1000
        var policy = BatchPolicy(limits)
        let byCount = (0..<3).map { _ in policy.messageReceived(bytes: 1, at: self.time(0)) }
        #expect(byCount == [false, false, true])
        let free = policy.writerBecameFree(at: self.time(1))
        let bySize = policy.messageReceived(bytes: 1000, at: self.time(1))
        #expect(!free && bySize)
    }

    @Test("While a batch is written the next one gathers, and is written right after it")
    func group() {
        var policy = BatchPolicy()
        _ = policy.messageReceived(bytes: 1, at: self.time(0))
        let first = policy.timePassed(at: self.time(3))
        let during = policy.messageReceived(bytes: 1, at: self.time(4))
        let later = policy.timePassed(at: self.time(100))
        #expect(first && !during && !later)
        #expect(policy.deadline == nil)
        let next = policy.writerBecameFree(at: self.time(101))
        let none = policy.writerBecameFree(at: self.time(102))
        #expect(next && !none)
    }

    @Test("A lost connection empties the batch")
    func lost() {
        var policy = BatchPolicy()
        _ = policy.messageReceived(bytes: 1, at: self.time(0))
        policy.connectionLost()
        let due = policy.timePassed(at: self.time(100))
        #expect(!due)
    }
}
