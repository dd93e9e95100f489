// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Diagnosis
import ELM327
import Session
import TestSupport
import Testing

@Suite("The text of a transcript")
struct TranscriptTests {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    private static let events: [TranscriptEntry.Event] = [
        .opened("tcp:[::1]:35000"), .starting(nil, .full, []), .starting(.kwpFast, .soft, []),
        .sent(Array("010C\r".utf8)),
        .sent([0x20]), .received(Array("41 0C 1A F8\r\r>".utf8)), .received(Array(0...255)),
        .lost("no such \u{FC}ber\ndevice "), .closed, .note("a note\\with\tthings"),
        .asking(BusRequest(group: 0xFECA, listening: .milliseconds(1500), isSlow: true), .j1939),
        .performing(AdapterCommand("ATMP FECA", timeout: .seconds(1), collectsUntilTimeout: true)),
        .performing(AdapterCommand("ATSH 7E0", timeout: .seconds(2))),
        .performing(AdapterCommand("0100", timeout: .zero, service: 1)),
        .asking(BusRequest(payload: [0x01, 0x0C], echo: [0x0C], lengths: 4...4), .can11at500),
        .asking(
            BusRequest(
                payload: [0x22, 0xDD, 0xBC],
                echo: [0xDD, 0xBC],
                addressing: Addressing(
                    header: .can11(0x6F1),
                    responder: .can11(0x607),
                    addressExtension: .init(request: 0x07, reply: 0xF1),
                    setsFlowControl: true,
                    wait: 0x64
                )
            ),
            .can11at500
        ),
        .asking(
            BusRequest(
                payload: [0x21, 0x01],
                echo: [0x01],
                addressing: Addressing(header: .can29(0x17FC_0076), responder: .can29Identifier(0x17FE_0076))
            ),
            .can29at500
        ),
        .asking(BusRequest(payload: [0x04], echo: [], isSlow: true, isRepeatable: false), .j1850PWM),
    ]

    @Test("Every entry is a line of printable characters that parses to an equal entry", arguments: Self.events)
    func roundTrip(event: TranscriptEntry.Event) {
        let entry = TranscriptEntry(event, at: MonotonicTime(sinceBoot: .nanoseconds(12_345_678_901)))
        #expect(entry.line.hasPrefix("12.345678901 "))
        #expect(entry.line.utf8.allSatisfy { 0x20...0x7E ~= $0 })
        #expect(entry.line.last != " ")
        #expect(TranscriptEntry(line: entry.line[...]) == entry)
    }

    @Test(
        "Invalid entries are rejected",
        arguments: [
            "", "1.0 > x", "1.000000000", "1.000000000 what x", "1.000000000 < \\x4", "1.000000000 < \\q",
            "1.000000000 start X full", "1.000000000 start 6 never", "1.000000000 ask 6 010 0C 4-4 - -",
            "1.000000000 ask 6 010C 0C 5-4 - -", "1.000000000 ask 6 010C 0C 4 - -", "1.000000000 ask Z 010C 0C 4-4 - -",
            "-1.000000000 close", "99999999999.000000000 close", "1.000000000 close now",
            "1.000000000 ask A 010C - - - -", "1.000000000 ask 6 010C 0C 4-4 - x",
        ]
    )
    func rejected(line: String) {
        #expect(TranscriptEntry(line: line[...]) == nil)
    }

    @Test("An invalid line is an error with its number, unless it is the last line")
    func broken() throws {
        #expect(throws: TranscriptError.notATranscript) { try Transcript("what else") }
        let header = "obd-agent transcript 1 version=1 boot=x\n"
        #expect(throws: TranscriptError.badLine(3)) { try Transcript(header + "1.000000000 close\nnothing\n") }
        #expect(try Transcript(header + "1.000000000 close\n1.0000").entries.count == 1)
        #expect(try Transcript(header).origin == "version=1 boot=x")
    }

    @Test("The ring stays within its limit, and keeps the newest entries in order", arguments: 0..<5)
    func ring(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var ring = TranscriptRing(version: "1", boot: "x")
        var segments: [[UInt8]] = [[], []]
        var written: [TranscriptEntry] = []
        func perform(_ action: TranscriptRing.WriteAction) {
            switch action {
            case .wait: break
            case .append(let bytes, let segment): segments[segment] += bytes
            case .replace(let bytes, let segment): segments[segment] = bytes
            }
            #expect(segments[0].count + segments[1].count <= TranscriptRing.limit)
        }
        for step in 0..<30_000 {
            let count = Int.random(in: 0...(step % 1000 == 0 ? 20_000 : 60), using: &numbers)
            let entry = TranscriptEntry(.received([UInt8](repeating: 0x41, count: count)), at: Self.time(step * 10))
            written.append(entry)
            perform(ring.record(entry))
        }
        perform(ring.flush())
        let text = try #require(Transcript.joined(segments.map { String(decoding: $0, as: UTF8.self) }))
        let read = try Transcript(text).entries
        #expect(read == Array(written.suffix(read.count)))
        #expect(text.utf8.count > TranscriptRing.limit / 3)
    }

    @Test("An entry is written within a second, and the end of a dialogue at once")
    func writeDelay() {
        var ring = TranscriptRing(version: "1", boot: "x")
        #expect(ring.record(TranscriptEntry(.sent([0x41]), at: Self.time(0))) == .wait)
        #expect(ring.record(TranscriptEntry(.sent([0x41]), at: Self.time(999))) == .wait)
        guard case .replace(let bytes, 0) = ring.record(TranscriptEntry(.sent([0x41]), at: Self.time(1000))) else {
            Issue.record("nothing was written")
            return
        }
        #expect(bytes.split(separator: 0x0A).count == 4)
        guard case .append = ring.record(TranscriptEntry(.closed, at: Self.time(1001))) else {
            Issue.record("nothing was written")
            return
        }
        #expect(ring.flush() == .wait)
    }

    @Test("Parsing and replaying a corrupted transcript never traps", arguments: 0..<20)
    func mutated(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed)
        var bytes = Array(try await Drive(.seconds(5), on: .can11at500, faults: 10, seed: seed).text.utf8)
        for _ in 0..<200 {
            let index = Int.random(in: 40..<bytes.count, using: &numbers)
            bytes[index] =
                Bool.random(using: &numbers) ? UInt8.random(in: 0x20...0x7E, using: &numbers) : bytes[index] ^ 1
        }
        // Invalid lines are removed, because a single one makes the whole transcript invalid.
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let good = lines.dropFirst().filter { TranscriptEntry(line: $0) != nil }
        let text = ([lines[0]] + good).joined(separator: "\n")
        await Replay.run(try Transcript(text)) { _, _ in }
    }
}
