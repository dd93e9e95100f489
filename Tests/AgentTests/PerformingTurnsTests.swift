// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Agent

@Suite("Actions are performed in the order of their inputs")
struct PerformingTurnsTests {
    /// An actor that performs two steps for each input, and waits between them.
    private actor Performer {
        private(set) var log: [String] = []
        private let gate: AsyncStream<Void>
        private let asked: AsyncStream<String>.Continuation
        private var turns = PerformingTurns()

        init(_ gate: AsyncStream<Void>, asked: AsyncStream<String>.Continuation) {
            (self.gate, self.asked) = (gate, asked)
        }

        func perform(_ name: String) async {
            self.asked.yield(name)
            if !self.turns.take() { await withCheckedContinuation { self.turns.wait($0) } }
            defer { self.turns.pass() }
            self.log.append("\(name)1")
            for await _ in self.gate { break }
            self.log.append("\(name)2")
        }
    }

    @Test("An input that comes while another one is performed waits, and all wait in their order")
    func order() async {
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let (asked, asking) = AsyncStream.makeStream(of: String.self)
        let performer = Performer(gate, asked: asking)
        var names = asked.makeAsyncIterator()
        await withTaskGroup { group in
            for name in ["a", "b", "c"] {
                group.addTask { await performer.perform(name) }
                #expect(await names.next() == name)
            }
            // All have asked, and only the first one has begun.
            #expect(await performer.log == ["a1"])
            for _ in 1...3 { opened.yield() }
        }
        #expect(await performer.log == ["a1", "a2", "b1", "b2", "c1", "c2"])
    }
}
