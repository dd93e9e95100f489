// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("A connection to gpsd")
struct GPSDDialogueTests {
    private static let greeting = Array(#"{"class":"VERSION","release":"3.22"}"#.utf8) + [0x0D, 0x0A]
    private static let noFix = Array(#"{"class":"TPV","mode":1}"#.utf8) + [0x0A]
    private static let start = MonotonicTime.zero + .seconds(100)

    private func greeted() throws -> GPSDDialogue {
        var dialogue = GPSDDialogue(at: Self.start)
        #expect(try dialogue.received(Self.greeting, at: Self.start) == [.version(release: "3.22")])
        return dialogue
    }

    @Test("Every split of the bytes reads the same")
    func splits() throws {
        let bytes = Self.greeting + Self.noFix + Self.noFix
        for index in 0...bytes.count {
            var dialogue = GPSDDialogue(at: Self.start)
            let reports =
                try dialogue.received(Array(bytes[..<index]), at: Self.start)
                + dialogue.received(Array(bytes[index...]), at: Self.start)
            #expect(reports == [.version(release: "3.22"), .noFix, .noFix])
        }
    }

    @Test(
        "A peer that does not greet as gpsd is not asked for positions",
        arguments: ["HTTP/1.1 400 Bad Request", "{}"]
    )
    func stranger(line: String) {
        var dialogue = GPSDDialogue(at: Self.start)
        #expect(throws: GPSDFailure.notGPSD) { try dialogue.received(Array(line.utf8) + [0x0A], at: Self.start) }
    }

    @Test("A silent peer is given up after ten seconds")
    func silentPeer() {
        var dialogue = GPSDDialogue(at: Self.start)
        #expect(dialogue.deadline == Self.start + .seconds(10))
        #expect(dialogue.deadlinePassed(at: dialogue.deadline) == .close(.noGreeting))
    }

    @Test("A quiet gpsd is asked whether it is there, and stays connected while it answers")
    func quiet() throws {
        var dialogue = try self.greeted()
        var now = Self.start
        for _ in 0..<3 {
            #expect(dialogue.deadline == now + GPSDDialogue.quietTime)
            now = dialogue.deadline
            #expect(dialogue.deadlinePassed(at: now) == .send(GPSDDialogue.question))
            #expect(
                try dialogue.received(Array(#"{"class":"DEVICES","devices":[]}"#.utf8) + [0x0A], at: now) == [.other]
            )
        }
        now = dialogue.deadline
        #expect(dialogue.deadlinePassed(at: now) == .send(GPSDDialogue.question))
        #expect(dialogue.deadlinePassed(at: dialogue.deadline) == .close(.silent))
    }

    @Test("Nonsense is counted, and is no sign of life")
    func nonsense() throws {
        var dialogue = try self.greeted()
        let before = dialogue.deadline
        let later = Self.start + .seconds(20)
        #expect(try dialogue.received(Array("$GPGGA,,\n\n{\"class\":\n\u{0}\n".utf8), at: later) == [])
        #expect(dialogue.refusals == .init(malformed: 3))
        #expect(dialogue.deadline == before)
    }

    @Test("A line without an end uses no more memory than the limit, and the next line is read")
    func longLine() throws {
        var dialogue = try self.greeted()
        for _ in 0..<100 {
            #expect(try dialogue.received([UInt8](repeating: 0x7B, count: 4096), at: Self.start) == [])
        }
        #expect(try dialogue.received([0x0A] + Self.noFix, at: Self.start) == [.noFix])
        #expect(dialogue.refusals == .init(malformed: 1))
    }

    @Test("A flood is cut to a hundred reports a second")
    func flood() throws {
        var dialogue = try self.greeted()
        var count = 0
        for step in 0..<100 {
            let now = Self.start + .milliseconds(10 * step)
            for _ in 0..<20 { count += try dialogue.received(Self.noFix, at: now).count }
        }
        #expect((250...350).contains(count))
        #expect(dialogue.refusals.excess == 2000 - count)
    }
}
